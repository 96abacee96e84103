// The stored rows of a run's trace: sessions, their events and at most one result each.
import type { CostSource } from './outcome.js';
import type { RunContext, RunKey, RunRecord, ServedModel, TokenCounts } from './record.js';
import type { TraceEvent } from './trace-event.js';

/** Caps of stored trace rows. */
export const SUMMARY_BYTES = 1_024;
export const RESULT_TEXT_BYTES = 8_192;
export const EVENTS_PER_SESSION = 10_000;

/** A git sample of a working directory, taken by local read-only git. Paths are absolute. */
export interface GitSample {
  readonly at: string;
  readonly cwd: string;
  readonly worktree: string;
  /** cwd relative to the worktree, '' at its root, with no trailing slash. */
  readonly prefix: string;
  readonly repo: string;
  readonly local: boolean;
  readonly branch?: string;
  readonly head?: string;
  readonly origin_head?: string;
}

export interface SessionRow extends RunKey {
  readonly session_id: string;
  readonly adapter: string;
  readonly source: 'stream' | 'transcript';
  readonly parent_session?: string;
  readonly started_at: string;
  readonly ended_at?: string;
  readonly cwd?: string;
  readonly git_branch?: string;
  readonly repo?: string;
  readonly worktree?: string;
  readonly prefix?: string;
  readonly models: readonly ServedModel[];
  readonly tokens: TokenCounts;
  readonly model_calls: number;
  readonly cost_usd?: number;
  readonly cost_source: CostSource;
  readonly trace_id: string;
  readonly events_complete: boolean;
}

export interface EventRow extends RunKey, TraceEvent {
  readonly session_id: string;
  readonly seq: number;
}

export interface ResultRow extends RunKey {
  readonly session_id: string;
  readonly subtype: string;
  readonly is_error: boolean;
  readonly turns?: number;
  readonly duration_ms?: number;
  /** Redacted, then capped at RESULT_TEXT_BYTES. */
  readonly text?: string;
}

/** Everything an episode is assembled from. */
export interface StoredRun {
  readonly record: RunRecord;
  readonly context: RunContext;
  readonly sessions: readonly SessionRow[];
  readonly events: readonly EventRow[];
  readonly results: readonly ResultRow[];
}
