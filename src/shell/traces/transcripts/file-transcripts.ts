// Follows the transcripts of one run of claude or codex: finds those that changed, asks whose they are, and reads the rows of its own.
// Rows from before the run are left out, and so are those of a file that is read a second time (SPEC-0022 REQ-8).
import { stat } from 'node:fs/promises';
import type { RunWindow } from '../../../core/run/attribution.js';
import type { Environment } from '../../../core/run/environment.js';
import type { TraceDrop, TraceItem } from '../../../core/run/trace-event.js';
import { usageTogether } from '../../../core/run/usage.js';
import { isRow, type Row } from '../../../core/trace/fields.js';
import { type FileFamily, rowName, rowTime, type TranscriptHead } from '../../../core/trace/transcript-head.js';
import type { StreamLine } from '../../supervise/line-stream.js';
import { readTranscript, type TranscriptReading } from '../readers.js';
import { type HeadAnswer, readHead } from './read-head.js';
import type { Judge } from './session-judge.js';
import { newPiece, TranscriptFile } from './transcript-file.js';
import { agentsOf, transcriptsOf } from './transcript-store.js';

/** What a run's trace is told. */
export interface TranscriptSink {
  readonly take: (items: readonly TraceItem[]) => void;
  readonly dropped: (reason: TraceDrop) => void;
}

export interface FollowedRun {
  readonly family: FileFamily;
  readonly env: Environment;
  readonly window: RunWindow;
  readonly verify: readonly string[];
  readonly now: () => number;
}

/** Clocks of files are coarse. */
const FILE_TIME_TOLERANCE_MS = 2_000;
/** Files that were last written before the run are looked at again every so many times: a session may go on. */
const OLD_FILES_EVERY = 8;

/** A session of the run with its sub-agents. */
interface Kin {
  readonly root: string;
  readonly followed: Followed[];
}

interface Followed {
  readonly file: TranscriptFile;
  readonly head: TranscriptHead;
  readonly reading: TranscriptReading;
  readonly kin: Kin;
  /** Of a session that an earlier run began, no row of this one has been seen yet. */
  unconfirmed: boolean;
  /** The time of the last row, which stands for rows that name none. */
  last: number;
  /** Rows of that very moment, by name. */
  names: Set<string>;
  /** Rows up to there were read before. */
  until?: number;
  until_names: ReadonlySet<string>;
}

type Known = { readonly kind: 'left' } | { readonly kind: 'waiting' } | { readonly kind: 'followed'; readonly followed: Followed };

export class FileTranscripts {
  private readonly run: FollowedRun;
  private readonly judge: Judge;
  private readonly sink: TranscriptSink;
  private readonly known = new Map<string, Known>();
  private readonly seen = new Map<string, string>();
  private readonly kins = new Map<string, Kin>();
  private readonly piece = newPiece();
  private looks = 0;
  private closed = false;

  constructor(run: FollowedRun, judge: Judge, sink: TranscriptSink) {
    this.run = run;
    this.judge = judge;
    this.sink = sink;
  }

  /** Reads what is new; `all` leaves no file out for having been old before. */
  async look(all: boolean): Promise<void> {
    const { family, env, window } = this.run;
    const thorough = all || this.looks % OLD_FILES_EVERY === 0;
    this.looks += 1;
    const families = this.kins.size;
    for (const path of await transcriptsOf(family, env, window.workdir)) await this.visit(path, thorough);
    // A sub-agent's may be listed before that of the session it belongs to.
    if (this.kins.size > families) for (const [path, known] of [...this.known]) if (known.kind === 'waiting') await this.visit(path, true);
    // Rollouts of days that are no longer listed may still grow, and agents come after the session they belong to.
    for (const [path, known] of [...this.known]) {
      if (known.kind !== 'followed') continue;
      await this.visit(path, true);
      if (family === 'claude-code' && known.followed.head.parent_session === undefined)
        for (const agent of await agentsOf(path)) await this.visit(agent, thorough);
    }
  }

  /** Says what was open; no row is taken after that. */
  finish(): void {
    for (const known of this.known.values())
      if (known.kind === 'followed') for (const line of known.followed.file.rest()) this.line(known.followed, line);
    for (const kin of new Set(this.kins.values())) {
      for (const reading of readingsOf(kin)) this.sink.take(reading.finish(this.run.now()));
      this.tellUsage(kin);
    }
    this.closed = true;
  }

  stop(): void {
    this.closed = true;
  }

  private async visit(path: string, thorough: boolean): Promise<void> {
    const known = this.known.get(path);
    if (this.closed || known?.kind === 'left') return;
    // An old file is not asked about each time.
    if (this.seen.get(path) === OLD && !thorough) return;
    const found = await stat(path, { bigint: true }).catch((error: unknown) => error as NodeJS.ErrnoException);
    if (found instanceof Error) {
      if (found.code !== 'ENOENT') this.leave(path);
      else if (known?.kind === 'followed' && this.seen.get(path) !== GONE) this.judge.unreadable(path);
      this.seen.set(path, GONE);
      return;
    }
    if (!found.isFile()) return this.leave(path);
    const isOld = known === undefined && Number(found.mtimeMs) < this.run.window.started_at - FILE_TIME_TOLERANCE_MS;
    const state = isOld ? OLD : `${found.ino} ${found.size} ${found.mtimeNs}`;
    if (isOld || (this.seen.get(path) === state && (known?.kind === 'followed' || !thorough))) {
      this.seen.set(path, state);
      return;
    }
    this.seen.set(path, state);
    const followed = known?.kind === 'followed' ? known.followed : await this.meet(path);
    if (followed !== undefined) await this.read(path, followed);
  }

