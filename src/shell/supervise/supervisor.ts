// Carries out admission: allocates run ids, opens records, starts one-shots, stops them, and tells who waits for what.

import type { Config, HarnessConfig } from '../../core/config/config.js';
import { formatInstant } from '../../core/kernel/time.js';
import {
  type AdmissionEffect,
  type AdmissionEvent,
  type AdmissionState,
  emptyAdmission,
  phaseOf,
  stepAdmission,
} from '../../core/run/admission.js';
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

export const superviseHarnesses = (config: () => Config, jobs: string, deps: OneShotDeps): Supervisor =>
  new Supervision(config, jobs, deps);

/** Its functions are bound, so each may be handed on by itself. */
class Supervision implements Supervisor {
  private readonly config: () => Config;
  private readonly jobs: string;
  private readonly deps: OneShotDeps;
  private readonly journal: OneShotDeps['journal'];
  private readonly world: OneShotDeps['world'];
  private admission: AdmissionState;
  private readonly running = new Map<string, Running>();
  private readonly waiting = new Map<string, WaitingFiring>();
  private readonly granted = new Map<string, Promise<RunRecord>>();
  private readonly folded = new Map<string, Folded>();

  constructor(config: () => Config, jobs: string, deps: OneShotDeps) {
    this.config = config;
    this.jobs = jobs;
    this.deps = deps;
    this.journal = deps.journal;
    this.world = deps.world;
    this.admission = emptyAdmission(slotsOf(config()));
  }

  readonly fire: Supervisor['fire'] = async (harness, trigger) => {
    const [effect] = this.step({ type: 'fire', harness: harness.name });
    if (effect?.type === 'skip') return this.skip(harness, trigger, effect.reason);
    if (effect?.type === 'wait') return this.queue(harness, trigger);
    return this.start(harness, trigger);
  };

  readonly stop: Supervisor['stop'] = async (name, cause) => {
    const [effect] = this.step({ type: 'stop', harness: name });
    if (effect?.type === 'cancel') await this.cancelWaiting(name, cause);
    const run = this.running.get(name);
    run?.end(cause);
    await run?.done;
    return run !== undefined || effect !== undefined;
  };

  readonly pending: Supervisor['pending'] = (name) => this.waiting.get(name)?.done ?? this.granted.get(name);

  readonly ending: Supervisor['ending'] = ({ harness, run_id }) => {
    const run = this.running.get(harness);
    return run?.key.run_id === run_id ? run.done : undefined;
  };

  readonly active: Supervisor['active'] = () =>
    [...this.running.values()].map(({ key, startedAt, pid, spawnId }) => ({
      key,
      startedAt,
      spawnId,
      ...(pid === undefined ? {} : { pid }),
    }));

  readonly phase: Supervisor['phase'] = (name) => phaseOf(this.admission, name) ?? 'stopped';

  readonly refresh: Supervisor['refresh'] = () => this.startGranted(this.step({ type: 'resize', slots: slotsOf(this.config()) }));

  readonly shutdown: Supervisor['shutdown'] = async () => {
    await Promise.all([...new Set([...this.waiting.keys(), ...this.running.keys()])].map((name) => this.stop(name, 'shutdown')));
  };

  private step(event: AdmissionEvent): readonly AdmissionEffect[] {
    const { state, effects } = stepAdmission(this.admission, event);
    this.admission = state;
    return effects;
  }

  private queue(harness: HarnessConfig, trigger: Trigger): Firing {
    let settle: (record: RunRecord) => void = () => undefined;
    const done = new Promise<RunRecord>((resolve) => {
      settle = resolve;
    });
    this.waiting.set(harness.name, { harness, trigger, settle, done });
    return { decision: 'queued', done };
  }

