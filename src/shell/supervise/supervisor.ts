// The whole fleet under one roof: one-shots and residents, what operators want of them, and what a new configuration means for them.
import type { Config, HarnessConfig } from '../../core/config/config.js';
import type { Tally } from '../../core/kernel/tally.js';
import type { Unattributed } from '../../core/run/attribution.js';
import type { RunFields, RunKey } from '../../core/run/record.js';
import type { World } from '../daemon/world.js';
import type { StoredIntent } from '../store/fleet-table.js';
import type { Store } from '../store/operations.js';
import { type FleetWindows, openFleetWindows } from '../traces/transcripts/fleet-windows.js';
import { type ActiveRun, type OneShotSupervisionDeps, type OneShots, superviseOneShots } from './one-shots.js';
import { type Residents, type ResidentView, superviseResidents } from './residents.js';
import type { Terminal } from './terminal.js';

export type { ActiveRun, Firing } from './one-shots.js';

export interface Supervisor extends Pick<OneShots, 'fire' | 'pending'> {
  /** Starts a resident; its view says whether it runs, waits or is held. */
  readonly start: (harness: HarnessConfig) => Promise<ResidentView>;
  readonly restart: (harness: HarnessConfig) => Promise<ResidentView>;
  /** Ends what the harness runs and what waits; resolves when the records are closed. False when there was nothing. */
  readonly stop: (harness: string) => Promise<boolean>;
  /** Ends what the harness runs because its definition is gone: nobody stopped it, so no intent is noted. */
  readonly gone: (harness: string) => Promise<void>;
  /** Whether a resident starts with the daemon, over what the configuration says, until the configuration says otherwise. */
  readonly enable: (harness: HarnessConfig, enabled: boolean) => Promise<void>;
  readonly isEnabled: (harness: HarnessConfig) => boolean;
  readonly ending: (key: RunKey) => Promise<RunFields> | undefined;
  readonly active: () => readonly ActiveRun[];
  readonly phase: (harness: string) => string;
  readonly view: (harness: string) => ResidentView;
  readonly terminal: (harness: string) => Terminal;
  /** Sessions found in transcripts that belong to no run, by reason, since the daemon started. */
  readonly unattributed: () => Tally<Unattributed>;
  /** Starts what starts with the daemon. */
  readonly autostart: () => void;
  /** Takes over a new configuration: what is running is left alone, unless it is defined no longer. */
  readonly refresh: () => void;
  readonly shutdown: () => Promise<void>;
}

export interface SupervisorDeps extends Omit<OneShotSupervisionDeps, 'windows'> {
  readonly intents: readonly StoredIntent[];
}

export const superviseHarnesses = (config: () => Config, jobs: string, deps: SupervisorDeps): Supervisor =>
  new FleetSupervision(config, jobs, deps);

/** Its functions are bound, so each may be handed on by itself. */
class FleetSupervision implements Supervisor {
  private readonly config: () => Config;
  private readonly store: Store;
  private readonly world: World;
  private readonly windows: FleetWindows;
  private readonly oneShots: OneShots;
  private readonly residents: Residents;
  private readonly intents: Map<string, StoredIntent>;
  /** What was declared to start with the daemon when the configuration was last looked at. */
  private declared: ReadonlySet<string> = new Set();

  constructor(config: () => Config, jobs: string, deps: SupervisorDeps) {
    this.config = config;
    this.store = deps.store;
    this.world = deps.world;
    this.windows = openFleetWindows();
    this.oneShots = superviseOneShots(config, jobs, { ...deps, windows: this.windows });
    this.residents = superviseResidents(config, jobs, { ...deps, windows: this.windows });
    this.intents = new Map(deps.intents.map((intent) => [intent.harness, intent]));
  }

  readonly fire: Supervisor['fire'] = async (harness, trigger, origin) => {
    // A harness that was a resident may still be ending as one: never two processes of one harness.
    if (this.residents.busy().includes(harness.name)) await this.residents.stop(harness.name, 'reload');
    return this.oneShots.fire(harness, trigger, origin);
  };

  readonly pending: Supervisor['pending'] = (name) => this.oneShots.pending(name);

