// The one writer of the run ledger. It numbers lines when they are queued, commits them in that order, bounds how long a caller
// waits, keeps what could not be written, and publishes a run's fold only after its line is stored (SPEC-0022 REQ-6, REQ-10).
import * as E from 'fp-ts/lib/Either.js';
import { formatInstant } from '../../core/kernel/time.js';
import { boundLine, encodeLine } from '../../core/run/ledger-line.js';
import type { LedgerLine, LineType, RunContext, RunFields, RunKey, RunRecord } from '../../core/run/record.js';
import { appendBackoff, SYNC_BOUND } from '../../core/run/retry.js';
import type { World } from '../daemon/world.js';
import type { LedgerState, StoredLine } from '../store/ledger-table.js';
import type { Store } from '../store/operations.js';

/** `late` lines are queued and will be written in order; the caller goes on without them. */
export type Durability = 'stored' | 'late' | 'refused';

export interface FeedItem {
  readonly seq: number;
  readonly type: LineType;
  readonly open: boolean;
  readonly record: RunRecord;
}

export interface Journal {
  /** The next id of a harness; never given again. */
  readonly allocateRunId: (harness: string) => number;
  readonly append: (type: LineType, key: RunKey, fields: RunFields, context?: RunContext) => Promise<Durability>;
  /** Told of every stored opened, closed and decided line, in order. */
  readonly subscribe: (listener: (item: FeedItem) => void) => () => void;
  /** The last write failed and no later one has succeeded. */
  readonly failing: () => boolean;
  readonly health: () => { readonly queued: number; readonly errors: number; readonly cut: number };
  /** Waits until the queue is empty or the bound has passed. */
  readonly drain: (boundMs: number) => Promise<void>;
}

interface Queued {
  readonly stored: StoredLine;
  readonly settle: (durability: Durability) => void;
}

/** Starts from what the store holds; `floors` are the highest run ids that files on disk still carry. */
export const openJournal = (store: Store, state: LedgerState, floors: Readonly<Record<string, number>>, world: World): Journal =>
  new QueuedJournal(store, state, floors, world);

/** Its functions are bound, so each may be handed on by itself. */
class QueuedJournal implements Journal {
  private readonly store: Store;
  private readonly state: LedgerState;
  private readonly floors: Readonly<Record<string, number>>;
  private readonly world: World;
  private seq: number;
  private errors = 0;
  private cut = 0;
  private attempt = 0;
  private writing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly runIds = new Map<string, number>();
  private readonly queue: Queued[] = [];
  private readonly listeners = new Set<(item: FeedItem) => void>();

  constructor(store: Store, state: LedgerState, floors: Readonly<Record<string, number>>, world: World) {
    this.store = store;
    this.state = state;
    this.floors = floors;
    this.world = world;
    this.seq = state.lastSeq;
  }

  readonly append: Journal['append'] = (type, key, fields, context) => {
    const at = formatInstant(this.world.now());
    const { line, cut } = boundLine({ v: 1, seq: this.seq + 1, type, at, ...key, ...fields } as LedgerLine);
    const text = encodeLine(line);
    if (E.isLeft(text)) {
      this.countError(key, this.seq + 1, text.left.code);
      return Promise.resolve('refused');
    }
    this.seq += 1;
    this.cut += cut;
    return this.enqueue({ line, text: text.right, ...(context === undefined ? {} : { context }) });
  };

  readonly allocateRunId: Journal['allocateRunId'] = (harness) => {
    const last = this.runIds.get(harness) ?? Math.max(idOf(this.state.lastRunIds, harness), idOf(this.floors, harness));
    this.runIds.set(harness, last + 1);
    return last + 1;
  };

  readonly subscribe: Journal['subscribe'] = (listener) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly failing: Journal['failing'] = () => this.attempt > 0;

  readonly health: Journal['health'] = () => ({ queued: this.queue.length, errors: this.errors, cut: this.cut });

  readonly drain: Journal['drain'] = async (boundMs) => {
    const until = this.world.now() + boundMs;
    while (this.queue.length > 0 && this.world.now() < until) {
      if (this.timer !== undefined) clearTimeout(this.timer);
      this.pump();
      await Promise.race([this.writing, new Promise((resolve) => setTimeout(resolve, 50))]);
    }
  };

  private enqueue(stored: StoredLine): Promise<Durability> {
    const failing = this.timer !== undefined;
    return new Promise((resolve) => {
      const bound = setTimeout(() => resolve('late'), SYNC_BOUND);
      const settle = (durability: Durability): void => {
        clearTimeout(bound);
        resolve(durability);
      };
      this.queue.push({ stored, settle });
      // While the head of the queue keeps failing, a caller is told at once instead of waiting out the bound.
      if (failing) settle('late');
      else this.pump();
    });
  }

  private pump(): void {
    this.timer = undefined;
    if (this.writing !== undefined || this.queue.length === 0) return;
    this.writing = this.writeBatch().finally(() => {
      this.writing = undefined;
      if (this.timer === undefined) this.pump();
    });
  }

  private async writeBatch(): Promise<void> {
    const entries = [...this.queue];
    try {
      const rows = await this.store.write(
        'appendLines',
        entries.map((entry) => entry.stored),
      );
      this.queue.splice(0, entries.length);
      if (this.attempt > 0) this.world.log.info({ event: 'ledger_recovered', lines: entries.length });
      this.attempt = 0;
      this.publish(entries, rows);
    } catch (error) {
      this.fail(entries, error);
    }
  }

  private publish(entries: readonly Queued[], rows: readonly Omit<FeedItem, 'type'>[]): void {
    entries.forEach((entry, index) => {
      const row = rows[index];
      entry.settle('stored');
      if (row === undefined || entry.stored.line.type === 'updated') return;
      const item: FeedItem = { seq: entry.stored.line.seq, type: entry.stored.line.type, open: row.open, record: row.record };
      for (const listener of this.listeners) listener(item);
    });
  }

  private fail(entries: readonly Queued[], error: unknown): void {
    const head = entries[0]?.stored.line;
    if (head === undefined) this.errors += 1;
    else this.countError(head, head.seq, String(error));
    for (const entry of this.queue) entry.settle('late');
    this.timer = setTimeout(() => this.pump(), appendBackoff(this.attempt));
    this.timer.unref();
    this.attempt += 1;
  }

  private countError({ harness, run_id: run }: RunKey, seq: number, error: string): void {
    this.errors += 1;
    this.world.log.error({ event: 'ledger_append_failed', harness, run, seq, error });
  }
}

/** By own key only: a harness may be called `constructor`. */
const idOf = (ids: Readonly<Record<string, number>>, harness: string): number => (Object.hasOwn(ids, harness) ? (ids[harness] ?? 0) : 0);
