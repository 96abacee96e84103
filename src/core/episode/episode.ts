// The episode: one per supervised run with a repository, exactly these fields in this order (SPEC-0030 REQ-5).
import type { CostSource, Outcome, Reason } from '../run/outcome.js';

export const TRUST_CLASSES = ['standard', 'untrusted_input'] as const;
export type TrustClass = (typeof TRUST_CLASSES)[number];

/** Bounds of SPEC-0030 REQ-5; bytes for names, items for lists, code points for the summary. */
export const NAME_BYTES = 256;
export const FILES_MAX = 50;
export const CLASSES_MAX = 10;
export const CLASS_BYTES = 64;
export const URL_BYTES = 2_048;
export const SUMMARY_CHARS = 280;

export interface VerifyFailure {
  readonly class: string;
  readonly count: number;
}

/** What is said of a run. Absent fields are left out; times are RFC 3339 UTC, durations milliseconds, cost US dollars. */
export interface Episode {
  readonly episode_id: string;
  readonly harness: string;
  readonly adapter: string;
  readonly run_id: number;
  readonly trace_id: string;
  readonly model?: string;
  readonly repo: string;
  readonly branch?: string;
  readonly outcome: Outcome;
  readonly reason?: Reason;
  readonly started_at: string;
  readonly duration_ms?: number;
  readonly cost_usd?: number;
  readonly cost_source: CostSource;
  readonly files_touched: readonly string[];
  readonly pull_request?: string;
  readonly verify_failures: readonly VerifyFailure[];
  readonly result_excerpt?: string;
  readonly summary?: string;
  readonly trust_class: TrustClass;
  readonly scope: string;
}

/** The order of the fields, for the rendering and for JSON. */
export const EPISODE_FIELDS = [
  'episode_id',
  'harness',
  'adapter',
  'run_id',
  'trace_id',
  'model',
  'repo',
  'branch',
  'outcome',
  'reason',
  'started_at',
  'duration_ms',
  'cost_usd',
  'cost_source',
  'files_touched',
  'pull_request',
  'verify_failures',
  'result_excerpt',
  'summary',
  'trust_class',
  'scope',
] as const satisfies readonly (keyof Episode)[];

/**
 * Assembled but not yet redacted: the result text is still whole, paths and names are as the client spelled them.
 * Only `sanitizeEpisode` turns it into something that may be stored or sent (SPEC-0030 REQ-6).
 */
export interface RawEpisode extends Omit<Episode, 'result_excerpt' | 'summary'> {
  readonly result_text?: string;
  readonly excerpt_chars: number;
}

declare const safe: unique symbol;

/** An episode whose every string passed the redactor. Store, summary and provider accept nothing else. */
export type SafeEpisode = Episode & { readonly [safe]: true };
