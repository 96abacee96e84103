// A run's closed line to its indexed episode, through the shipped pipeline and the worker-thread store, against one synchronous commit.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { formatInstant } from '../src/core/kernel/time.js';
import { zeroCounters } from '../src/shell/daemon/counters.js';
import { recordingLog } from '../src/shell/daemon/log.js';
import { productionWorld } from '../src/shell/daemon/world.js';
import { recordNewEpisodes } from '../src/shell/pipelines/record-episode.js';
import { sendRecords } from '../src/shell/pipelines/send-records.js';
import { openBuiltinProvider } from '../src/shell/provider/open-builtin.js';
import { connect } from '../src/shell/store/database.js';
import { openStore } from '../src/shell/store/store.js';
import { openJournal } from '../src/shell/supervise/journal.js';
import { type BenchRow, median, round, timeEach } from './row.js';

const RUNS = 200;

export const recordBench = async (root: string): Promise<readonly BenchRow[]> => {
  const dir = mkdtempSync(join(tmpdir(), 'hrn-bench-'));
  const store = await openStore(join(dir, 'harness.db'), pathToFileURL(join(root, 'dist', 'harness', 'store-worker.js')));
  const world = productionWorld(recordingLog());
  const journal = openJournal(store, await store.write('readLedgerState', undefined), {}, world);
  const provider = openBuiltinProvider({ store, world, version: 'bench', queryEmbedMs: 1_000 });
  await provider.check(5_000);
  const deps = { store, provider, world, counters: zeroCounters() };
  let cursor = 0;
  try {
    const spans = await timeEach(RUNS, async () => {
      const key = { harness: 'bench', run_id: journal.allocateRunId('bench') };
      await finishRun(key, store, journal, world.now());
      const began = performance.now();
      const stored = await recordNewEpisodes(cursor, deps);
      cursor = stored.cursor;
      await sendRecords(stored.fresh, deps);
      recorded.push(performance.now() - began);
    });
    const value = median(recorded.splice(0));
    const floor = await commitFloor(dir);
    const goal = '≤ 4 commits';
    return [
      {
        name: 'record',
        work: `closed run → episode, provider row, index (${spans.length} runs)`,
        value: round(value),
        unit: 'ms',
        floor: round(floor),
        ratio: round(value / floor),
        goal,
        ok: value / floor <= 4,
      },
    ];
  } finally {
    await provider.close();
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  }
};

const recorded: number[] = [];

type BenchStore = Awaited<ReturnType<typeof openStore>>;
type BenchJournal = ReturnType<typeof openJournal>;

const finishRun = async (
  key: { harness: string; run_id: number },
  store: BenchStore,
  journal: BenchJournal,
  now: number,
): Promise<void> => {
  const at = formatInstant(now);
  const context = {
    ...key,
    adapter: 'claude-code',
    workdir: '/repo',
    untrusted_inline: false,
    memory_record: true,
    record_trace: true,
    excerpt_chars: 600,
    spawn_id: '',
  };
  await journal.append('opened', key, { kind: 'oneshot', trigger: 'manual', started_at: at }, context);
  const session = {
    ...key,
    session_id: 's',
    adapter: 'claude-code',
    source: 'stream' as const,
    started_at: at,
    cwd: '/repo',
    repo: 'forge.example/acme/api',
    worktree: '/repo',
    prefix: '',
    models: [],
    tokens: { input: 1, output: 1, cache_read: 0, cache_write: 0 },
    model_calls: 1,
    cost_source: 'unknown' as const,
    trace_id: '0'.repeat(32),
    events_complete: true,
  };
  const events = Array.from({ length: 40 }, (_, seq) => ({
    ...key,
    session_id: 's',
    seq,
    kind: 'tool_call' as const,
    action: 'edit' as const,
    targets: [{ path: `src/file-${seq}.ts`, touch: 'edit' as const }],
    is_error: false,
    summary: 'Edit -> 1 targets, 0 outside',
  }));
  const results = [
    { ...key, session_id: 's', subtype: 'success', is_error: false, text: 'Mended the ledger and ran the tests. '.repeat(20) },
  ];
  await store.write('writeTrace', { sessions: [session], events, results, samples: [] });
  await journal.append('closed', key, { outcome: 'success', ended_at: at, duration_ms: 1, exit_code: 0 });
  await store.write('sealTrace', { ...key, at });
};

/** One row, one commit, in the same directory. */
const commitFloor = async (dir: string): Promise<number> => {
  const db = connect(join(dir, 'floor.db'), { readonly: false });
  db.exec('CREATE TABLE t (x TEXT)');
  const insert = db.prepare('INSERT INTO t VALUES (?)');
  const spans = await timeEach(RUNS, () => insert.run('x'.repeat(500)));
  db.close();
  return median(spans);
};
