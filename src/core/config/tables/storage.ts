// `[ledger]`, `[trace]` and `[budget]`: how long and how much is kept (SPEC-0022 REQ-12, REQ-19), what counts as checking the
// work (ADR-0033), and how much may run at once (SPEC-0021 REQ-6).
import * as E from 'fp-ts/lib/Either.js';
import type { Closed, Reader } from '../../kernel/closed.js';
import type { Config } from '../config.js';
import { AGE_MAX, BYTES_PER_MB, LEDGER_BOUNDS, LEDGER_DEFAULTS, MAX_CONCURRENT_BOUNDS, SIZE_MAX_MB, TRACE_DEFAULTS } from '../limits.js';
import { dollars, duration, whole, words } from '../readers.js';

const age = duration({ min: LEDGER_BOUNDS.retention, max: AGE_MAX });
const megabytes = whole({ min: LEDGER_BOUNDS.max_mb, max: SIZE_MAX_MB });

const url: Reader<string> = (value) =>
  typeof value === 'string' && /^https?:\/\/[^\s@]+$/.test(value)
    ? E.right(value)
    : E.left('must be an http or https URL without credentials');

export const LEDGER_FIELDS = { retention: { read: age }, max_mb: { read: megabytes }, trace_url: { read: url } } as const;
export const TRACE_FIELDS = { retention: { read: age }, max_mb: { read: megabytes }, verify: { read: words } } as const;
export const BUDGET_FIELDS = { max_concurrent: { read: whole(MAX_CONCURRENT_BOUNDS) }, daily_cost_usd: { read: dollars } } as const;
export const GROUP_FIELDS = { max_concurrent: { read: whole(MAX_CONCURRENT_BOUNDS), required: true } } as const;

export const ledgerConfig = ({ retention, max_mb, trace_url }: Closed<typeof LEDGER_FIELDS>): Config['ledger'] => ({
  retention: retention ?? LEDGER_DEFAULTS.retention,
  max_bytes: max_mb === undefined ? LEDGER_DEFAULTS.max_bytes : max_mb * BYTES_PER_MB,
  ...(trace_url === undefined ? {} : { trace_url }),
});

export const traceConfig = ({ retention, max_mb, verify }: Closed<typeof TRACE_FIELDS>): Config['trace'] => ({
  retention: retention ?? TRACE_DEFAULTS.retention,
  max_bytes: max_mb === undefined ? TRACE_DEFAULTS.max_bytes : max_mb * BYTES_PER_MB,
  verify: verify ?? [],
});

export const budgetConfig = (
  { max_concurrent, daily_cost_usd }: Closed<typeof BUDGET_FIELDS>,
  groups: Config['budget']['groups'],
): Config['budget'] => ({
  ...(max_concurrent === undefined ? {} : { max_concurrent }),
  ...(daily_cost_usd === undefined ? {} : { daily_cost_usd }),
  groups,
});
