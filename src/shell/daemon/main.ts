// The composition root. Read top to bottom it is the order in which a daemon comes up; it goes down in the reverse order.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConnectRouter } from '@connectrpc/connect';
import * as E from 'fp-ts/lib/Either.js';
import { formatInstant } from '../../core/kernel/time.js';
import { highestRunId } from '../files/run-files.js';
import { jobsDirectory, makePrivateDirectory, type StatePaths } from '../files/state-paths.js';
import { repairOpenRuns } from '../pipelines/repair-runs.js';
import { attachRoutes } from '../rpc/attach-service.js';
import { type ControlDeps, controlRoutes } from '../rpc/control-service.js';
import { memoryRoutes } from '../rpc/memory-service.js';
import { operateRoutes } from '../rpc/operate-service.js';
import { listenOnSocket } from '../rpc/server.js';
import { openScheduler } from '../sources/scheduler.js';
import type { Backup, BackupRequest } from '../store/backup.js';
import type { Store } from '../store/operations.js';
import { backUpInBackground, openStore } from '../store/store.js';
import { StoreError } from '../store/store-error.js';
import { type Journal, openJournal } from '../supervise/journal.js';
import { trackSpending } from '../supervise/spending.js';
import { superviseHarnesses } from '../supervise/supervisor.js';
import { type Configuration, loadConfiguration } from './configuration.js';
import { zeroCounters } from './counters.js';
import { startEpisodeRecorder } from './episode-recorder.js';
import { bringUpProvider } from './memory-provider.js';
import { startPruner } from './pruner.js';
import { collectReleasers, type Releasers } from './releasers.js';
import { openRoster } from './roster.js';
import { lockState } from './state-lock.js';
import { watchHealth } from './store-health.js';
import type { World } from './world.js';

export interface DaemonOptions {
  readonly version: string;
  readonly configFile: string;
  readonly paths: StatePaths;
  readonly storeWorker: URL;
  readonly world: World;
  readonly stopGraceMs: number;
}

/** Why a daemon did not come up; `lines` are for people, one a line. */
export interface StartFailure {
  readonly code: string;
  readonly lines: readonly string[];
}

export interface Daemon {
  readonly reload: () => void;
  /** Resolves when the store turns out to be damaged while the daemon runs: it must stop. */
  readonly damaged: Promise<StartFailure>;
  readonly stop: () => Promise<void>;
}

const DRAIN_MS = 5_000;
const STORE_WATCH_MS = 2_000;
const CONTRACT_CHECK_MS = 5_000;

export const startDaemon = async (options: DaemonOptions): Promise<E.Either<StartFailure, Daemon>> => {
  const configuration = loadConfiguration(options.configFile, options.world.log);
  if (E.isLeft(configuration)) return refuse('config_invalid', ...configuration.left);
  makePrivateDirectory(options.paths.state);
  const releasers = collectReleasers();
  const unlock = lockState(options.paths.lock);
  if (unlock === undefined)
    return refuse(
      'state_in_use',
      `another daemon${holderOf(options.paths.pid)} uses ${options.paths.state}: stop it, or set XDG_STATE_HOME`,
    );
  writeFileSync(options.paths.pid, `${process.pid}\n`, { mode: 0o600 });
  releasers.add('state lock', unlock);
  let lost: (failure: StartFailure) => void = () => undefined;
  const broken = new Promise<StartFailure>((resolve) => {
    lost = resolve;
  });
  try {
    const failure = await bringUp(options, configuration.right, releasers, lost);
    if (failure === undefined)
      return E.right({
        reload: () => void configuration.right.reload(),
        stop: releasers.releaseAll,
        damaged: Promise.race([broken, watchStore(options)]),
      });
    await releasers.releaseAll();
    return E.left(failure);
  } catch (error) {
    await releasers.releaseAll().catch(() => undefined);
    if (error instanceof StoreError) return refuse(error.code, error.message);
    throw error;
  }
};

