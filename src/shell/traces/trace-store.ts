// Brings a run's trace rows to the store: soon, in order, one write at a time, and kept until they are stored. A store that
// fails or hangs delays nobody; it is tried again until it takes them.
import type { RunKey } from '../../core/run/record.js';
import type { EventRow, GitSample, ResultRow, SessionRow } from '../../core/run/session.js';
import type { World } from '../daemon/world.js';
import type { Store } from '../store/operations.js';
import type { TraceBatch } from '../store/trace-table.js';

/** Rows wait at most this long for more to go with. */
const FLUSH_MS = 1_000;
const RETRY_MS = 500;

export interface TraceStore {
  readonly session: (row: SessionRow) => void;
  readonly event: (row: EventRow) => void;
  readonly result: (row: ResultRow) => void;
  readonly sample: (sessionId: string, sample: GitSample) => void;
  /** Resolves when everything given so far is stored, however long that takes. */
  readonly drained: () => Promise<void>;
}

interface OpenBatch {
  readonly sessions: Map<string, SessionRow>;
  readonly events: EventRow[];
  readonly results: ResultRow[];
  readonly samples: TraceBatch['samples'][number][];
}

export const openTraceStore = (key: RunKey, store: Store, world: World): TraceStore => new BatchingStore(key, store, world);

/** Its functions are bound, so each may be handed on by itself. */
class BatchingStore implements TraceStore {
  private readonly key: RunKey;
  private readonly store: Store;
  private readonly world: World;
  private batch = emptyBatch();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> | undefined;
  // Said once for as long as it lasts.
  private failing = false;
  private readonly seen = new Set<string>();

  constructor(key: RunKey, store: Store, world: World) {
    this.key = key;
    this.store = store;
    this.world = world;
  }

  readonly session: TraceStore['session'] = (row) => {
    const first = !this.seen.has(row.session_id);
    this.seen.add(row.session_id);
    this.batch.sessions.set(row.session_id, row);
    // A session and its place must be known even if the daemon dies in the next moment.
    if (first) void this.flush();
    else this.soon();
  };

  readonly event: TraceStore['event'] = (row) => {
    this.batch.events.push(row);
    this.soon();
  };

  readonly result: TraceStore['result'] = (row) => {
    this.batch.results.push(row);
    void this.flush();
  };

  readonly sample: TraceStore['sample'] = (session_id, sample) => {
    this.batch.samples.push({ ...this.key, session_id, sample });
    void this.flush();
  };

  readonly drained: TraceStore['drained'] = async () => {
    while (sizeOf(this.batch) > 0 || this.writing !== undefined) await this.flush();
  };

  private soon(): void {
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  private flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing ??= this.writeAll().finally(() => {
      this.writing = undefined;
    });
    return this.writing;
  }

  private async writeAll(): Promise<void> {
    while (sizeOf(this.batch) > 0) {
      const full = this.batch;
      this.batch = emptyBatch();
      try {
        await this.store.write('writeTrace', { ...full, sessions: [...full.sessions.values()] });
        this.failing = false;
      } catch (error) {
        this.warnOnce(error);
        this.batch = merge(full, this.batch);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  private warnOnce(error: unknown): void {
    const { harness, run_id: run } = this.key;
    if (!this.failing) this.world.log.warn({ event: 'trace_write_failed', harness, run, error: String(error) });
    this.failing = true;
  }
}

const emptyBatch = (): OpenBatch => ({ sessions: new Map(), events: [], results: [], samples: [] });

const sizeOf = (batch: OpenBatch): number => batch.sessions.size + batch.events.length + batch.results.length + batch.samples.length;

/** What was not stored, then what came since; a session's later row stands. */
const merge = (before: OpenBatch, since: OpenBatch): OpenBatch => ({
  sessions: new Map([...before.sessions, ...since.sessions]),
  events: [...before.events, ...since.events],
  results: [...before.results, ...since.results],
  samples: [...before.samples, ...since.samples],
});
