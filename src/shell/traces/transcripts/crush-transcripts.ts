// Follows the sessions of one run of crush in the database of its working directory. It has not been run against the real client:
// the database's shape is that of the client's published schema.
import type { RunWindow } from '../../../core/run/attribution.js';
import { CRUSH_START, type CrushRows, type CrushState, crushInstant, finishCrush, stepCrush } from '../../../core/trace/crush.js';
import { type CrushTotals, totalsOf } from '../../../core/trace/crush-usage.js';
import { nameAt, type Row } from '../../../core/trace/fields.js';
import type { CrushAnswer, CrushCursor } from '../../store/crush-database.js';
import type { Store } from '../../store/operations.js';
import type { TranscriptSink } from './file-transcripts.js';
import type { FleetWindows } from './fleet-windows.js';
import type { Judge, Verdict } from './session-judge.js';
import { crushDatabase } from './transcript-store.js';

const SECOND_MS = 1_000;

export interface CrushDeps {
  readonly windows: FleetWindows;
  readonly judge: Judge;
  readonly store: Store;
  readonly verify: readonly string[];
}

export class CrushTranscripts {
  private readonly window: RunWindow;
  private readonly deps: CrushDeps;
  private readonly sink: TranscriptSink;
  private readonly verdicts = new Map<string, Verdict>();
  private state: CrushState = CRUSH_START;
  private from: CrushCursor;
  private closed = false;

  constructor(window: RunWindow, deps: CrushDeps, sink: TranscriptSink) {
    this.window = window;
    this.deps = deps;
    this.sink = sink;
    // The database counts whole seconds.
    this.from = { at: Math.floor(window.started_at / SECOND_MS), rowid: 0 };
  }

  async look(): Promise<void> {
    const file = crushDatabase(this.window.workdir);
    for (let from = this.from; !this.closed; ) {
      const answer = await this.deps.store.read('readCrush', { file, from }).catch((): CrushAnswer => ({ kind: 'unreadable' }));
      if (answer.kind !== 'rows') {
        if (answer.kind === 'unreadable') this.deps.judge.unreadable(file);
        return;
      }
      await this.take(answer);
      from = answer.cursor;
      // Rows that change in the second that was read last are read again.
      this.from = { at: from.at, rowid: 0 };
      if (!answer.more) return;
    }
  }

  finish(): void {
    this.sink.take(finishCrush(this.state));
    this.closed = true;
  }

  stop(): void {
    this.closed = true;
  }

  private async take(rows: CrushRows): Promise<void> {
    for (const row of rows.sessions) await this.meet(row);
    if (this.closed) return;
    for (const row of rows.messages) this.confirm(row);
    const { window, deps } = this;
    const own = {
      sessions: rows.sessions.filter((row) => this.isOwn(nameAt(row, 'id'))),
      messages: rows.messages.filter((row) => this.isOwn(nameAt(row, 'session_id'))),
      files: rows.files.filter((row) => this.isOwn(nameAt(row, 'session_id'))),
    };
    const nameOf = (session: string): string => `${window.workdir}\n${session}`;
    const before = (session: string): CrushTotals | undefined => deps.windows.totals.get(nameOf(session));
    const step = stepCrush(this.state, own, { cwd: window.workdir, verifyExtras: deps.verify, started_at: window.started_at, before });
    this.state = step.state;
    this.sink.take(step.items);
    for (const row of own.sessions) deps.windows.totals.set(nameOf(nameAt(row, 'id') ?? ''), totalsOf(row));
  }

  /** The database's sessions name no directory: all of them were made where it stands. */
  private async meet(row: Row): Promise<void> {
    const session_id = nameAt(row, 'id');
    const at = crushInstant(row, 'created_at');
    if (session_id === undefined || at === undefined) return;
    const known = this.verdicts.get(session_id);
    if (known !== undefined && known !== 'wait') return;
    const parent = nameAt(row, 'parent_session_id');
    if (parent !== undefined) {
      const verdict = this.verdicts.get(parent);
      if (verdict !== undefined) this.verdicts.set(session_id, verdict);
      return;
    }
    this.verdicts.set(session_id, await this.deps.judge.judge({ session_id, cwd: this.window.workdir, at }));
  }

  private isOwn(session: string | undefined): boolean {
    return session !== undefined && this.verdicts.get(session) === 'ours';
  }

  /** A session of an earlier run is this one's from its first message on that is. */
  private confirm(row: Row): void {
    const session_id = nameAt(row, 'session_id') ?? '';
    const at = crushInstant(row, 'created_at') ?? 0;
    if (this.verdicts.get(session_id) !== 'went_on' || at + SECOND_MS <= this.window.started_at) return;
    const ours = this.deps.judge.wentOn({ session_id, cwd: this.window.workdir, at }, Math.max(at, this.window.started_at));
    this.verdicts.set(session_id, ours ? 'ours' : 'left');
  }
}