  /** Id, opened line and map entry come before the first await, so two firings can never both start. */
  private async start(harness: HarnessConfig, trigger: Trigger): Promise<Firing> {
    const key: RunKey = { harness: harness.name, run_id: this.journal.allocateRunId(harness.name) };
    const startedAt = this.world.now();
    const workdir = harness.workdir ?? process.cwd();
    const directory = jobsDirectory(this.jobs, harness.name);
    const spawnId = this.world.randomHex(16);
    const { ended, end } = endSwitch();
    const context = contextOf(this.config(), harness, key, workdir, spawnId);
    const opened = this.journal.append('opened', key, openedFields(directory, key, trigger, startedAt), context);
    const { adapters, trace } = this.config();
    const request = { key, harness, adapters, verify: trace.verify, trigger, startedAt, workdir, jobs: directory, spawnId, ended };
    const done = opened
      .then(() => runOneShot({ ...request, onSpawn: (pid) => this.spawned(harness.name, pid) }, this.deps))
      .catch((error: unknown) => this.closeBroken(key, startedAt, error))
      .finally(() => this.finish(harness, directory));
    this.running.set(harness.name, { key, startedAt, spawnId, end, done });
    await opened;
    return { decision: 'started', run_id: key.run_id, done };
  }

  /** A fault of ours must not leave a record open, or the harness held. */
  private async closeBroken(key: RunKey, startedAt: number, error: unknown): Promise<RunFields> {
    this.world.log.error({ event: 'run_spawn_failed', harness: key.harness, run: key.run_id, error: String(error) });
    const fields = spawnFailure(startedAt, this.world.now());
    await this.journal.append('closed', key, fields);
    return fields;
  }

  private spawned(name: string, pid: number): void {
    const run = this.running.get(name);
    if (run !== undefined) run.pid = pid;
  }

  private finish(harness: HarnessConfig, directory: string): void {
    this.running.delete(harness.name);
    this.writeFolded(harness.name);
    this.startGranted(this.step({ type: 'ended', harness: harness.name }));
    try {
      pruneRunFiles(directory, harness.keep_runs, new Set());
    } catch (error) {
      this.world.log.warn({
        event: 'files_not_pruned',
        harness: harness.name,
        error: (error as NodeJS.ErrnoException).code ?? String(error),
      });
    }
  }

  /** A firing that waited runs by the definition that is in force when it starts. */
  private startGranted(effects: readonly AdmissionEffect[]): void {
    for (const effect of effects) {
      const next = effect.type === 'start' ? this.waiting.get(effect.harness) : undefined;
      if (next === undefined) continue;
      this.waiting.delete(next.harness.name);
      const harness = this.config().harnesses.find(({ name }) => name === next.harness.name) ?? next.harness;
      this.granted.set(harness.name, next.done);
      void this.start(harness, next.trigger).then(async (firing) => next.settle({ ...keyOf(harness, firing), ...(await firing.done) }));
    }
  }

  /** Skips during one run that share a reason fold into one record; its count is written when the run ends. */
  private async skip(harness: HarnessConfig, trigger: Trigger, reason: 'overlap' | 'stopping' | 'concurrency'): Promise<Firing> {
    const fields: RunFields = { kind: 'oneshot', trigger, outcome: 'skipped', reason, coalesced: 1 };
    const last = this.folded.get(harness.name);
    if (last !== undefined && last.reason === reason) {
      last.count += 1;
      return { decision: 'skipped', run_id: last.key.run_id, reason, done: Promise.resolve(fields) };
    }
    this.writeFolded(harness.name);
    const key: RunKey = { harness: harness.name, run_id: this.journal.allocateRunId(harness.name) };
    this.folded.set(harness.name, { key, reason, count: 1 });
    await this.journal.append('decided', key, { ...fields, started_at: formatInstant(this.world.now()) });
    return { decision: 'skipped', run_id: key.run_id, reason, done: Promise.resolve(fields) };
  }

  private writeFolded(name: string): void {
    const last = this.folded.get(name);
    this.folded.delete(name);
    if (last !== undefined && last.count > 1) void this.journal.append('updated', last.key, { coalesced: last.count });
  }

  private async cancelWaiting(name: string, cause: EndCause): Promise<void> {
    const firing = this.waiting.get(name);
    this.waiting.delete(name);
    if (firing === undefined) return;
    const key: RunKey = { harness: name, run_id: this.journal.allocateRunId(name) };
    const fields: RunFields = {
      kind: 'oneshot',
      trigger: firing.trigger,
      started_at: formatInstant(this.world.now()),
      ...endedWaiting(cause),
    };
    await this.journal.append('decided', key, fields);
    firing.settle({ ...key, ...fields });
  }
}

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
