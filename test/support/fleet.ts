// A fleet in process: real store, real journal, real processes on real terminals; only the configuration is handed in as a value.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Config, HarnessConfig } from '../../src/core/config/config.js';
import type { RunRecord } from '../../src/core/run/record.js';
import type { World } from '../../src/shell/daemon/world.js';
import { type Journal, openJournal } from '../../src/shell/supervise/journal.js';
import { trackSpending } from '../../src/shell/supervise/spending.js';
import { type Supervisor, superviseHarnesses } from '../../src/shell/supervise/supervisor.js';
import { openTestStore, type TestStore, testWorld } from './stores.js';

export const aHarness = (overrides: Partial<HarnessConfig> = {}): HarnessConfig => ({
  name: 'h',
  at: { file: 'harness.toml', line: 1 },
  harness: 'command',
  kind: 'resident',
  enabled: false,
  restart: 'always',
  restart_delay: 10,
  on_overlap: 'skip',
  catch_up: false,
  argv: ['cat'],
  options: {},
  env_file: [],
  env: {},
  timeout: 60_000,
  keep_runs: 20,
  record_trace: true,
  memory_record: true,
  memory_briefing: false,
  briefing_max_chars: 2_000,
  untrusted_inline: false,
  ...overrides,
});

/** A one-shot that runs a line of shell. */
export const aShot = (script: string, overrides: Partial<HarnessConfig> = {}): HarnessConfig =>
  aHarness({ kind: 'oneshot', restart: 'no', argv: ['sh', '-c', script], ...overrides });

export const aConfig = (harnesses: readonly HarnessConfig[], overrides: Partial<Config> = {}): Config => ({
  file: 'harness.toml',
  harnesses,
  adapters: {},
  memory: { provider: 'builtin', retention: 1, summary: false, provider_timeout: 100, excerpt_chars: 600 },
  ledger: { retention: 1, max_bytes: 1 },
  trace: { retention: 1, max_bytes: 1, verify: [] },
  budget: { groups: {} },
  server: {},
  ...overrides,
});

export interface TestFleet {
  readonly held: TestStore;
  readonly journal: Journal;
  readonly supervisor: Supervisor;
  readonly world: ReturnType<typeof testWorld>;
  readonly dir: string;
  /** Another configuration takes effect. */
  readonly configure: (config: Config) => void;
  readonly records: (harness?: string) => Promise<readonly RunRecord[]>;
}

/** Ends with the test that made it. */
export const openFleet = async (
  config: Config,
  {
    now,
    held = openTestStore(),
    stopGraceMs = 500,
    world = testWorld(now),
  }: {
    readonly now?: () => number;
    readonly held?: TestStore;
    readonly stopGraceMs?: number;
    readonly world?: World & ReturnType<typeof testWorld>;
  } = {},
): Promise<TestFleet> => {
  let current = config;
  const { store } = held;
  const journal = openJournal(store, await store.write('readLedgerState', undefined), {}, world);
  const fleet = await store.write('readFleet', { since: '' });
  const spending = trackSpending(() => current, {}, world);
  const jobs = join(held.dir, 'jobs');
  mkdirSync(jobs, { recursive: true });
  const supervisor = superviseHarnesses(() => current, jobs, { journal, store, world, spending, stopGraceMs, intents: fleet.intents });
  onTestFinished(async () => {
    await supervisor.shutdown();
    await held.close();
  });
  return {
    held,
    journal,
    supervisor,
    world,
    dir: held.dir,
    configure: (next) => {
      current = next;
      supervisor.refresh();
    },
    records: async (harness) => {
      await journal.drain(2_000);
      const rows = await store.read('readRuns', { limit: 1_000, ...(harness === undefined ? {} : { harness }) });
      return rows.map(({ record }) => record).sort((a, b) => a.run_id - b.run_id);
    },
  };
};
