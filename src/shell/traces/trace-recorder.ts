// Records the trace of one run: of a client that streams, reads each line and redacts it into the stream file; turns what a stream
// or a transcript says into rows, and asks git where each announced session stands.
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
import { type Reading, SILENT } from './readers.js';
import type { TraceStore } from './trace-store.js';

export interface TraceSource {
  readonly key: RunKey;
  readonly adapter: string;
  readonly source: SessionRow['source'];
  /** Where the child really runs, symlinks resolved; the cwd of a session whose stream names none. */
  readonly workdir: string;
  /** Of a client that streams. */
  readonly streaming?: Streaming;
  /** Told of each session, sub-agents' included, when it is announced. */
  readonly onSession?: (sessionId: string) => void;
  /** Absent for a harness that records no trace: the ledger's fields are filled all the same. */
  readonly rows?: TraceStore;
}

export interface Streaming {
  readonly reading: Reading;
  readonly file: RunFile;
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
  /** The client was started again within the run: its stream begins anew. */
  readonly again: (reading: Reading) => void;
  /** What somebody else read, of a transcript. */
  readonly take: (items: readonly TraceItem[]) => void;
  readonly dropped: (reason: TraceDrop) => void;
  /** Something was left unread: no session's row may say that it is complete. */
  readonly cutShort: () => void;
  /** What is known so far, for the ledger's checkpoints. */
  readonly soFar: () => Pick<TraceSummary, 'sessions' | 'errors'>;
  /** Reads no more and fills in the model where the stream named none. */
  readonly finish: (modelOf: (session: SessionRow) => Promise<string | undefined>) => Promise<TraceSummary>;
}

type Sampler = (cwd: string) => Promise<GitPlace>;

export const recordTrace = (source: TraceSource, sampler: Sampler, world: World): TraceRecorder => new Recording(source, sampler, world);

/** Its functions are bound, so each may be handed on by itself. */
class Recording implements TraceRecorder {
  private readonly source: TraceSource;
  private readonly sampler: Sampler;
  private readonly world: World;
  private rows: TraceRows;
  private reading: Reading;
  private partial = false;
  private plain: LineState = LINE_START;
  private turns: number | undefined;
  private readonly errors: Record<string, number> = {};
  private readonly drops: Partial<Record<TraceDrop, number>> = {};
  private readonly samples: Promise<void>[] = [];
  private readonly asked = new Map<string, Promise<GitPlace>>();
  private readonly notes: string[] = [];

  constructor(source: TraceSource, sampler: Sampler, world: World) {
    this.source = source;
    this.sampler = sampler;
    this.world = world;
    this.reading = source.streaming?.reading ?? SILENT;
    this.rows = emptyRows(source.key, source.adapter, source.source);
  }

  readonly line: TraceRecorder['line'] = async (entry) => {
    if (entry.kind === 'too_long') {
      this.dropped('line_too_long');
      return this.source.streaming?.file.write(`${marker(entry.length)}\n`);
    }
    const text = entry.bytes.toString('utf8');
    const value = parseObject(text);
    await this.keepLine(text, value);
    if (value !== undefined) this.absorbAll(this.reading.step(value, this.world.now()));
    else if (text.trim() !== '') this.dropped('not_json');
    await this.writeNotes();
  };

  readonly again: TraceRecorder['again'] = (reading) => {
    this.absorbAll(this.reading.finish(this.world.now()));
    this.reading = reading;
  };

  readonly take: TraceRecorder['take'] = (items) => this.absorbAll(items);

  readonly dropped: TraceRecorder['dropped'] = (reason) => {
    this.drops[reason] = (this.drops[reason] ?? 0) + 1;
  };

  readonly cutShort: TraceRecorder['cutShort'] = () => {
    this.partial = true;
  };

  readonly soFar: TraceRecorder['soFar'] = () => ({ sessions: [...this.rows.sessions.values()], errors: this.errors });

