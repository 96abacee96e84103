// Carries out admission: allocates run ids, opens records, starts one-shots, stops them, and tells who waits for what.

import type { Config, HarnessConfig } from '../../core/config/config.js';
import { formatInstant } from '../../core/kernel/time.js';
import { type AdmissionEffect, type AdmissionEvent, emptyAdmission, phaseOf, stepAdmission } from '../../core/run/admission.js';
import { type EndCause, endedWaiting, spawnFailure } from '../../core/run/close.js';
import type { Trigger } from '../../core/run/outcome.js';
import type { RunContext, RunFields, RunKey, RunRecord } from '../../core/run/record.js';
import { jobsDirectory } from '../files/state-paths.js';
import { type OneShotDeps, runOneShot } from '../pipelines/run-one-shot.js';
import { pruneRunFiles } from './run-log.js';

export type Firing =
  | { readonly decision: 'started'; readonly run_id: number; readonly done: Promise<RunFields> }
  | { readonly decision: 'queued'; readonly done: Promise<RunFields> }
  | { readonly decision: 'skipped'; readonly run_id: number; readonly reason: string; readonly done: Promise<RunFields> };

export interface ActiveRun {
  readonly key: RunKey;
  readonly startedAt: number;
  readonly pid?: number;
  readonly spawnId: string;
}

export interface Supervisor {
  readonly fire: (harness: HarnessConfig, trigger: Trigger) => Promise<Firing>;
  /** Ends the harness's run, or its waiting firing; resolves when the record is closed. False when there was none. */
  readonly stop: (harness: string, cause: EndCause) => Promise<boolean>;
  /** The end of the firing that waits for a slot, or of the one that got it last. */
  readonly pending: (harness: string) => Promise<RunRecord> | undefined;
  /** The end of a run under way, whether or not its record can be stored. */
  readonly ending: (key: RunKey) => Promise<RunFields> | undefined;
  readonly active: () => readonly ActiveRun[];
  readonly phase: (harness: string) => string;
  /** Takes over a changed number of slots. */
  readonly refresh: () => void;
  readonly shutdown: () => Promise<void>;
}

interface Running {
  readonly key: RunKey;
  readonly startedAt: number;
  readonly end: (cause: EndCause) => void;
  readonly done: Promise<RunFields>;
  readonly spawnId: string;
  pid?: number;
}

interface WaitingFiring {
  readonly harness: HarnessConfig;
  readonly trigger: Trigger;
  readonly settle: (record: RunRecord) => void;
  readonly done: Promise<RunRecord>;
}

interface Folded {
  readonly key: RunKey;
  readonly reason: string;
  count: number;
}

