// Carries out the lives of residents: one state machine and one terminal per harness, woken by its process, by operators, by the
// configuration and by the clock.
import type { Config, HarnessConfig } from '../../core/config/config.js';
import { type EndCause, spawnFailure } from '../../core/run/close.js';
import { isOpen } from '../../core/run/operating-hours.js';
import type { RunFields, RunKey } from '../../core/run/record.js';
import {
  type Hold,
  hasProcess,
  type ResidentEffect,
  type ResidentEvent,
  type ResidentPhase,
  type ResidentState,
  type ResidentTrigger,
  STOPPED,
  stepResident,
} from '../../core/run/resident.js';
import { RESIDENT_LOG } from '../files/run-files.js';
import { jobsDirectory } from '../files/state-paths.js';
import { runResident } from '../pipelines/run-resident.js';
import type { Durability } from './journal.js';
import type { ActiveRun, OneShotSupervisionDeps } from './one-shots.js';
import { contextOf, endSwitch, openedFields } from './run-start.js';
import { openTerminal, type Terminal } from './terminal.js';

export interface ResidentView {
  readonly phase: ResidentPhase;
  readonly wanted: boolean;
  readonly holds: readonly Hold[];
  readonly failures: number;
  /** When the next restart is due. */
  readonly dueAt?: number;
}

export interface Residents {
  readonly start: (harness: HarnessConfig, trigger: 'manual' | 'autostart') => Promise<void>;
  /** Resolves when its process is gone and its record closed. False when there was nothing to stop. */
  readonly stop: (harness: string, cause: 'operator' | 'shutdown' | 'reload') => Promise<boolean>;
  readonly restart: (harness: HarnessConfig) => Promise<void>;
  readonly view: (harness: string) => ResidentView;
  readonly active: () => readonly ActiveRun[];
  readonly ending: (key: RunKey) => Promise<RunFields> | undefined;
  readonly terminal: (harness: string) => Terminal;
  /** Names that have a process or wait to have one. */
  readonly busy: () => readonly string[];
  /** Lets operating hours and budgets take effect now. */
  readonly review: () => void;
  readonly shutdown: () => Promise<void>;
}

const REVIEW_MS = 5_000;

interface Process {
  readonly key: RunKey;
  readonly startedAt: number;
  readonly spawnId: string;
  readonly end: (cause: EndCause) => void;
  readonly done: Promise<RunFields>;
  pid?: number;
}

export const superviseResidents = (config: () => Config, jobs: string, deps: OneShotSupervisionDeps): Residents =>
  new ResidentSupervision(config, jobs, deps);

/** Its functions are bound, so each may be handed on by itself. */
class ResidentSupervision implements Residents {
  private readonly config: () => Config;
  private readonly jobs: string;
  private readonly deps: OneShotSupervisionDeps;
  private readonly lives = new Map<string, Life>();
  private readonly timer: NodeJS.Timeout;
  private closed = false;

  constructor(config: () => Config, jobs: string, deps: OneShotSupervisionDeps) {
    this.config = config;
    this.jobs = jobs;
    this.deps = deps;
    this.timer = setInterval(this.review, REVIEW_MS);
    this.timer.unref();
  }

  readonly start: Residents['start'] = async (harness, trigger) => {
    if (this.closed) return;
    const life = this.lifeOf(harness.name);
    life.define(harness);
    life.review();
    life.apply({ type: 'start', trigger });
    await life.begun;
  };

  readonly stop: Residents['stop'] = async (name, cause) => {
    const life = this.lives.get(name);
    if (life === undefined) return false;
    const busy = life.isBusy();
    life.apply({ type: 'stop', cause });
    await life.process?.done;
    return busy;
  };

  readonly restart: Residents['restart'] = async (harness) => {
    if (this.closed) return;
    const life = this.lifeOf(harness.name);
    life.define(harness);
    life.review();
    const before = life.process;
    life.apply({ type: 'restart' });
    await before?.done;
    await life.begun;
  };

