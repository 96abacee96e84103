// Carries out admission of one-shots: allocates run ids, opens records, starts runs, stops them, and tells who waits for what.

import type { Config, HarnessConfig } from '../../core/config/config.js';
import { formatInstant } from '../../core/kernel/time.js';
import {
  type AdmissionEffect,
  type AdmissionEvent,
  type AdmissionState,
  emptyAdmission,
  phaseOf,
  type SkipReason,
  type Slots,
  stepAdmission,
} from '../../core/run/admission.js';
import { type EndCause, endedWaiting, spawnFailure } from '../../core/run/close.js';
import { isOpen } from '../../core/run/operating-hours.js';
import type { Trigger } from '../../core/run/outcome.js';
import type { RunFields, RunKey, RunRecord } from '../../core/run/record.js';
import { jobsDirectory } from '../files/state-paths.js';
import { type OneShotDeps, runOneShot } from '../pipelines/run-one-shot.js';
import { pruneRunFiles } from './run-log.js';
import { contextOf, endSwitch, type Origin, openedFields } from './run-start.js';
import type { Spending } from './spending.js';

export type Firing =
  | { readonly decision: 'started'; readonly run_id: number; readonly done: Promise<RunFields> }
  | { readonly decision: 'queued'; readonly done: Promise<RunFields> }
  | { readonly decision: 'skipped'; readonly run_id: number; readonly reason: string; readonly done: Promise<RunFields> }
  /** Nothing was recorded: the daemon stops, or the ledger cannot count it and its budget must not be overrun unseen. */
  | { readonly decision: 'refused'; readonly reason: 'ledger_unavailable' | 'shutting_down' };

export interface ActiveRun {
  readonly key: RunKey;
  readonly startedAt: number;
  readonly pid?: number;
  readonly spawnId: string;
}

export interface OneShots {
  readonly fire: (harness: HarnessConfig, trigger: Trigger, origin?: Origin) => Promise<Firing>;
  /** Ends the harness's run, and what waits behind it; resolves when the records are closed. False when there was none. */
  readonly stop: (harness: string, cause: EndCause) => Promise<boolean>;
  /** The end of the firing that waits, or of the one that got its turn last. */
  readonly pending: (harness: string) => Promise<RunRecord> | undefined;
  /** The end of a run under way, whether or not its record can be stored. */
  readonly ending: (key: RunKey) => Promise<RunFields> | undefined;
  readonly active: () => readonly ActiveRun[];
  readonly phase: (harness: string) => string;
  /** Takes over a changed number of slots, and cancels what waits for a harness that is gone. */
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
  readonly origin: Origin;
  readonly settle: (record: RunRecord) => void;
  readonly done: Promise<RunRecord>;
}

interface Folded {
  readonly key: RunKey;
  readonly like: string;
  count: number;
}

type SkipWhy = SkipReason | 'budget' | 'outside_hours';

export interface OneShotSupervisionDeps extends OneShotDeps {
  readonly spending: Spending;
}

export const superviseOneShots = (config: () => Config, jobs: string, deps: OneShotSupervisionDeps): OneShots =>
  new OneShotSupervision(config, jobs, deps);

/** Its functions are bound, so each may be handed on by itself. */
class OneShotSupervision implements OneShots {
  private readonly config: () => Config;
  private readonly jobs: string;
  private readonly deps: OneShotSupervisionDeps;
  private admission: AdmissionState;
  private readonly running = new Map<string, Running>();
  private readonly waiting = new Map<string, WaitingFiring>();
  private readonly granted = new Map<string, Promise<RunRecord>>();
  private readonly folded = new Map<string, Folded>();
  private closed = false;

  constructor(config: () => Config, jobs: string, deps: OneShotSupervisionDeps) {
    this.config = config;
    this.jobs = jobs;
    this.deps = deps;
    this.admission = emptyAdmission(slotsOf(config()));
  }

  readonly fire: OneShots['fire'] = async (harness, trigger, origin = {}) => {
    if (this.closed) return { decision: 'refused', reason: 'shutting_down' };
    if (trigger !== 'manual' && this.isClosed(harness)) return this.skip(harness, trigger, 'outside_hours', origin);
    if (phaseOf(this.admission, harness.name) === undefined) {
      if (this.deps.spending.isBudgeted(harness) && this.deps.journal.failing())
        return { decision: 'refused', reason: 'ledger_unavailable' };
      if (this.isSpent(harness, origin)) return this.skip(harness, trigger, 'budget', origin);
    }
    const { name, on_overlap: overlap, quota_group: group } = harness;
    const effects = this.step({ type: 'fire', harness: name, overlap, ...(group === undefined ? {} : { group }) });
    const [effect] = effects;
    if (effect?.type === 'skip') return this.skip(harness, trigger, effect.reason, origin);
    if (effect?.type === 'start') return this.start(harness, trigger, origin);
    const firing = this.queue(harness, trigger, origin);
    if (effects.some(({ type }) => type === 'signal')) this.running.get(name)?.end('replaced');
    return firing;
  };

