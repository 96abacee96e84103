// Records the trace of one run from its client's stream: reads each line, redacts it into the stream file, turns it into
// rows, asks git where each announced session stands, and hands the rows to the store in batches.

import type { RunKey } from '../../core/run/record.js';
import type { GitSample, SessionRow } from '../../core/run/session.js';
import type { TraceDrop, TraceItem } from '../../core/run/trace-event.js';
import { applyItem, emptyRows, endSessions, placeSession, type RowChange, type TraceRows } from '../../core/run/trace-rows.js';
import { redactJson } from '../../core/untrusted/redact-json.js';
import { LINE_START, type LineState, redactLine } from '../../core/untrusted/redact-lines.js';
import type { World } from '../daemon/world.js';
import type { Store } from '../store/operations.js';
import type { TraceBatch } from '../store/trace-table.js';
import { LINE_LIMIT_BYTES, type StreamLine } from '../supervise/line-stream.js';
import type { RunFile } from '../supervise/run-log.js';
import type { Reading } from './readers.js';

const BATCH_ROWS = 200;

export interface TraceSource {
  readonly key: RunKey;
  readonly adapter: string;
  readonly reading: Reading;
  /** Where the child really runs; the cwd of a session whose stream names none. */
  readonly workdir: string;
  /** Rows are stored only when the harness records traces; the ledger's fields are filled either way. */
  readonly stored: boolean;
  readonly stream: RunFile;
  /** The run's log: people read there what the stream says to machines. */
  readonly log: RunFile;
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
  /** Reads no more, fills in `model` where the stream named none, and waits until every row is stored or refused. */
  readonly finish: (modelOf: (session: SessionRow) => Promise<string | undefined>) => Promise<TraceSummary>;
}

type Sampler = (cwd: string) => Promise<GitSample | undefined>;

export const recordTrace = (source: TraceSource, sampler: Sampler, store: Store, world: World): TraceRecorder => {
  let rows: TraceRows = emptyRows(source.key, source.adapter);
  let plain: LineState = LINE_START;
  let turns: number | undefined;
  let batch = emptyBatch();
  const errors: Record<string, number> = {};
  const drops: Partial<Record<TraceDrop, number>> = {};
  const samples: Promise<void>[] = [];
  const notes: string[] = [];

  const drop = (reason: TraceDrop): void => {
    drops[reason] = (drops[reason] ?? 0) + 1;
  };

  const absorb = (change: RowChange): void => {
    rows = change.rows;
    if (change.session !== undefined) batch.sessions.set(change.session.session_id, change.session);
    if (change.event !== undefined) {
      batch.events.push(change.event);
      notes.push(change.event.summary);
    }
    if (change.result !== undefined) {
      batch.results.push(change.result);
      if (change.result.text !== undefined) notes.push(change.result.text);
      turns = change.result.turns ?? turns;
    }
    if (change.dropped !== undefined) drop(change.dropped);
    if (change.modelError !== undefined) errors[change.modelError] = (errors[change.modelError] ?? 0) + 1;
    if (change.announced !== undefined) samples.push(place(change.announced.session_id, change.announced.cwd ?? source.workdir));
  };

  const place = async (sessionId: string, cwd: string): Promise<void> => {
    const session = rows.sessions.get(sessionId);
    if (session !== undefined && session.cwd === undefined)
      absorb({ rows: { ...rows, sessions: new Map(rows.sessions).set(sessionId, { ...session, cwd }) }, session: { ...session, cwd } });
    const sample = await sampler(cwd);
    if (sample === undefined) return;
    absorb(placeSession(rows, sessionId, sample));
    batch.samples.push({ ...source.key, session_id: sessionId, sample });
  };

  const absorbAll = (items: readonly TraceItem[]): void => {
    for (const item of items) absorb(applyItem(rows, item, world.now(), world.digest));
  };

  const flush = async (): Promise<void> => {
    const full = batch;
    batch = emptyBatch();
    if (!source.stored || sizeOf(full) === 0) return;
    await store.write('writeTrace', { ...full, sessions: [...full.sessions.values()] }).catch((error: unknown) => {
      world.log.warn({ event: 'trace_write_failed', harness: source.key.harness, run: source.key.run_id, error: String(error) });
    });
  };

  const writeNotes = (): Promise<void> => {
    const lines = notes.splice(0);
    return lines.length === 0 ? Promise.resolve() : source.log.write(`${lines.join('\n')}\n`);
  };

  const keepLine = async (text: string, value: unknown): Promise<void> => {
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
    if (value === undefined) {
      if (text.trim() !== '') drop('not_json');
      return;
    }
    absorbAll(source.reading.step(value, world.now()));
    await writeNotes();
    if (sizeOf(batch) >= BATCH_ROWS) await flush();
  };

  const finish: TraceRecorder['finish'] = async (modelOf) => {
    absorbAll(source.reading.finish(world.now()));
    await Promise.all(samples);
    for (const session of endSessions(rows, world.now())) {
      const ended = session.models.length > 0 ? session : { ...session, ...(await servedBy(session, modelOf)) };
      absorb({ rows: { ...rows, sessions: new Map(rows.sessions).set(ended.session_id, ended) }, session: ended });
      const last = ended.parent_session === undefined && ended.cwd !== undefined ? await sampler(ended.cwd) : undefined;
      if (last !== undefined) batch.samples.push({ ...source.key, session_id: ended.session_id, sample: last });
    }
    await writeNotes();
    await flush();
    await source.stream.close();
    for (const [reason, count] of Object.entries(drops))
      world.log.warn({ event: 'trace_dropped', harness: source.key.harness, run: source.key.run_id, reason, count });
    return { sessions: [...rows.sessions.values()], errors, drops, ...(turns === undefined ? {} : { turns }) };
  };

  return { line, finish, soFar: () => ({ sessions: [...rows.sessions.values()], errors }) };
};

const servedBy = async (
  session: SessionRow,
  modelOf: (session: SessionRow) => Promise<string | undefined>,
): Promise<Pick<SessionRow, 'models'>> => {
  const model = await modelOf(session);
  return { models: model === undefined ? [] : [{ model, output_tokens: session.tokens.output }] };
};

interface OpenBatch extends Omit<TraceBatch, 'sessions'> {
  readonly sessions: Map<string, SessionRow>;
  readonly events: TraceBatch['events'][number][];
  readonly results: TraceBatch['results'][number][];
  readonly samples: TraceBatch['samples'][number][];
}

const emptyBatch = (): OpenBatch => ({ sessions: new Map(), events: [], results: [], samples: [] });

const sizeOf = (batch: OpenBatch): number => batch.sessions.size + batch.events.length + batch.results.length + batch.samples.length;

const parseObject = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};

const marker = (bytes: number): string => JSON.stringify({ harness: 'line_dropped', stream: 'stdout', bytes, limit: LINE_LIMIT_BYTES });
