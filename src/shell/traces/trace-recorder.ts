// Records the trace of one run from its client's stream: reads each line, redacts it into the stream file, turns it into
// rows, and asks git where each announced session stands.
import type { RunKey } from '../../core/run/record.js';
import type { SessionRow } from '../../core/run/session.js';
import type { TraceDrop, TraceItem } from '../../core/run/trace-event.js';
import {
  applyItem,
  emptyRows,
  endSessions,
  locateSession,
  placeSession,
  type RowChange,
  type TraceRows,
} from '../../core/run/trace-rows.js';
import { redactJson } from '../../core/untrusted/redact-json.js';
import { LINE_START, type LineState, redactLine } from '../../core/untrusted/redact-lines.js';
import type { World } from '../daemon/world.js';
import type { GitPlace } from '../git/git.js';
import { LINE_LIMIT_BYTES, type StreamLine } from '../supervise/line-stream.js';
import type { RunFile } from '../supervise/run-log.js';
import type { Reading } from './readers.js';
import type { TraceStore } from './trace-store.js';

export interface TraceSource {
  readonly key: RunKey;
  readonly adapter: string;
  readonly reading: Reading;
  /** Where the child really runs, symlinks resolved; the cwd of a session whose stream names none. */
  readonly workdir: string;
  readonly stream: RunFile;
  /** The run's log: people read there what the stream says to machines. */
  readonly log: RunFile;
  /** Absent for a harness that records no trace: the ledger's fields are filled all the same. */
  readonly rows?: TraceStore;
}

/** What the run's closed line needs of its trace. */
export interface TraceSummary {
  readonly sessions: readonly SessionRow[];
  readonly errors: Readonly<Record<string, number>>;
  readonly drops: Readonly<Partial<Record<TraceDrop, number>>>;
  readonly turns?: number;
}

export interface TraceRecorder {
  readonly line: (line: StreamLine) => Promise<void>;
  /** What is known so far, for the ledger's checkpoints. */
  readonly soFar: () => Pick<TraceSummary, 'sessions' | 'errors'>;
  /** Reads no more and fills in the model where the stream named none. */
  readonly finish: (modelOf: (session: SessionRow) => Promise<string | undefined>) => Promise<TraceSummary>;
}

type Sampler = (cwd: string) => Promise<GitPlace>;

export const recordTrace = (source: TraceSource, sampler: Sampler, world: World): TraceRecorder => {
  let rows: TraceRows = emptyRows(source.key, source.adapter);
  let plain: LineState = LINE_START;
  let turns: number | undefined;
  const errors: Record<string, number> = {};
  const drops: Partial<Record<TraceDrop, number>> = {};
  const samples: Promise<void>[] = [];
  const asked = new Map<string, Promise<GitPlace>>();
  const notes: string[] = [];

  const drop = (reason: TraceDrop): void => {
    drops[reason] = (drops[reason] ?? 0) + 1;
  };

  const absorb = (change: RowChange): void => {
    rows = change.rows;
    if (change.session !== undefined) source.rows?.session(change.session);
    if (change.event !== undefined) {
      source.rows?.event(change.event);
      notes.push(change.event.summary);
    }
    if (change.result !== undefined) {
      source.rows?.result(change.result);
      if (change.result.text !== undefined) notes.push(change.result.text);
      turns = change.result.turns ?? turns;
    }
    if (change.dropped !== undefined) drop(change.dropped);
    if (change.modelError !== undefined) errors[change.modelError] = (errors[change.modelError] ?? 0) + 1;
    if (change.announced !== undefined) samples.push(place(change.announced.session_id));
  };

  /** Sessions announced together in one directory share an answer: a client may announce hundreds. */
  const sampleOnce = (cwd: string): Promise<GitPlace> => {
    const pending = asked.get(cwd);
    if (pending !== undefined) return pending;
    const asking = sampler(cwd).finally(() => asked.delete(cwd));
    asked.set(cwd, asking);
    return asking;
  };

  /** A first sample that failed is made good by the one at the session's end. */
  const place = async (sessionId: string): Promise<void> => {
    absorb(locateSession(rows, sessionId, source.workdir));
    const cwd = rows.sessions.get(sessionId)?.cwd ?? source.workdir;
    const found = await sampleOnce(cwd);
    if (found.kind === 'unknown')
      world.log.warn({ event: 'git_failed', harness: source.key.harness, run: source.key.run_id, error: found.why });
    if (found.kind !== 'inside') return;
    absorb(placeSession(rows, sessionId, found.sample));
    source.rows?.sample(sessionId, found.sample);
  };

  const absorbAll = (items: readonly TraceItem[]): void => {
    for (const item of items) absorb(applyItem(rows, item, world.now(), world.digest));
  };

  const writeNotes = (): Promise<void> => {
    const lines = notes.splice(0);
    return lines.length === 0 ? Promise.resolve() : source.log.write(`${lines.join('\n')}\n`);
  };

  const keepLine = (text: string, value: object | undefined): Promise<void> => {
    if (value !== undefined) return source.stream.write(`${JSON.stringify(redactJson(value))}\n`);
    const step = redactLine(plain, text);
    plain = step.state;
    return source.stream.write(`${step.line}\n`);
  };

  const line = async (entry: StreamLine): Promise<void> => {
    if (entry.kind === 'too_long') {
      drop('line_too_long');
      return source.stream.write(`${marker(entry.length)}\n`);
    }
    const text = entry.bytes.toString('utf8');
    const value = parseObject(text);
    await keepLine(text, value);
    if (value !== undefined) absorbAll(source.reading.step(value, world.now()));
    else if (text.trim() !== '') drop('not_json');
    await writeNotes();
  };

  const finishSession = async (session: SessionRow, modelOf: (session: SessionRow) => Promise<string | undefined>): Promise<void> => {
    const model = session.models.length > 0 ? undefined : await modelOf(session);
    const served = model === undefined ? session : { ...session, models: [{ model, output_tokens: session.tokens.output }] };
    absorb({ rows: { ...rows, sessions: new Map(rows.sessions).set(served.session_id, served) }, session: served });
    if (served.parent_session === undefined || served.repo === undefined) await place(served.session_id);
  };

  const finish: TraceRecorder['finish'] = async (modelOf) => {
    absorbAll(source.reading.finish(world.now()));
    await Promise.all(samples);
    await Promise.all(endSessions(rows, world.now()).map((session) => finishSession(session, modelOf)));
    await writeNotes();
    await source.stream.close();
    for (const [reason, count] of Object.entries(drops))
      world.log.warn({ event: 'trace_dropped', harness: source.key.harness, run: source.key.run_id, reason, count });
    return { sessions: [...rows.sessions.values()], errors, drops, ...(turns === undefined ? {} : { turns }) };
  };

  return { line, finish, soFar: () => ({ sessions: [...rows.sessions.values()], errors }) };
};

const parseObject = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};

const marker = (bytes: number): string => JSON.stringify({ harness: 'line_dropped', stream: 'stdout', bytes, limit: LINE_LIMIT_BYTES });
