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
  readonly health: () => { readonly queued: number; readonly errors: number; readonly cut: number };
  /** Waits until the queue is empty or the bound has passed. */
  readonly drain: (boundMs: number) => Promise<void>;
}

interface Queued {
  readonly stored: StoredLine;
  readonly settle: (durability: Durability) => void;
}

/** Starts from what the store holds; `floors` are the highest run ids that files on disk still carry. */
export const openJournal = (store: Store, state: LedgerState, floors: Readonly<Record<string, number>>, world: World): Journal => {
  let seq = state.lastSeq;
  let errors = 0;
  let cut = 0;
  let attempt = 0;
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const runIds = new Map<string, number>();
  const queue: Queued[] = [];
  const listeners = new Set<(item: FeedItem) => void>();

  const publish = (
    entries: readonly Queued[],
    rows: readonly { readonly seq: number; readonly open: boolean; readonly record: RunRecord }[],
  ) => {
    entries.forEach((entry, index) => {
      const row = rows[index];
      entry.settle('stored');
      if (row === undefined || entry.stored.line.type === 'updated') return;
      const item: FeedItem = { seq: entry.stored.line.seq, type: entry.stored.line.type, open: row.open, record: row.record };
      for (const listener of listeners) listener(item);
    });
  };

  const fail = (entries: readonly Queued[], error: unknown): void => {
    errors += 1;
    const head = entries[0]?.stored.line;
    if (head !== undefined)
      world.log.error({ event: 'ledger_append_failed', harness: head.harness, run: head.run_id, seq: head.seq, error: String(error) });
    for (const entry of queue) entry.settle('late');
    timer = setTimeout(pump, appendBackoff(attempt));
    timer.unref();
    attempt += 1;
  };

  const writeBatch = async (): Promise<void> => {
    const entries = [...queue];
    try {
      const rows = await store.write(
        'appendLines',
        entries.map((entry) => entry.stored),
      );
      queue.splice(0, entries.length);
      if (attempt > 0) world.log.info({ event: 'ledger_recovered', lines: entries.length });
      attempt = 0;
      publish(entries, rows);
    } catch (error) {
      fail(entries, error);
    }
  };

  const pump = (): void => {
    timer = undefined;
    if (writing !== undefined || queue.length === 0) return;
    writing = writeBatch().finally(() => {
      writing = undefined;
      if (timer === undefined) pump();
    });
  };

  const append = (type: LineType, key: RunKey, fields: RunFields, context?: RunContext): Promise<Durability> => {
    const { line, cut: shortened } = boundLine({
      v: 1,
      seq: seq + 1,
      type,
      at: formatInstant(world.now()),
      ...key,
      ...fields,
    } as LedgerLine);
    const text = encodeLine(line);
    if (E.isLeft(text)) {
      errors += 1;
      world.log.error({ event: 'ledger_append_failed', harness: key.harness, run: key.run_id, seq: seq + 1, error: text.left.code });
      return Promise.resolve('refused');
    }
    seq += 1;
    cut += shortened;
    const failing = timer !== undefined;
    return new Promise((resolve) => {
      const bound = setTimeout(() => resolve('late'), SYNC_BOUND);
      const settle = (durability: Durability): void => {
        clearTimeout(bound);
        resolve(durability);
      };
      queue.push({ stored: { line, text: text.right, ...(context === undefined ? {} : { context }) }, settle });
      // While the head of the queue keeps failing, a caller is told at once instead of waiting out the bound.
      if (failing) settle('late');
      else pump();
    });
  };

  return {
    append,
    allocateRunId: (harness) => {
      const last = runIds.get(harness) ?? Math.max(idOf(state.lastRunIds, harness), idOf(floors, harness));
      runIds.set(harness, last + 1);
      return last + 1;
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    health: () => ({ queued: queue.length, errors, cut }),
    drain: async (boundMs) => {
      const until = world.now() + boundMs;
      while (queue.length > 0 && world.now() < until) {
        if (timer !== undefined) clearTimeout(timer);
        pump();
        await Promise.race([writing, new Promise((resolve) => setTimeout(resolve, 50))]);
      }
    },
  };
};

/** By own key only: a harness may be called `constructor`. */
const idOf = (ids: Readonly<Record<string, number>>, harness: string): number => (Object.hasOwn(ids, harness) ? (ids[harness] ?? 0) : 0);
