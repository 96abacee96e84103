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

export const openTraceStore = (key: RunKey, store: Store, world: World): TraceStore => {
  let batch = emptyBatch();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  // Said once for as long as it lasts.
  let failing = false;
  const seen = new Set<string>();

  const writeAll = async (): Promise<void> => {
    while (sizeOf(batch) > 0) {
      const full = batch;
      batch = emptyBatch();
      try {
        await store.write('writeTrace', { ...full, sessions: [...full.sessions.values()] });
        failing = false;
      } catch (error) {
        if (!failing) world.log.warn({ event: 'trace_write_failed', harness: key.harness, run: key.run_id, error: String(error) });
        failing = true;
        batch = merge(full, batch);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  };

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing ??= writeAll().finally(() => {
      writing = undefined;
    });
    return writing;
  };

  const soon = (): void => {
    timer ??= setTimeout(() => void flush(), FLUSH_MS);
  };

  return {
    session: (row) => {
      const first = !seen.has(row.session_id);
      seen.add(row.session_id);
      batch.sessions.set(row.session_id, row);
      // A session and its place must be known even if the daemon dies in the next moment.
      if (first) void flush();
      else soon();
    },
    event: (row) => {
      batch.events.push(row);
      soon();
    },
    result: (row) => {
      batch.results.push(row);
      void flush();
    },
    sample: (session_id, sample) => {
      batch.samples.push({ ...key, session_id, sample });
      void flush();
    },
    drained: async () => {
      while (sizeOf(batch) > 0 || writing !== undefined) await flush();
    },
  };
};

const emptyBatch = (): OpenBatch => ({ sessions: new Map(), events: [], results: [], samples: [] });

const sizeOf = (batch: OpenBatch): number => batch.sessions.size + batch.events.length + batch.results.length + batch.samples.length;

/** What was not stored, then what came since; a session's later row stands. */
const merge = (before: OpenBatch, since: OpenBatch): OpenBatch => ({
  sessions: new Map([...before.sessions, ...since.sessions]),
  events: [...before.events, ...since.events],
  results: [...before.results, ...since.results],
  samples: [...before.samples, ...since.samples],
});
