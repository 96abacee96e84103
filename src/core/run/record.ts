// A run record is the fold of its ledger lines; every field but identity may be absent.
import type { CostSource, Outcome, Reason, RunKind, Trigger } from './outcome.js';

/** Names one run: ids count per harness and are never reused. */
export interface RunKey {
  readonly harness: string;
  readonly run_id: number;
}

export interface ServedModel {
  readonly model: string;
  readonly provider?: string;
  readonly output_tokens: number;
}

export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_write: number;
}

export interface SessionRef {
  readonly id: string;
  readonly adapter: string;
  readonly trace_id: string;
}

/** Timestamps are RFC 3339 UTC with nine fractional digits; durations are milliseconds; cost is US dollars. */
export interface RunFields {
  readonly kind?: RunKind;
  readonly trigger?: Trigger;
  readonly source?: string;
  readonly event_id?: string;
  readonly started_at?: string;
  readonly ended_at?: string;
  readonly duration_ms?: number;
  readonly exit_code?: number;
  readonly outcome?: Outcome;
  readonly reason?: Reason;
  readonly model?: string;
  readonly models?: readonly ServedModel[];
  readonly tokens?: TokenCounts;
  readonly cost_usd?: number;
  readonly cost_source?: CostSource;
  readonly model_calls?: number;
  readonly errors?: Readonly<Record<string, number>>;
  readonly usage_complete?: boolean;
  readonly sessions?: readonly SessionRef[];
  readonly log?: string;
  /** Admitted although its budget was spent, because an operator said so. */
  readonly override?: boolean;
  /** The schedule window this run honours; of missed ones the last. */
  readonly window?: string;
  readonly first_window?: string;
  readonly windows?: number;
  readonly coalesced?: number;
  readonly missing_path?: string;
  readonly trace_missing?: boolean;
  readonly loadout?: Readonly<Record<string, unknown>>;
}

export type RunRecord = RunKey & RunFields;

export const LINE_TYPES = ['opened', 'updated', 'closed', 'decided'] as const;
export type LineType = (typeof LINE_TYPES)[number];

export interface LedgerLine extends RunKey, RunFields {
  readonly v: 1;
  readonly seq: number;
  readonly type: LineType;
  readonly at: string;
}

/** What was known of a harness when its run opened; assembly reads this row, never the configuration. */
export interface RunContext extends RunKey {
  readonly adapter: string;
  readonly model?: string;
  readonly workdir: string;
  readonly untrusted_inline: boolean;
  readonly memory_record: boolean;
  readonly record_trace: boolean;
  readonly excerpt_chars: number;
  /** Marks every process of the run; no secret. By it a crashed daemon's survivors are found at the next boot. */
  readonly spawn_id: string;
}
