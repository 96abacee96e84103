// The handlers of ControlService: each reads, asks the supervisor or the store, and answers. No rule lives here.

import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConnectRouter, HandlerContext } from '@connectrpc/connect';
import type { HarnessConfig } from '../../core/config/config.js';
import { formatInstant } from '../../core/kernel/time.js';
import { OUTCOMES } from '../../core/run/outcome.js';
import type { RunRecord } from '../../core/run/record.js';
import { scheduleText } from '../../core/run/schedule.js';
import { showRun } from '../../core/run/shown-run.js';
import type { Configuration } from '../daemon/configuration.js';
import type { Roster } from '../daemon/roster.js';
import { jobsDirectory, type StatePaths } from '../files/state-paths.js';
import type { Scheduler } from '../sources/scheduler.js';
import type { RunRow as StoredRun } from '../store/ledger-table.js';
import type { Store } from '../store/operations.js';
import type { Journal } from '../supervise/journal.js';
import type { Supervisor } from '../supervise/supervisor.js';
import { callError } from './errors.js';
import { ControlService, type LogsRequest, type RunsRequest } from './gen/harness/v1/control_pb.js';
import { enable, restart, start, trigger } from './harness-verbs.js';
import { projectDown, projectUp, remove, scratchRun } from './project-verbs.js';

export interface ControlDeps {
  readonly configuration: Configuration;
  readonly roster: Roster;
  readonly supervisor: Supervisor;
  readonly scheduler: Scheduler;
  readonly journal: Journal;
  readonly store: Store;
  readonly paths: StatePaths;
  readonly configFile: string;
  readonly version: string;
  readonly startedAt: number;
}

const RUNS_DEFAULT = 20;
const RUNS_MAX = 1_000;
const FOLLOW_POLL_MS = 200;

export const controlRoutes = (router: ConnectRouter, deps: ControlDeps): ConnectRouter =>
  router.service(ControlService, {
    daemonInfo: () => daemonInfo(deps),
    list: () => list(deps),
    describe: async ({ harness }) => describe(findHarness(harness, deps), deps),
    runs: (request) => runs(request, deps),
    logs: (request, context) => streamLog(request, context, deps),
    trigger: ({ harness, overBudget }) => trigger(findHarness(harness, deps), overBudget, deps),
    start: ({ harness }) => start(findHarness(harness, deps), deps),
    restart: ({ harness }) => restart(findHarness(harness, deps), deps),
    enable: ({ harness, now }) => enable(findHarness(harness, deps), true, now, deps),
    disable: ({ harness, now }) => enable(findHarness(harness, deps), false, now, deps),
    wait: ({ harness, runId }, context) =>
      runId === 0n ? waitForFiring(harness, deps) : waitForRun(harness, Number(runId), context, deps),
    stop: async ({ harness }) => ({ stopped: await deps.supervisor.stop(knownName(harness, deps)) }),
    projectUp: (request) => projectUp(request, deps),
    projectDown: (request) => projectDown(request, deps),
    scratchRun: (request) => scratchRun(request, deps),
    remove: ({ harness }) => remove(harness, deps),
    reload: () => {
      const errors = [...deps.configuration.reload()];
      return { applied: errors.length === 0, errors, warnings: [...deps.configuration.warnings()] };
    },
  });

const list = async (deps: ControlDeps) => {
  const defined = await Promise.all(deps.roster.current().harnesses.map((harness) => rowOf(harness, deps)));
  return { harnesses: [...defined, ...removedRows(deps)] };
};

const runs = async ({ harness, since, outcome, limit }: RunsRequest, { store }: ControlDeps) => {
  const rows = await store.read('readRuns', {
    ...(harness === '' ? {} : { harness }),
    ...(since === '' ? {} : { since }),
    ...(outcome === '' ? {} : { outcome: knownOutcome(outcome) }),
    limit: Math.min(limit > 0 ? limit : RUNS_DEFAULT, RUNS_MAX),
  });
  return { runs: rows.map(toRunRow) };
};