  /** The first look into a file, until it is known whose it is. */
  private async meet(path: string): Promise<Followed | undefined> {
    const head = await readHead(path, this.run.family, this.piece);
    if (head.kind === 'unreadable') {
      this.leave(path);
      return undefined;
    }
    if (head.kind !== 'head') return this.wait(path);
    const { parent_session: parent } = head.head;
    const kin = parent === undefined ? undefined : this.kins.get(parent);
    if (parent !== undefined) return kin === undefined ? this.wait(path) : this.follow(path, head, kin, false);
    const verdict = await this.judge.judge(head.head);
    if (verdict === 'wait') return this.wait(path);
    if (verdict === 'left') {
      this.known.set(path, { kind: 'left' });
      return undefined;
    }
    return this.follow(path, head, { root: head.head.session_id, followed: [] }, verdict === 'went_on');
  }

  private follow(path: string, { head, rows }: HeadAnswer & { readonly kind: 'head' }, kin: Kin, unconfirmed: boolean): Followed {
    const { family: client, verify } = this.run;
    // A sub-agent of claude's shares its session's reading: they call each other by their ids, and are paid together.
    const shared = client === 'claude-code' ? kin.followed[0]?.reading : undefined;
    const reading = shared ?? readTranscript(client, verify);
    const file = new TranscriptFile(path, this.piece);
    const followed = { file, head, reading, kin, unconfirmed, last: head.at, names: new Set<string>(), until_names: new Set<string>() };
    for (const row of rows) reading.skip(row);
    kin.followed.push(followed);
    this.kins.set(head.session_id, kin);
    this.known.set(path, { kind: 'followed', followed });
    return followed;
  }

  private async read(path: string, followed: Followed): Promise<void> {
    const { started_at } = this.run.window;
    let rows = 0;
    const answer = await followed.file.read(
      {
        line: (line) => {
          rows += 1;
          this.line(followed, line);
        },
        again: () => readAgain(followed),
        stopped: () => this.closed || this.known.get(path)?.kind === 'left',
      },
      { at: Math.max(started_at, followed.until ?? 0), row: (line) => timeOf(parse(line)) },
    );
    if (answer === 'unreadable') this.judge.unreadable(path);
    if (rows > 0) this.tellUsage(followed.kin);
  }

  private line(followed: Followed, line: StreamLine): void {
    if (this.closed) return;
    const text = line.kind === 'too_long' ? '' : line.bytes.toString('utf8');
    const row = parse(text);
    if (line.kind === 'too_long') this.sink.dropped('line_too_long');
    else if (row !== undefined) this.row(followed, row);
    else if (text.trim() !== '') this.sink.dropped('not_json');
  }

  private row(followed: Followed, row: Row): void {
    const own = rowTime(row);
    const at = own ?? followed.last;
    const { started_at } = this.run.window;
    if (own !== undefined) rememberRow(followed, own, row);
    if (at < started_at) {
      followed.reading.skip(row);
      this.sink.dropped('before_run');
    } else if (wasRead(followed, at, row)) this.sink.dropped('read_before');
    else if (!followed.unconfirmed || this.confirm(followed, at)) this.sink.take(followed.reading.step(row, this.run.now()));
  }

  /** The first row of this run in a session of an earlier one. */
  private confirm(followed: Followed, at: number): boolean {
    followed.unconfirmed = !this.judge.wentOn(followed.head, at);
    if (followed.unconfirmed) this.known.set(followed.file.path, { kind: 'left' });
    return !followed.unconfirmed;
  }

  /** The totals so far, those of sub-agents that have a reading of their own included. */
  private tellUsage(kin: Kin): void {
    const usages = readingsOf(kin).flatMap((reading) => reading.usage(this.run.now()) ?? []);
    if (usages.length > 0) this.sink.take([{ type: 'usage', session_id: kin.root, usage: usageTogether(usages) }]);
  }

  private wait(path: string): undefined {
    this.known.set(path, { kind: 'waiting' });
    return undefined;
  }

  private leave(path: string): void {
    this.known.set(path, { kind: 'left' });
    this.judge.unreadable(path);
  }
}

const OLD = 'old';
const GONE = 'gone';

const readingsOf = ({ followed }: Kin): readonly TranscriptReading[] => [...new Set(followed.map(({ reading }) => reading))];

const rememberRow = (followed: Followed, at: number, row: Row): void => {
  if (at !== followed.last) followed.names = new Set();
  followed.last = at;
  const name = rowName(row);
  if (name !== undefined) followed.names.add(name);
};

/** The file's rows come again, up to where reading had come. */
const readAgain = (followed: Followed): void => {
  if (followed.last >= (followed.until ?? 0)) {
    followed.until = followed.last;
    followed.until_names = followed.names;
  }
  followed.last = followed.head.at;
  followed.names = new Set();
};

const wasRead = ({ until, until_names }: Followed, at: number, row: Row): boolean =>
  until !== undefined && (at < until || (at === until && until_names.has(rowName(row) ?? '')));

const parse = (text: string): Row | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isRow(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const timeOf = (row: Row | undefined): number | undefined => (row === undefined ? undefined : rowTime(row));
