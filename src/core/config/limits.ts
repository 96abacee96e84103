// The numbers of the configuration: defaults and bounds, each with the rule it comes from. Durations are milliseconds.
import { DAY, HOUR, SECOND } from '../kernel/time.js';

const MIB = 1_024 * 1_024;

/** SPEC-0030 REQ-1. */
export const MEMORY_DEFAULTS = {
  provider: 'builtin',
  retention: 90 * DAY,
  summary: true,
  provider_timeout: 2 * SECOND,
  excerpt_chars: 600,
} as const;
export const RETENTION_BOUNDS = { min: DAY, max: 3_650 * DAY } as const;
export const PROVIDER_TIMEOUT_BOUNDS = { min: 100, max: 60 * SECOND } as const;
export const EXCERPT_CHARS_BOUNDS = { min: 0, max: 2_000 } as const;

/** SPEC-0030 REQ-14. */
export const BRIEFING_MAX_CHARS = { min: 500, max: 4_000, default: 2_000 } as const;

/** Run records (SPEC-0022 REQ-12) and traces. */
export const LEDGER_DEFAULTS = { retention: 90 * DAY, max_bytes: 256 * MIB } as const;
export const LEDGER_BOUNDS = { retention: DAY, max_mb: 16 } as const;
export const TRACE_DEFAULTS = { retention: 30 * DAY, max_bytes: 1_024 * MIB } as const;

/** Residents (SPEC-0003). */
export const RESTART_DELAY_DEFAULT = SECOND;
export const RESTART_DELAY_BOUNDS = { min: 10, max: 30 * SECOND } as const;

/** One-shots (SPEC-0008). */
export const RUN_TIMEOUT_DEFAULT = HOUR;
export const KEEP_RUNS_DEFAULT = 20;

/** A longer one would overflow the clock that ends a run: timers count milliseconds in 31 bits. */
export const RUN_TIMEOUT_BOUNDS = { min: 1, max: 24 * DAY } as const;
export const KEEP_RUNS_BOUNDS = { min: 1, max: 100_000 } as const;

/** Ages above this would reach behind the earliest date that can be written. */
export const AGE_MAX = 3_650 * DAY;
/** Sizes in MiB up to one TiB, so that their bytes stay exact numbers. */
export const SIZE_MAX_MB = 1_024 * 1_024;
export const BYTES_PER_MB = MIB;
export const MAX_CONCURRENT_BOUNDS = { min: 1, max: 10_000 } as const;
export const MAX_RUNS_PER_DAY_BOUNDS = { min: 1, max: 100_000 } as const;
export const DAILY_COST_USD_MAX = 1_000_000;
export const MAX_TURNS_BOUNDS = { min: 1, max: 100_000 } as const;
