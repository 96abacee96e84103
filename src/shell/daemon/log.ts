// The daemon's log: only events of this closed union, only their named fields. No event has a field for text of an episode,
// a query, a prompt or a provider's answer (SPEC-0030, Error Handling).
import pino from 'pino';
import { openRotatingFile, ROTATE_BYTES, ROTATED_KEPT, type RotatingFile } from '../files/rotating-file.js';

interface RunFields {
  readonly harness: string;
  readonly run: number;
}

export type LogEvent =
  | { readonly event: 'daemon_started'; readonly version: string; readonly socket: string; readonly store: string; readonly pid: number }
  | { readonly event: 'daemon_stopping'; readonly signal: string }
  | { readonly event: 'daemon_stopped' }
  | { readonly event: 'daemon_refused'; readonly code: string; readonly error: string }
  | { readonly event: 'config_rejected'; readonly file: string; readonly errors: number }
  | { readonly event: 'config_warning'; readonly warning: string }
  | { readonly event: 'config_loaded'; readonly file: string; readonly harnesses: number }
  | { readonly event: 'run_repaired'; readonly harness: string; readonly run: number }
  | ({ readonly event: 'run_started'; readonly pid: number } & RunFields)
  | ({ readonly event: 'run_spawn_failed'; readonly error: string } & RunFields)
  | ({ readonly event: 'run_closed'; readonly outcome: string; readonly reason?: string; readonly duration_ms?: number } & RunFields)
  | ({ readonly event: 'run_survivors'; readonly killed: number } & RunFields)
  | ({ readonly event: 'trace_dropped'; readonly reason: string; readonly count: number } & RunFields)
  | ({ readonly event: 'session_ambiguous'; readonly session: string; readonly harnesses: string } & RunFields)
  | ({ readonly event: 'git_failed'; readonly error: string } & RunFields)
  | ({ readonly event: 'trace_fault'; readonly error: string } & RunFields)
  | ({ readonly event: 'codex_script'; readonly file: string } & RunFields)
  | ({ readonly event: 'files_not_pruned'; readonly error: string } & Pick<RunFields, 'harness'>)
  | { readonly event: 'resident_given_up'; readonly harness: string; readonly failures: number }
  | { readonly event: 'resident_flapping'; readonly harness: string }
  | { readonly event: 'intent_not_stored'; readonly harness: string; readonly error: string }
  | { readonly event: 'schedule_missed'; readonly harness: string; readonly windows: number }
  | { readonly event: 'schedule_fault'; readonly harness: string; readonly error: string }
  | { readonly event: 'firing_refused'; readonly harness: string; readonly reason: string }
  | { readonly event: 'project_rejected'; readonly project: string; readonly errors: number }
  | { readonly event: 'daemon_fault'; readonly error: string }
  | { readonly event: 'ledger_unreadable'; readonly lines: number }
  | ({ readonly event: 'run_file_failed'; readonly file: string; readonly error: string } & RunFields)
  | ({ readonly event: 'trace_write_failed'; readonly error: string } & RunFields)
  | ({ readonly event: 'env_file_unreadable'; readonly file: string } & Pick<RunFields, 'harness'>)
  | { readonly event: 'ledger_append_failed'; readonly harness: string; readonly run: number; readonly seq: number; readonly error: string }
  | { readonly event: 'ledger_recovered'; readonly lines: number }
  | ({ readonly event: 'episode_recorded'; readonly episode: string; readonly bytes: number } & RunFields)
  | ({ readonly event: 'edits_dropped'; readonly reason: string; readonly count: number } & RunFields)
  | ({ readonly event: 'episode_skipped'; readonly reason: string } & RunFields)
  | ({ readonly event: 'episode_failed'; readonly error: string } & RunFields)
  | { readonly event: 'provider_state'; readonly provider: string; readonly state: string }
  | {
      readonly event: 'provider_record_failed';
      readonly provider: string;
      readonly episode: string;
      readonly attempts: number;
      readonly error: string;
    }
  | { readonly event: 'provider_recorded'; readonly provider: string; readonly episode: string; readonly ids: number }
  | {
      readonly event: 'provider_id_conflict';
      readonly provider: string;
      readonly provider_id: string;
      readonly episode: string;
      readonly first_episode: string;
    }
  | {
      readonly event: 'recall_degraded';
      readonly provider: string;
      readonly reason: string;
      readonly phase: string;
      readonly deadline_ms: number;
    }
  | { readonly event: 'items_dropped'; readonly provider: string; readonly reason: string; readonly count: number }
  | { readonly event: 'embedding_dimension_changed'; readonly model: string; readonly from: number; readonly to: number }
  | { readonly event: 'embedding_failed'; readonly model: string; readonly error: string }
  | { readonly event: 'prune_done'; readonly lines: number; readonly sessions: number }
  | { readonly event: 'prune_failed'; readonly error: string }
  | { readonly event: 'socket_reopened'; readonly socket: string }
  | { readonly event: 'peer_refused'; readonly uid: number }
  | { readonly event: 'socket_error'; readonly error: string }
  | { readonly event: 'rpc_failed'; readonly method: string; readonly error: string }
  | { readonly event: 'store_check_failed'; readonly error: string };

export interface Log {
  readonly info: (event: LogEvent) => void;
  readonly warn: (event: LogEvent) => void;
  readonly error: (event: LogEvent) => void;
}

/** Takes whole lines, in order, and has written or kept each when it returns. */
export interface LogDestination {
  readonly write: (line: string) => void;
}

/** JSON lines through pino, to standard output (a service manager's journal) unless they have a destination. */
export const productionLog = (destination: LogDestination = pino.destination({ dest: 1, sync: true })): Log => {
  const logger = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  return {
    info: ({ event, ...fields }) => logger.info(fields, event),
    warn: ({ event, ...fields }) => logger.warn(fields, event),
    error: ({ event, ...fields }) => logger.error(fields, event),
  };
};

/** A log file of the daemon's own: set aside when it is full. Throws when it cannot be opened. */
export const openLogFile = (path: string): RotatingFile =>
  openRotatingFile(path, { maxBytes: ROTATE_BYTES, kept: ROTATED_KEPT, lost: lostLine });

const PINO_WARN = 40;

const lostLine = (lines: number): string =>
  `${JSON.stringify({ level: PINO_WARN, time: new Date().toISOString(), lines, msg: 'log_lines_lost' })}\n`;

/** A log that keeps what it was told, for tests. */
export const recordingLog = (): Log & { readonly events: LogEvent[] } => {
  const events: LogEvent[] = [];
  const keep = (event: LogEvent): void => {
    events.push(event);
  };
  return { events, info: keep, warn: keep, error: keep };
};
