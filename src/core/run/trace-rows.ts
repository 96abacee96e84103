// Turns the items of a reader into the rows that are stored, redacting and bounding every text on the way
// (what a client printed must not reach the store as it was printed).
import type { Digest } from '../kernel/digest.js';
import { utf8Length } from '../kernel/text.js';
import { formatInstant, type Instant } from '../kernel/time.js';
import { cleanLine, cleanLines } from '../untrusted/clean.js';
import type { RunKey, ServedModel } from './record.js';
import {
  EVENTS_PER_SESSION,
  type EventRow,
  type GitSample,
  RESULT_TEXT_BYTES,
  type ResultRow,
  type SessionRow,
  SUMMARY_BYTES,
} from './session.js';
import type { SessionStart, TraceDrop, TraceItem } from './trace-event.js';
import { NO_TOKENS } from './usage.js';

const PATH_BYTES = 1_024;
const CWD_BYTES = 4_096;
const NAME_BYTES = 256;
const TRACE_ID_HEX = 32;

/** The rows of one run so far. Sessions keep the order they were first seen in. */
export interface TraceRows {
  readonly key: RunKey;
  readonly adapter: string;
  readonly source: SessionRow['source'];
  readonly sessions: ReadonlyMap<string, SessionRow>;
  readonly seqs: ReadonlyMap<string, number>;
}

/** What one item adds or changes; a session row is given whole each time it changes. */
export interface RowChange {
  readonly rows: TraceRows;
  readonly session?: SessionRow;
  readonly event?: EventRow;
  readonly result?: ResultRow;
  readonly announced?: SessionStart;
  readonly dropped?: TraceDrop;
  /** The class of a failed model call. */
  readonly modelError?: string;
}

export const emptyRows = (key: RunKey, adapter: string, source: SessionRow['source'] = 'stream'): TraceRows => ({
  key,
  adapter,
  source,
  sessions: new Map(),
  seqs: new Map(),
});

/** 32 hex digits that name the trace of a session. */
export const traceId = (adapter: string, sessionId: string, digest: Digest): string =>
  digest(`trace:${adapter}/${sessionId}`).slice(0, TRACE_ID_HEX);

export const applyItem = (rows: TraceRows, item: TraceItem, now: Instant, digest: Digest): RowChange => {
  if (item.type === 'dropped') return { rows, dropped: item.reason };
  if (item.type === 'session') return announce(rows, item.session, now, digest);
  const session = rows.sessions.get(item.session_id);
  if (session === undefined) return { rows, dropped: 'no_session' };
  switch (item.type) {
    case 'event':
      return addEvent(rows, session, item, now);
    case 'usage':
      return keep(rows, { ...session, ...item.usage, models: item.usage.models.map(cleanModel) });
    case 'result':
      return addResult(rows, session, item, now);
  }
};

/** Ties a session to where it stands. */
export const placeSession = (rows: TraceRows, sessionId: string, sample: GitSample): RowChange => {
  const session = rows.sessions.get(sessionId);
  return session === undefined ? { rows, dropped: 'no_session' } : keep(rows, placedSession(session, sample));
};

/** The session's row with its place; its first branch is the one it keeps. */
export const placedSession = (session: SessionRow, sample: GitSample): SessionRow => ({
  ...session,
  repo: sample.repo,
  worktree: sample.worktree,
  prefix: sample.prefix,
  ...(session.git_branch === undefined && sample.branch !== undefined ? { git_branch: sample.branch } : {}),
});

/** Gives a session that named no cwd the one it must have had. */
export const locateSession = (rows: TraceRows, sessionId: string, workdir: string): RowChange => {
  const session = rows.sessions.get(sessionId);
  return session === undefined || session.cwd !== undefined ? { rows } : keep(rows, { ...session, cwd: workdir });
};

/** Every session that is still open ends now. */
export const endSessions = (rows: TraceRows, now: Instant): readonly SessionRow[] =>
  [...rows.sessions.values()].map((session) => ({ ...session, ended_at: session.ended_at ?? formatInstant(now) }));

const announce = (rows: TraceRows, start: SessionStart, now: Instant, digest: Digest): RowChange => {
  if (rows.sessions.has(start.session_id)) return { rows };
  const id = cleanLine(start.session_id, NAME_BYTES);
  const session: SessionRow = {
    ...rows.key,
    session_id: id,
    adapter: rows.adapter,
    source: rows.source,
    ...(start.parent_session === undefined ? {} : { parent_session: cleanLine(start.parent_session, NAME_BYTES) }),
    started_at: formatInstant(start.at ?? now),
    ...(start.cwd === undefined || !isUsablePath(start.cwd) ? {} : { cwd: start.cwd }),
    models: [],
    tokens: NO_TOKENS,
    model_calls: 0,
    cost_source: 'unknown',
    trace_id: traceId(rows.adapter, id, digest),
    events_complete: true,
  };
  return { ...keep(rows, session), announced: start };
};

/** A cwd is kept as it is said, since paths are resolved against it; one that no process can stand in is not. */
const isUsablePath = (path: string): boolean => path.startsWith('/') && !path.includes('\u0000') && utf8Length(path) <= CWD_BYTES;

type EventItem = Extract<TraceItem, { readonly type: 'event' }>;
type ResultItem = Extract<TraceItem, { readonly type: 'result' }>;

const addEvent = (rows: TraceRows, session: SessionRow, { session_id, event }: EventItem, now: Instant): RowChange => {
  const seq = (rows.seqs.get(session_id) ?? 0) + 1;
  const modelError = event.kind === 'mark' && event.mark === 'error' ? { modelError: event.error_class ?? 'other' } : {};
  if (seq > EVENTS_PER_SESSION) return { ...keep(rows, { ...session, events_complete: false }), dropped: 'event_limit', ...modelError };
  const row: EventRow = {
    ...rows.key,
    session_id,
    seq,
    ...event,
    at: event.at ?? now,
    ...(event.tool === undefined ? {} : { tool: cleanLine(event.tool, NAME_BYTES) }),
    ...(event.model === undefined ? {} : { model: cleanLine(event.model, NAME_BYTES) }),
    ...(event.error_class === undefined ? {} : { error_class: cleanLine(event.error_class, NAME_BYTES) }),
    targets: event.targets.map((target) => ({ ...target, path: cleanLine(target.path, PATH_BYTES) })),
    summary: cleanLine(event.summary, SUMMARY_BYTES),
  };
  return { rows: { ...rows, seqs: new Map(rows.seqs).set(session_id, seq) }, event: row, ...modelError };
};

const cleanModel = ({ model, provider, ...counts }: ServedModel): ServedModel => ({
  ...counts,
  model: cleanLine(model, NAME_BYTES),
  ...(provider === undefined ? {} : { provider: cleanLine(provider, NAME_BYTES) }),
});

const addResult = (rows: TraceRows, session: SessionRow, { result }: ResultItem, now: Instant): RowChange => {
  const row: ResultRow = {
    ...rows.key,
    session_id: session.session_id,
    ...result,
    subtype: cleanLine(result.subtype, NAME_BYTES),
    ...(result.text === undefined ? {} : { text: cleanLines(result.text, RESULT_TEXT_BYTES) }),
  };
  return { ...keep(rows, { ...session, ended_at: formatInstant(now) }), result: row };
};

const keep = (rows: TraceRows, session: SessionRow): RowChange => ({
  rows: { ...rows, sessions: new Map(rows.sessions).set(session.session_id, session) },
  session,
});