export const superviseHarnesses = (config: () => Config, jobs: string, deps: OneShotDeps): Supervisor => {
  let admission = emptyAdmission(slotsOf(config()));
  const running = new Map<string, Running>();
  const waiting = new Map<string, WaitingFiring>();
  const granted = new Map<string, Promise<RunRecord>>();
  const folded = new Map<string, Folded>();
  const { journal, world } = deps;

  const step = (event: AdmissionEvent): readonly AdmissionEffect[] => {
    const { state, effects } = stepAdmission(admission, event);
    admission = state;
    return effects;
  };

  const fire = async (harness: HarnessConfig, trigger: Trigger): Promise<Firing> => {
    const [effect] = step({ type: 'fire', harness: harness.name });
    if (effect?.type === 'skip') return skip(harness, trigger, effect.reason);
    if (effect?.type === 'wait') return queue(harness, trigger);
    return start(harness, trigger);
  };

  const queue = (harness: HarnessConfig, trigger: Trigger): Firing => {
    let settle: (record: RunRecord) => void = () => undefined;
    const done = new Promise<RunRecord>((resolve) => {
      settle = resolve;
    });
    waiting.set(harness.name, { harness, trigger, settle, done });
    return { decision: 'queued', done };
  };

  /** Id, opened line and map entry come before the first await, so two firings can never both start. */
  const start = async (harness: HarnessConfig, trigger: Trigger): Promise<Firing> => {
    const key: RunKey = { harness: harness.name, run_id: journal.allocateRunId(harness.name) };
    const startedAt = world.now();
    const workdir = harness.workdir ?? process.cwd();
    const directory = jobsDirectory(jobs, harness.name);
    const spawnId = world.randomHex(16);
    const { ended, end } = endSwitch();
    const context = contextOf(config(), harness, key, workdir, spawnId);
    const opened = journal.append('opened', key, openedFields(directory, key, trigger, startedAt), context);
    const { adapters, trace } = config();
    const request = { key, harness, adapters, verify: trace.verify, trigger, startedAt, workdir, jobs: directory, spawnId, ended };
    const done = opened
      .then(() => runOneShot({ ...request, onSpawn: spawned(harness.name) }, deps))
      .catch((error: unknown) => closeBroken(key, startedAt, error))
      .finally(() => finish(harness, directory));
    running.set(harness.name, { key, startedAt, spawnId, end, done });
    await opened;
    return { decision: 'started', run_id: key.run_id, done };
  };

  /** A fault of ours must not leave a record open, or the harness held. */
  const closeBroken = async (key: RunKey, startedAt: number, error: unknown): Promise<RunFields> => {
    world.log.error({ event: 'run_spawn_failed', harness: key.harness, run: key.run_id, error: String(error) });
    const fields = spawnFailure(startedAt, world.now());
    await journal.append('closed', key, fields);
    return fields;
  };

  const spawned = (name: string) => (pid: number) => {
    const run = running.get(name);
    if (run !== undefined) run.pid = pid;
  };

  const finish = (harness: HarnessConfig, directory: string): void => {
    running.delete(harness.name);
    writeFolded(harness.name);
    startGranted(step({ type: 'ended', harness: harness.name }));
    try {
      pruneRunFiles(directory, harness.keep_runs, new Set());
    } catch (error) {
      world.log.warn({ event: 'files_not_pruned', harness: harness.name, error: (error as NodeJS.ErrnoException).code ?? String(error) });
    }
  };

  /** A firing that waited runs by the definition that is in force when it starts. */
  const startGranted = (effects: readonly AdmissionEffect[]): void => {
    for (const effect of effects) {
      const next = effect.type === 'start' ? waiting.get(effect.harness) : undefined;
      if (next === undefined) continue;
      waiting.delete(next.harness.name);
      const harness = config().harnesses.find(({ name }) => name === next.harness.name) ?? next.harness;
      granted.set(harness.name, next.done);
      void start(harness, next.trigger).then(async (firing) => next.settle({ ...keyOf(harness, firing), ...(await firing.done) }));
    }
  };

  /** Skips during one run that share a reason fold into one record; its count is written when the run ends. */
  const skip = async (harness: HarnessConfig, trigger: Trigger, reason: 'overlap' | 'stopping' | 'concurrency'): Promise<Firing> => {
    const fields: RunFields = { kind: 'oneshot', trigger, outcome: 'skipped', reason, coalesced: 1 };
    const last = folded.get(harness.name);
    if (last !== undefined && last.reason === reason) {
      last.count += 1;
      return { decision: 'skipped', run_id: last.key.run_id, reason, done: Promise.resolve(fields) };
    }
    writeFolded(harness.name);
    const key: RunKey = { harness: harness.name, run_id: journal.allocateRunId(harness.name) };
    folded.set(harness.name, { key, reason, count: 1 });
    await journal.append('decided', key, { ...fields, started_at: formatInstant(world.now()) });
    return { decision: 'skipped', run_id: key.run_id, reason, done: Promise.resolve(fields) };
  };

  const writeFolded = (name: string): void => {
    const last = folded.get(name);
    folded.delete(name);
    if (last !== undefined && last.count > 1) void journal.append('updated', last.key, { coalesced: last.count });
  };

  const stop = async (name: string, cause: EndCause): Promise<boolean> => {
    const [effect] = step({ type: 'stop', harness: name });
    if (effect?.type === 'cancel') await cancelWaiting(name, cause);
    const run = running.get(name);
    run?.end(cause);
    await run?.done;
    return run !== undefined || effect !== undefined;
  };

  const cancelWaiting = async (name: string, cause: EndCause): Promise<void> => {
    const firing = waiting.get(name);
    waiting.delete(name);
    if (firing === undefined) return;
    const key: RunKey = { harness: name, run_id: journal.allocateRunId(name) };
    const fields: RunFields = { kind: 'oneshot', trigger: firing.trigger, started_at: formatInstant(world.now()), ...endedWaiting(cause) };
    await journal.append('decided', key, fields);
    firing.settle({ ...key, ...fields });
  };

  return {
    fire,
    stop,
    ending: ({ harness, run_id }) => {
      const run = running.get(harness);
      return run?.key.run_id === run_id ? run.done : undefined;
    },
    pending: (name) => waiting.get(name)?.done ?? granted.get(name),
    active: () =>
      [...running.values()].map(({ key, startedAt, pid, spawnId }) => ({ key, startedAt, spawnId, ...(pid === undefined ? {} : { pid }) })),
    refresh: () => startGranted(step({ type: 'resize', slots: slotsOf(config()) })),
    phase: (name) => phaseOf(admission, name) ?? 'stopped',
    shutdown: async () => {
      await Promise.all([...new Set([...waiting.keys(), ...running.keys()])].map((name) => stop(name, 'shutdown')));
    },
  };
};

const keyOf = (harness: HarnessConfig, firing: Firing): RunKey => ({
  harness: harness.name,
  run_id: firing.decision === 'queued' ? 0 : firing.run_id,
});

const slotsOf = ({ budget }: Config): number => budget.max_concurrent ?? Number.POSITIVE_INFINITY;

const endSwitch = (): { readonly ended: Promise<EndCause>; readonly end: (cause: EndCause) => void } => {
  let end: (cause: EndCause) => void = () => undefined;
  const ended = new Promise<EndCause>((resolve) => {
    end = resolve;
  });
  return { ended, end };
};

const openedFields = (directory: string, key: RunKey, trigger: Trigger, startedAt: number): RunFields => ({
  kind: 'oneshot',
  trigger,
  started_at: formatInstant(startedAt),
  log: `${directory}/${key.run_id}.log`,
});

const contextOf = ({ memory }: Config, harness: HarnessConfig, key: RunKey, workdir: string, spawnId: string): RunContext => ({
  ...key,
  adapter: harness.harness,
  ...(typeof harness.options.model === 'string' ? { model: harness.options.model } : {}),
  workdir,
  untrusted_inline: harness.untrusted_inline,
  memory_record: harness.memory_record,
  record_trace: harness.record_trace,
  excerpt_chars: memory.excerpt_chars,
  spawn_id: spawnId,
});
