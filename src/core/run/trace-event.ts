// What a client's stream or transcript says, as items; and the rows that are stored of it.
import type { CostSource } from './outcome.js';
import type { ServedModel, TokenCounts } from './record.js';

export const EVENT_KINDS = ['tool_call', 'mark', 'usage', 'error', 'result'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export const ACTIONS = ['search', 'read', 'edit', 'exec', 'verify', 'other'] as const;
export type Action = (typeof ACTIONS)[number];

export const TOUCHES = ['hit', 'read', 'edit'] as const;
export type Touch = (typeof TOUCHES)[number];

export const MARKS = ['user-message', 'compaction', 'subagent', 'error', 'turn-end'] as const;
export type Mark = (typeof MARKS)[number];

/** A path an event touched, as the client spelled it: relative to the session's cwd, or absolute. */
export interface Target {
  readonly path: string;
  readonly touch: Touch;
}

/** One thing that happened in a session. Tool arguments and results are never kept; `summary` is at most 1 KiB. */
export interface TraceEvent {
  readonly at?: number;
  readonly kind: EventKind;
  readonly mark?: Mark;
  readonly tool?: string;
  readonly action?: Action;
  readonly targets: readonly Target[];
  readonly is_error: boolean;
  readonly error_class?: string;
  readonly result_bytes?: number;
  readonly summary: string;
  readonly model?: string;
}

export interface SessionStart {
  readonly session_id: string;
  readonly parent_session?: string;
  readonly cwd?: string;
  readonly model?: string;
  readonly at?: number;
}

export interface SessionUsage {
  readonly models: readonly ServedModel[];
  readonly tokens: TokenCounts;
  readonly model_calls: number;
  readonly cost_usd?: number;
  readonly cost_source: CostSource;
}

/** The final result of a session; `text` is whole and not yet redacted. */
export interface SessionResult {
  readonly subtype: string;
  readonly is_error: boolean;
  readonly turns?: number;
  readonly duration_ms?: number;
  readonly text?: string;
}

/** What a reader makes of the lines it is given, in order. */
export type TraceItem =
  | { readonly type: 'session'; readonly session: SessionStart }
  | { readonly type: 'event'; readonly session_id: string; readonly event: TraceEvent }
  | { readonly type: 'usage'; readonly session_id: string; readonly usage: SessionUsage }
  | { readonly type: 'result'; readonly session_id: string; readonly result: SessionResult }
  | { readonly type: 'dropped'; readonly reason: TraceDrop };

/**
 * Why a line gave nothing: it was no JSON object, too long, or of a shape the reader does not know; of a transcript's rows also
 * those from before the run, and those of a file that was written anew and had been read already.
 */
export const TRACE_DROPS = [
  'not_json',
  'line_too_long',
  'unknown_shape',
  'no_session',
  'event_limit',
  'before_run',
  'read_before',
] as const;
export type TraceDrop = (typeof TRACE_DROPS)[number];

/**
 * A pure reader of one client's lines. `line` is one decoded JSON value; `now` is when it was read, in milliseconds since the epoch.
 * `finish` says what was still open when the lines ended; a usage item holds a session's totals so far, so the last one stands.
 */
export interface TraceReader<State> {
  readonly initial: State;
  readonly step: (state: State, line: unknown, now: number) => { readonly state: State; readonly items: readonly TraceItem[] };
  readonly finish: (state: State, now: number) => readonly TraceItem[];
}

/** A reader of a client's transcript, which may hold more than the run: `skip` takes a row from before it, for what it tells of the rest. */
export interface TranscriptReader<State> extends TraceReader<State> {
  readonly skip: (state: State, line: unknown) => State;
}