const daemonInfo = ({ configuration, roster, supervisor, journal, paths, configFile, version, startedAt }: ControlDeps) => {
  const ledger = journal.health();
  return {
    version,
    pid: BigInt(process.pid),
    startedAt: formatInstant(startedAt),
    socket: paths.socket,
    store: paths.store,
    config: configFile,
    harnesses: roster.current().harnesses.length,
    activeRuns: supervisor.active().length,
    ledgerQueued: BigInt(ledger.queued),
    ledgerErrors: BigInt(ledger.errors),
    ledgerCut: BigInt(ledger.cut),
    configErrors: [...configuration.errors()],
    projectErrors: roster.projects().flatMap(({ errors }) => errors),
  };
};

export const findHarness = (name: string, { roster }: Pick<ControlDeps, 'roster'>): HarnessConfig => {
  const { harnesses } = roster.current();
  const found = harnesses.find((harness) => harness.name === name);
  if (found !== undefined) return found;
  const names = harnesses.map((harness) => harness.name).join(', ');
  throw callError(
    'unknown_harness',
    `no harness "${name}"`,
    names === '' ? 'define one in harness.toml, then: harness reload' : `known: ${names}`,
  );
};

/** A harness that left the configuration can still be stopped while it runs, and its runs can still be read. */
const knownName = (name: string, deps: ControlDeps): string =>
  deps.supervisor.active().some((run) => run.key.harness === name) ? name : findHarness(name, deps).name;

const hasRuns = async (name: string, { store }: ControlDeps): Promise<boolean> =>
  (await store.read('readRuns', { harness: name, limit: 1 })).length > 0;

const rowOf = async (harness: HarnessConfig, { supervisor, store, scheduler }: ControlDeps) => {
  const view = supervisor.view(harness.name);
  const next = scheduler.next(harness) ?? view.dueAt;
  const [last] = await store.read('readRuns', { harness: harness.name, limit: 1 });
  return {
    name: harness.name,
    adapter: harness.harness,
    state: supervisor.phase(harness.name),
    description: harness.description ?? '',
    workdir: harness.workdir ?? '',
    ...(last === undefined ? {} : { lastRunId: BigInt(last.record.run_id) }),
    lastOutcome: last === undefined ? '' : last.open ? 'running' : (last.record.outcome ?? ''),
    lastAt: last?.record.ended_at ?? last?.record.started_at ?? '',
    kind: harness.kind,
    enabled: supervisor.isEnabled(harness),
    holds: [...view.holds],
    failures: view.failures,
    nextAt: next === undefined ? '' : formatInstant(next),
  };
};

/** Runs whose harness is no longer defined, so that nobody loses sight of them. */
const removedRows = ({ roster, supervisor }: ControlDeps) => {
  const defined = new Set(roster.current().harnesses.map(({ name }) => name));
  return supervisor
    .active()
    .filter(({ key }) => !defined.has(key.harness))
    .map(({ key }) => ({
      name: key.harness,
      adapter: '(removed)',
      state: supervisor.phase(key.harness),
      lastRunId: BigInt(key.run_id),
      lastOutcome: 'running',
    }));
};

const describe = async (harness: HarnessConfig, deps: ControlDeps) => {
  const active = deps.supervisor.active().find((run) => run.key.harness === harness.name);
  const { env, at, schedule, operating_hours: hours, ...rest } = harness;
  const definition = {
    ...rest,
    ...(schedule === undefined ? {} : { schedule: scheduleText(schedule) }),
    ...(hours === undefined ? {} : { operating_hours: hours.text }),
  };
  return {
    row: await rowOf(harness, deps),
    definitionJson: JSON.stringify({ ...definition, env: Object.keys(env) }),
    definedAt: `${at.file}:${at.line}`,
    ...(active === undefined ? {} : { activeRunId: BigInt(active.key.run_id) }),
    ...(active?.pid === undefined ? {} : { pid: BigInt(active.pid) }),
  };
};