  readonly stop: OneShots['stop'] = async (name, cause) => {
    const effects = this.step({ type: 'stop', harness: name });
    if (effects.some(({ type, harness }) => type === 'cancel' && harness === name)) await this.cancelWaiting(name, cause);
    const run = this.running.get(name);
    run?.end(cause);
    this.startGranted(effects);
    await run?.done;
    return run !== undefined || effects.length > 0;
  };

  readonly pending: OneShots['pending'] = (name) => this.waiting.get(name)?.done ?? this.granted.get(name);

  readonly ending: OneShots['ending'] = ({ harness, run_id }) => {
    const run = this.running.get(harness);
    return run?.key.run_id === run_id ? run.done : undefined;
  };

  readonly active: OneShots['active'] = () =>
    [...this.running.values()].map(({ key, startedAt, pid, spawnId }) => ({
      key,
      startedAt,
      spawnId,
      ...(pid === undefined ? {} : { pid }),
    }));

  readonly phase: OneShots['phase'] = (name) => phaseOf(this.admission, name) ?? 'stopped';

  readonly refresh: OneShots['refresh'] = () => {
    const defined = new Set(this.config().harnesses.map(({ name }) => name));
    for (const name of this.waiting.keys()) if (!defined.has(name)) void this.dropWaiting(name);
    this.startGranted(this.step({ type: 'resize', slots: slotsOf(this.config()) }));
  };

  readonly shutdown: OneShots['shutdown'] = async () => {
    this.closed = true;
    await Promise.all([...new Set([...this.waiting.keys(), ...this.running.keys()])].map((name) => this.stop(name, 'shutdown')));
  };

  private step(event: AdmissionEvent): readonly AdmissionEffect[] {
    const { state, effects } = stepAdmission(this.admission, event);
    this.admission = state;
    return effects;
  }

  private isClosed({ operating_hours: hours }: HarnessConfig): boolean {
    return hours !== undefined && !isOpen(hours, this.deps.world.wallClock(this.deps.world.now(), hours.zone));
  }

  private isSpent(harness: HarnessConfig, origin: Origin): boolean {
    return origin.override !== true && this.deps.spending.capOf(harness) !== undefined;
  }

  private queue(harness: HarnessConfig, trigger: Trigger, origin: Origin): Firing {
    let settle: (record: RunRecord) => void = () => undefined;
    const done = new Promise<RunRecord>((resolve) => {
      settle = resolve;
    });
    this.waiting.set(harness.name, { harness, trigger, origin, settle, done });
    return { decision: 'queued', done };
  }

  /** Id, opened line and map entry come before the first await, so two firings can never both start. */
  private async start(harness: HarnessConfig, trigger: Trigger, origin: Origin): Promise<Firing & { readonly decision: 'started' }> {
    const { journal, world, spending } = this.deps;
    const key: RunKey = { harness: harness.name, run_id: journal.allocateRunId(harness.name) };
    const startedAt = world.now();
    const workdir = harness.workdir ?? process.cwd();
    const directory = jobsDirectory(this.jobs, harness.name);
    const spawnId = world.randomHex(16);
    const { ended, end } = endSwitch();
    const context = contextOf(this.config(), harness, key, workdir, spawnId);
    spending.admitted(harness.name);
    const fields = openedFields('oneshot', `${directory}/${key.run_id}.log`, trigger, startedAt, origin);
    const opened = journal.append('opened', key, fields, context);
    const { adapters, trace } = this.config();
    const request = { key, harness, adapters, verify: trace.verify, trigger, startedAt, workdir, jobs: directory, spawnId, ended };
    const done = opened
      .then((durability) =>
        durability !== 'stored' && spending.isBudgeted(harness)
          ? this.closeBroken(key, startedAt, 'the ledger could not store the start of a budgeted run')
          : runOneShot({ ...request, onSpawn: (pid) => this.spawned(harness.name, pid) }, this.deps),
      )
      .catch((error: unknown) => this.closeBroken(key, startedAt, error))
      .then((end) => this.pay(harness.name, startedAt, end))
      .finally(() => this.finish(harness, directory));
    this.running.set(harness.name, { key, startedAt, spawnId, end, done });
    await opened;
    return { decision: 'started', run_id: key.run_id, done };
  }