  readonly finish: TraceRecorder['finish'] = async (modelOf) => {
    this.absorbAll(this.reading.finish(this.world.now()));
    await Promise.all(this.samples);
    const ended = endSessions(this.rows, this.world.now());
    const told = this.partial ? ended.map((session) => ({ ...session, events_complete: false })) : ended;
    await Promise.all(told.map((session) => this.finishSession(session, modelOf)));
    await this.writeNotes();
    await this.source.streaming?.file.close();
    for (const [reason, count] of Object.entries(this.drops))
      this.world.log.warn({ event: 'trace_dropped', harness: this.source.key.harness, run: this.source.key.run_id, reason, count });
    const { turns } = this;
    return { ...this.soFar(), drops: this.drops, ...(turns === undefined ? {} : { turns }) };
  };

  private absorb(change: RowChange): void {
    this.rows = change.rows;
    if (change.session !== undefined) this.source.rows?.session(change.session);
    if (change.event !== undefined) {
      this.source.rows?.event(change.event);
      this.note(change.event.summary);
    }
    if (change.result !== undefined) {
      this.source.rows?.result(change.result);
      if (change.result.text !== undefined) this.note(change.result.text);
      this.turns = change.result.turns ?? this.turns;
    }
    if (change.dropped !== undefined) this.dropped(change.dropped);
    if (change.modelError !== undefined) this.errors[change.modelError] = (this.errors[change.modelError] ?? 0) + 1;
    if (change.announced !== undefined) this.announced(change.announced.session_id);
  }

  private announced(sessionId: string): void {
    this.source.onSession?.(sessionId);
    this.samples.push(this.place(sessionId));
  }

  /** Sessions announced together in one directory share an answer: a client may announce hundreds. */
  private sampleOnce(cwd: string): Promise<GitPlace> {
    const pending = this.asked.get(cwd);
    if (pending !== undefined) return pending;
    const asking = this.sampler(cwd).finally(() => this.asked.delete(cwd));
    this.asked.set(cwd, asking);
    return asking;
  }

  /** A first sample that failed is made good by the one at the session's end. */
  private async place(sessionId: string): Promise<void> {
    this.absorb(locateSession(this.rows, sessionId, this.source.workdir));
    const cwd = this.rows.sessions.get(sessionId)?.cwd ?? this.source.workdir;
    const found = await this.sampleOnce(cwd);
    if (found.kind === 'unknown')
      this.world.log.warn({ event: 'git_failed', harness: this.source.key.harness, run: this.source.key.run_id, error: found.why });
    if (found.kind !== 'inside') return;
    this.absorb(placeSession(this.rows, sessionId, found.sample));
    this.source.rows?.sample(sessionId, found.sample);
  }

  private absorbAll(items: readonly TraceItem[]): void {
    for (const item of items) this.absorb(applyItem(this.rows, item, this.world.now(), this.world.digest));
  }

  private note(text: string): void {
    if (this.source.streaming !== undefined) this.notes.push(text);
  }

  private writeNotes(): Promise<void> {
    const lines = this.notes.splice(0);
    return lines.length === 0 ? Promise.resolve() : (this.source.streaming?.log.write(`${lines.join('\n')}\n`) ?? Promise.resolve());
  }

  private async keepLine(text: string, value: object | undefined): Promise<void> {
    const file = this.source.streaming?.file;
    if (value !== undefined) return file?.write(`${JSON.stringify(redactJson(value))}\n`);
    const step = redactLine(this.plain, text);
    this.plain = step.state;
    return file?.write(`${step.line}\n`);
  }

  private async finishSession(session: SessionRow, modelOf: (session: SessionRow) => Promise<string | undefined>): Promise<void> {
    const model = session.models.length > 0 ? undefined : await modelOf(session);
    const served = model === undefined ? session : { ...session, models: [{ model, output_tokens: session.tokens.output }] };
    this.absorb({ rows: { ...this.rows, sessions: new Map(this.rows.sessions).set(served.session_id, served) }, session: served });
    if (served.parent_session === undefined || served.repo === undefined) await this.place(served.session_id);
  }
}

const parseObject = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};

const marker = (bytes: number): string => JSON.stringify({ harness: 'line_dropped', stream: 'stdout', bytes, limit: LINE_LIMIT_BYTES });