const bringUp = async (
  options: DaemonOptions,
  configuration: Configuration,
  releasers: Releasers,
  lost: (failure: StartFailure) => void,
): Promise<StartFailure | undefined> => {
  const { paths, world, version } = options;
  const startedAt = world.now();
  const store = await openStore(paths.store, options.storeWorker, (why) => lost({ code: 'store_lost', lines: [why] }));
  releasers.add('store', store.close);
  const health = watchHealth(paths.store, options.storeWorker, ({ code, message }) => lost({ code, lines: [message] }), world);
  const ledger = await store.write('readLedgerState', undefined);
  const journal = openJournal(store, ledger, runIdFloors(paths.jobs), world);
  releasers.add('journal', () => journal.drain(DRAIN_MS));
  await repairOpenRuns(ledger.open, journal, store, world);

  const memory = await bringUpProvider(configuration.current(), { store, world, version }, releasers);
  if (E.isLeft(memory)) return { code: 'config_invalid', lines: [memory.left] };
  const counters = zeroCounters();
  const recorder = startEpisodeRecorder(journal, { store, provider: memory.right.provider, world, counters });
  releasers.add('episode recorder', recorder.close);
  const pruner = startPruner(configuration.current, recorder.settle, store, world);
  releasers.add('pruner', pruner.close);
  const fleet = await bringUpFleet(options, configuration, store, journal, releasers);

  const control = { configuration, ...fleet, journal, store, paths, configFile: options.configFile, version, startedAt };
  const remember = { configuration, ...fleet, ...memory.right, store, world, counters };
  const backUp = (request: BackupRequest): Promise<Backup> => backUpInBackground(paths.store, options.storeWorker, request);
  const operate = { ...control, ...remember, health, backUp };
  const routes = (router: ConnectRouter): ConnectRouter =>
    operateRoutes(memoryRoutes(attachRoutes(controlRoutes(router, control), control), remember), operate);
  const server = await listenOnSocket(paths.socket, routes, fleet.supervisor.active, world, version);
  if ('code' in server) return { code: server.code, lines: [server.message] };
  releasers.add('control socket', server.close);
  // Nothing runs before the daemon can be reached: one that finds its socket taken has fired nothing.
  fleet.supervisor.autostart();
  void fleet.scheduler.look();
  void memory.right.provider.check(CONTRACT_CHECK_MS);
  world.log.info({ event: 'daemon_started', version, socket: paths.socket, store: paths.store, pid: process.pid });
  return undefined;
};

/** What runs: who is known, who supervises them, and the clock that fires them. */
const bringUpFleet = async (
  { paths, world, stopGraceMs }: DaemonOptions,
  configuration: Configuration,
  store: Store,
  journal: Journal,
  releasers: Releasers,
): Promise<Pick<ControlDeps, 'roster' | 'supervisor' | 'scheduler'>> => {
  const rows = await store.write('readFleet', { since: formatInstant(startOfDay(world)) });
  const roster = openRoster(configuration, rows.projects, store, world);
  const spending = trackSpending(roster.current, rows.spent, world);
  const deps = { journal, store, world, spending, stopGraceMs, intents: rows.intents };
  const supervisor = superviseHarnesses(roster.current, paths.jobs, deps);
  releasers.add('supervisor', supervisor.shutdown);
  const scheduler = openScheduler(roster.current, rows.cursors, { supervisor, journal, store, world });
  releasers.add('scheduler', scheduler.close);
  roster.onChanged(() => {
    supervisor.refresh();
    void scheduler.look();
  });
  return { roster, supervisor, scheduler };
};

/** The last midnight by the host's calendar, whatever its clocks did since. */
const startOfDay = ({ now }: World): number => new Date(now()).setHours(0, 0, 0, 0);

/** The pid that the last daemon to take the lock wrote down, as words. */
const holderOf = (pidFile: string): string => {
  try {
    return ` (pid ${Number(readFileSync(pidFile, 'utf8'))})`;
  } catch {
    return '';
  }
};

/** What is recorded into a file that no path leads to any more would not last. */
const watchStore = ({ paths, world }: DaemonOptions): Promise<StartFailure> =>
  new Promise((resolve) => {
    const file = statSync(paths.store, { throwIfNoEntry: false });
    const watch = setInterval(() => {
      if (file !== undefined && statSync(paths.store, { throwIfNoEntry: false })?.ino === file.ino) return;
      clearInterval(watch);
      world.log.error({ event: 'store_check_failed', error: 'the store file was removed or replaced' });
      resolve({
        code: 'store_lost',
        lines: [`${paths.store} was removed or replaced under the daemon: it stops, since nothing it records would last`],
      });
    }, STORE_WATCH_MS);
    watch.unref();
  });

/** Ids that files under the jobs directory still carry, by harness; project harnesses sit one directory deeper. */
const runIdFloors = (jobs: string): Readonly<Record<string, number>> => {
  const names = directoriesIn(jobs).flatMap((name) => [name, ...directoriesIn(join(jobs, name)).map((inner) => `${name}/${inner}`)]);
  return Object.fromEntries(names.map((name) => [name, highestRunId(jobsDirectory(jobs, name))]));
};

const directoriesIn = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
};

const refuse = (code: string, ...lines: readonly string[]): E.Either<StartFailure, never> => E.left({ code, lines });