  /** A fault of ours must not leave a record open, or the harness held. */
  private async closeBroken(key: RunKey, startedAt: number, error: unknown): Promise<RunFields> {
    this.deps.world.log.error({ event: 'run_spawn_failed', harness: key.harness, run: key.run_id, error: String(error) });
    const fields = spawnFailure(startedAt, this.deps.world.now());
    await this.deps.journal.append('closed', key, fields);
    return fields;
  }

  private pay(name: string, startedAt: number, fields: RunFields): RunFields {
    this.deps.spending.paid(name, startedAt, fields.cost_usd);
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
      this.deps.world.log.warn({
        event: 'files_not_pruned',
        harness: harness.name,
        error: (error as NodeJS.ErrnoException).code ?? String(error),
      });
    }
  }

  /** A firing that waited runs by the definition that is in force when it starts, if its budget still allows it. */
  private startGranted(effects: readonly AdmissionEffect[]): void {
    for (const effect of effects) {
      const next = effect.type === 'start' ? this.waiting.get(effect.harness) : undefined;
      if (next === undefined) continue;
      const { name } = next.harness;
      this.waiting.delete(name);
      const harness = this.config().harnesses.find((each) => each.name === name) ?? next.harness;
      this.granted.set(name, next.done);
      void this.startWaiter(harness, next).then(next.settle);
    }
  }

  private async startWaiter(harness: HarnessConfig, { trigger, origin }: WaitingFiring): Promise<RunRecord> {
    if (this.isSpent(harness, origin)) {
      const skipped = await this.skip(harness, trigger, 'budget', origin);
      this.startGranted(this.step({ type: 'ended', harness: harness.name }));
      return { harness: harness.name, run_id: skipped.run_id, ...(await skipped.done) };
    }
    const { run_id, done } = await this.start(harness, trigger, origin);
    return { harness: harness.name, run_id, ...(await done) };
  }

  /** Skips during one run that share trigger and reason fold into one record; its count is written when the run ends. */
  private async skip(
    harness: HarnessConfig,
    trigger: Trigger,
    reason: SkipWhy,
    origin: Origin,
  ): Promise<Firing & { readonly decision: 'skipped' }> {
    const { journal, world } = this.deps;
    const fields: RunFields = { kind: 'oneshot', trigger, ...origin, outcome: 'skipped', reason, coalesced: 1 };
    const last = this.folded.get(harness.name);
    const like = `${trigger} ${reason}`;
    if (last !== undefined && last.like === like && phaseOf(this.admission, harness.name) !== undefined) {
      last.count += 1;
      return { decision: 'skipped', run_id: last.key.run_id, reason, done: Promise.resolve(fields) };
    }
    this.writeFolded(harness.name);
    const key: RunKey = { harness: harness.name, run_id: journal.allocateRunId(harness.name) };
    this.folded.set(harness.name, { key, like, count: 1 });
    await journal.append('decided', key, { ...fields, started_at: formatInstant(world.now()) });
    return { decision: 'skipped', run_id: key.run_id, reason, done: Promise.resolve(fields) };
  }

  private writeFolded(name: string): void {
    const last = this.folded.get(name);
    this.folded.delete(name);
    if (last !== undefined && last.count > 1) void this.deps.journal.append('updated', last.key, { coalesced: last.count });
  }

  /** Its harness left the configuration. The run under way, if any, goes on. */
  private async dropWaiting(name: string): Promise<void> {
    this.startGranted(this.step({ type: 'drop', harness: name }));
    await this.cancelWaiting(name, 'reload');
  }

  private async cancelWaiting(name: string, cause: EndCause): Promise<void> {
    const firing = this.waiting.get(name);
    this.waiting.delete(name);
    if (!this.running.has(name)) this.writeFolded(name);
    if (firing === undefined) return;
    const key: RunKey = { harness: name, run_id: this.deps.journal.allocateRunId(name) };
    const fields: RunFields = {
      kind: 'oneshot',
      trigger: firing.trigger,
      ...firing.origin,
      started_at: formatInstant(this.deps.world.now()),
      ...endedWaiting(cause),
    };
    await this.deps.journal.append('decided', key, fields);
    firing.settle({ ...key, ...fields });
  }
}

const slotsOf = ({ budget }: Config): Slots => ({
  all: budget.max_concurrent ?? Number.POSITIVE_INFINITY,
  groups: Object.fromEntries(Object.entries(budget.groups).map(([name, { max_concurrent }]) => [name, max_concurrent])),
});