  readonly start: Supervisor['start'] = async (harness) => {
    await this.note(harness.name, { stopped: false });
    await this.oneShotGone(harness.name);
    await this.residents.start(harness, 'manual');
    return this.residents.view(harness.name);
  };

  readonly restart: Supervisor['restart'] = async (harness) => {
    await this.note(harness.name, { stopped: false });
    await this.oneShotGone(harness.name);
    await this.residents.restart(harness);
    return this.residents.view(harness.name);
  };

  readonly stop: Supervisor['stop'] = async (name) => {
    const kind = this.config().harnesses.find((each) => each.name === name)?.kind;
    if (kind === 'resident') await this.note(name, { stopped: true });
    const stopped = await Promise.all([this.oneShots.stop(name, 'operator'), this.residents.stop(name, 'operator')]);
    return stopped.includes(true);
  };

  readonly gone: Supervisor['gone'] = async (name) => {
    await Promise.all([this.oneShots.stop(name, 'reload'), this.residents.stop(name, 'reload')]);
  };

  readonly enable: Supervisor['enable'] = (harness, enabled) =>
    this.note(harness.name, { enabled: { wanted: enabled, declared: harness.enabled } });

  readonly isEnabled: Supervisor['isEnabled'] = ({ name, enabled }) => {
    const said = this.intents.get(name)?.enabled;
    return said !== undefined && said.declared === enabled ? said.wanted : enabled;
  };

  readonly ending: Supervisor['ending'] = (key) => this.oneShots.ending(key) ?? this.residents.ending(key);

  readonly active: Supervisor['active'] = () => [...this.oneShots.active(), ...this.residents.active()];

  readonly phase: Supervisor['phase'] = (name) => {
    const phase = this.oneShots.phase(name);
    return phase === 'stopped' ? this.residents.view(name).phase : phase;
  };

  readonly view: Supervisor['view'] = (name) => this.residents.view(name);

  readonly terminal: Supervisor['terminal'] = (name) => this.residents.terminal(name);

  readonly unattributed: Supervisor['unattributed'] = () => this.windows.tally();

  readonly autostart: Supervisor['autostart'] = () => {
    for (const harness of this.startingResidents()) this.begin(harness);
    this.declared = this.declaredNow();
  };

  readonly refresh: Supervisor['refresh'] = () => {
    const residents = new Map(this.config().harnesses.flatMap((each) => (each.kind === 'resident' ? [[each.name, each]] : [])));
    for (const name of this.residents.busy()) if (!residents.has(name)) void this.residents.stop(name, 'reload');
    // What an operator enabled starts with the daemon; what the configuration newly enables starts with it.
    for (const harness of this.startingResidents()) if (harness.enabled && !this.declared.has(harness.name)) this.begin(harness);
    this.declared = this.declaredNow();
    this.oneShots.refresh();
    this.residents.review();
  };

  readonly shutdown: Supervisor['shutdown'] = async () => {
    await Promise.all([this.oneShots.shutdown(), this.residents.shutdown()]);
  };

  private startingResidents(): readonly HarnessConfig[] {
    return this.config().harnesses.filter((harness) => {
      const wasStopped = harness.restart === 'unless-stopped' && this.intents.get(harness.name)?.stopped === true;
      return harness.kind === 'resident' && this.isEnabled(harness) && !wasStopped;
    });
  }

  private declaredNow(): ReadonlySet<string> {
    return new Set(this.config().harnesses.flatMap((harness) => (harness.enabled ? [harness.name] : [])));
  }

  private begin(harness: HarnessConfig): void {
    void this.oneShotGone(harness.name).then(() => this.residents.start(harness, 'autostart'));
  }

  /** A harness that was a one-shot may still run as one: never two processes of one harness. */
  private async oneShotGone(name: string): Promise<void> {
    if (this.oneShots.phase(name) !== 'stopped') await this.oneShots.stop(name, 'reload');
  }

  private async note(harness: string, change: Partial<StoredIntent>): Promise<void> {
    const before = this.intents.get(harness) ?? { harness, stopped: false };
    const intent = { ...before, ...change };
    if (JSON.stringify(before) === JSON.stringify(intent)) return;
    this.intents.set(harness, intent);
    await this.store
      .write('writeIntent', intent)
      .catch((error: unknown) => this.world.log.error({ event: 'intent_not_stored', harness, error: String(error) }));
  }
}