  readonly view: Residents['view'] = (name) => {
    const { phase, wanted, holds, failures, dueAt } = this.lives.get(name)?.state ?? STOPPED;
    return { phase, wanted, holds, failures, ...(phase === 'restarting' && dueAt !== undefined ? { dueAt } : {}) };
  };

  readonly active: Residents['active'] = () =>
    [...this.lives.values()].flatMap(({ process }) => {
      if (process === undefined) return [];
      const { key, startedAt, spawnId, pid } = process;
      return [{ key, startedAt, spawnId, ...(pid === undefined ? {} : { pid }) }];
    });

  readonly ending: Residents['ending'] = ({ harness, run_id }) => {
    const process = this.lives.get(harness)?.process;
    return process?.key.run_id === run_id ? process.done : undefined;
  };

  readonly terminal: Residents['terminal'] = (name) => this.lifeOf(name).terminal;

  readonly busy: Residents['busy'] = () => [...this.lives].filter(([, life]) => life.isBusy()).map(([name]) => name);

  readonly review: Residents['review'] = () => {
    for (const [name, life] of this.lives) {
      const harness = this.config().harnesses.find((each) => each.name === name);
      if (harness?.kind === 'resident') life.define(harness);
      life.review();
      if (harness?.kind !== 'resident' && !life.isBusy()) this.forget(name, life);
    }
  };

  readonly shutdown: Residents['shutdown'] = async () => {
    this.closed = true;
    clearInterval(this.timer);
    await Promise.all([...this.lives.keys()].map((name) => this.stop(name, 'shutdown')));
    for (const life of this.lives.values()) life.terminal.close();
  };

  /** What is defined no longer keeps no screen. */
  private forget(name: string, life: Life): void {
    life.terminal.close();
    this.lives.delete(name);
  }

  private lifeOf(name: string): Life {
    const known = this.lives.get(name);
    if (known !== undefined) return known;
    const life = new Life(name, this.config, jobsDirectory(this.jobs, name), this.deps);
    this.lives.set(name, life);
    return life;
  }
}

class Life {
  readonly terminal: Terminal = openTerminal();
  state: ResidentState = STOPPED;
  process: Process | undefined;
  /** Resolves when the start under way has a process, or has failed to make one. */
  begun: Promise<void> = Promise.resolve();
  private harness: HarnessConfig | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly name: string;
  private readonly config: () => Config;
  private readonly directory: string;
  private readonly deps: OneShotSupervisionDeps;

  constructor(name: string, config: () => Config, directory: string, deps: OneShotSupervisionDeps) {
    this.name = name;
    this.config = config;
    this.directory = directory;
    this.deps = deps;
  }

  /** A changed definition takes effect at the next start; a running process is left alone. */
  define(harness: HarnessConfig): void {
    this.harness = harness;
  }

  isBusy(): boolean {
    return hasProcess(this.state) || this.state.phase === 'restarting';
  }

  apply(event: ResidentEvent): void {
    if (this.harness === undefined) return;
    const before = this.state.phase;
    const { state, effects } = stepResident(this.state, event, this.deps.world.now(), this.harness);
    this.state = state;
    this.arm();
    if (state.phase !== before) this.terminal.notice(`${this.name}: ${state.phase}`);
    for (const effect of effects) this.carryOut(effect, this.harness);
  }

  /** Holds follow operating hours and budgets. */
  review(): void {
    const { harness } = this;
    if (harness === undefined) return;
    const { world, spending } = this.deps;
    const hours = harness.operating_hours;
    const closed = hours !== undefined && !isOpen(hours, world.wallClock(world.now(), hours.zone));
    this.apply({ type: closed ? 'hold' : 'release', hold: 'hours' });
    // A process under way goes on when its day's budget is spent; only the next start is held.
    const spent = spending.capOf(harness) !== undefined;
    if (!spent || !hasProcess(this.state) || this.state.phase === 'stopping')
      this.apply({ type: spent ? 'hold' : 'release', hold: 'budget' });
  }