const toRunRow = ({ record, open: isOpen, seq }: StoredRun) => {
  const logPruned = record.log !== undefined && !existsSync(record.log);
  return { recordJson: JSON.stringify(showRun(record, isOpen ? 'open' : 'closed', logPruned)), open: isOpen, seq: BigInt(seq), logPruned };
};

const knownOutcome = (outcome: string): string => {
  if (OUTCOMES.some((known) => known === outcome)) return outcome;
  throw callError('invalid_argument', `outcome "${outcome}" is none of: ${OUTCOMES.join(', ')}`);
};

/** The firing that waits for a slot, to the end of its run. */
const waitForFiring = async (harness: string, { supervisor, store }: ControlDeps) => {
  const done = supervisor.pending(harness);
  if (done === undefined) throw callError('unknown_run', `no firing of "${harness}" waits for a slot`, `harness runs ${harness}`);
  const record = await done;
  const stored = await store.read('readRun', { harness, run_id: record.run_id });
  return { recordJson: JSON.stringify(stored?.record ?? record) };
};

/** A run under way is waited for through its supervisor: its end is known even while its record cannot be stored. */
const waitForRun = async (harness: string, runId: number, context: HandlerContext, { store, supervisor }: ControlDeps) => {
  const key = { harness, run_id: runId };
  const ending = supervisor.ending(key);
  const aborted = new Promise<undefined>((resolve) => context.signal.addEventListener('abort', () => resolve(undefined)));
  const fields = ending === undefined ? undefined : await Promise.race([ending, aborted]);
  const stored = await store.read('readRun', key);
  if (stored === undefined && ending === undefined)
    throw callError('unknown_run', `no run ${runId} of "${harness}"`, `harness runs ${harness}`);
  return { recordJson: JSON.stringify(stored === undefined || stored.open ? { ...stored?.record, ...key, ...fields } : stored.record) };
};

async function* streamLog(request: LogsRequest, context: HandlerContext, deps: ControlDeps) {
  const name = (await hasRuns(request.harness, deps)) ? request.harness : findHarness(request.harness, deps).name;
  const { run_id: runId, log } = request.runId > 0n ? await givenRun(name, Number(request.runId), deps) : await newestRun(name, deps);
  const directory = jobsDirectory(deps.paths.jobs, name);
  const path = request.stream ? join(directory, `${runId}.stream.jsonl`) : (log ?? join(directory, `${runId}.log`));
  if (!existsSync(path)) throw callError('no_log', `run ${runId} of "${name}" has no ${request.stream ? 'stream' : 'log'} file`);
  let position = 0;
  for (;;) {
    const running = deps.supervisor.active().some((run) => run.key.harness === name && run.key.run_id === runId);
    const { size } = await stat(path);
    // A log that was moved aside begins anew.
    if (size < position) position = 0;
    if (size > position) {
      for await (const chunk of createReadStream(path, { start: position, end: size - 1 }))
        yield { chunk: chunk as Buffer, runId: BigInt(runId) };
      position = size;
    }
    if (!request.follow || !running || context.signal.aborted) return;
    await new Promise((resolve) => setTimeout(resolve, FOLLOW_POLL_MS));
  }
}

const givenRun = async (harness: string, runId: number, { store }: ControlDeps): Promise<RunRecord> => {
  const row = await store.read('readRun', { harness, run_id: runId });
  return row?.record ?? { harness, run_id: runId };
};

const newestRun = async (harness: string, { store }: ControlDeps): Promise<RunRecord> => {
  const rows = await store.read('readRuns', { harness, limit: RUNS_DEFAULT });
  const withLog = rows.filter((row) => row.record.log !== undefined).sort((a, b) => b.record.run_id - a.record.run_id)[0];
  if (withLog === undefined) throw callError('no_log', `"${harness}" has no run yet`, `harness start ${harness}`);
  return withLog.record;
};