  private carryOut(effect: ResidentEffect, harness: HarnessConfig): void {
    const { log } = this.deps.world;
    switch (effect.type) {
      case 'spawn':
        this.spawn(harness, effect.trigger);
        break;
      case 'end':
        this.process?.end(effect.cause);
        break;
      case 'give_up':
        log.error({ event: 'resident_given_up', harness: this.name, failures: effect.failures });
        break;
      case 'flapping':
        log.warn({ event: 'resident_flapping', harness: this.name });
        break;
    }
  }

  /** Timers are not exact, so the machine is asked with the time it is waiting for. */
  private arm(): void {
    clearTimeout(this.timer);
    const { dueAt } = this.state;
    if (dueAt === undefined) return;
    this.timer = setTimeout(() => this.wake(), Math.max(0, dueAt - this.deps.world.now()));
    this.timer.unref();
  }

  private wake(): void {
    this.review();
    this.apply({ type: 'due' });
    if (this.state.dueAt !== undefined) this.arm();
  }

  /** Id, opened line and process entry come before the first await, so that two processes can never both begin. */
  private spawn(harness: HarnessConfig, trigger: ResidentTrigger): void {
    const { journal, world, spending } = this.deps;
    const key: RunKey = { harness: this.name, run_id: journal.allocateRunId(this.name) };
    const startedAt = world.now();
    const workdir = harness.workdir ?? process.cwd();
    const spawnId = world.randomHex(16);
    const budgeted = spending.isBudgeted(harness);
    const { ended, end } = endSwitch();
    const context = contextOf(this.config(), harness, key, workdir, spawnId);
    spending.admitted(this.name);
    const fields = openedFields('resident', `${this.directory}/${RESIDENT_LOG}`, trigger, startedAt);
    const opened = journal.append('opened', key, fields, context);
    const { adapters, trace } = this.config();
    const begun = beginning();
    this.begun = begun.promise;
    const onSpawn = (pid: number): void => {
      this.spawned(key, pid);
      begun.resolve();
    };
    const base = { key, harness, adapters, verify: trace.verify, trigger, startedAt, workdir, jobs: this.directory, spawnId, ended };
    const request = { ...base, onSpawn, terminal: this.terminal, budgeted };
    // The restart of an unbudgeted resident does not wait for its line; every other start does.
    const ready = trigger === 'restart' && !budgeted ? Promise.resolve<Durability>('stored') : opened;
    const done = ready
      .then((durability) =>
        budgeted && durability !== 'stored'
          ? this.closeBroken(key, startedAt, 'the ledger could not store the start of a budgeted resident')
          : runResident(request, this.deps),
      )
      .catch((error: unknown) => this.closeBroken(key, startedAt, error))
      .then((end) => this.ended(key, startedAt, end))
      .finally(begun.resolve);
    this.process = { key, startedAt, spawnId, end, done };
  }

  private spawned(key: RunKey, pid: number): void {
    if (this.process?.key === key) this.process.pid = pid;
    this.apply({ type: 'spawned' });
  }

  private ended(key: RunKey, startedAt: number, fields: RunFields): RunFields {
    if (this.process?.key === key) this.process = undefined;
    this.deps.spending.paid(this.name, startedAt, fields.cost_usd);
    this.review();
    this.apply({ type: 'exited', succeeded: fields.outcome === 'success' });
    return fields;
  }

  /** A fault of ours must not leave a record open, or the harness held. */
  private async closeBroken(key: RunKey, startedAt: number, error: unknown): Promise<RunFields> {
    this.deps.world.log.error({ event: 'run_spawn_failed', harness: key.harness, run: key.run_id, error: String(error) });
    const fields = spawnFailure(startedAt, this.deps.world.now());
    await this.deps.journal.append('closed', key, fields);
    return fields;
  }
}

const beginning = (): { readonly promise: Promise<void>; readonly resolve: () => void } => {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
};
