// Every harness the daemon knows: those of the configuration, of the projects that are up, and of the scratchpad. Projects come
// back with the daemon; the scratchpad does not.
import * as E from 'fp-ts/lib/Either.js';
import type { Config, HarnessConfig } from '../../core/config/config.js';
import { renderConfigError } from '../../core/config/errors.js';
import { SCRATCHPAD } from '../../core/config/project-name.js';
import { formatInstant } from '../../core/kernel/time.js';
import { type Definition, loadWire } from '../config-files/load-wire.js';
import type { StoredProject } from '../store/fleet-table.js';
import type { Store } from '../store/operations.js';
import type { Configuration } from './configuration.js';
import type { World } from './world.js';

export interface ProjectDefinition {
  readonly name: string;
  /** The project's directory, absolute. */
  readonly root: string;
  readonly definitions: readonly Definition[];
}

export type RosterError =
  | { readonly code: 'invalid_project'; readonly errors: readonly string[] }
  /** Another directory's project has this name. */
  | { readonly code: 'project_collision'; readonly root: string };

export interface Roster {
  /** The configuration in force with everything that is registered beside it. */
  readonly current: () => Config;
  /** Registers all of a project's harnesses in place of those it had, or none; gives their full names. */
  readonly up: (project: ProjectDefinition) => Promise<E.Either<RosterError, readonly string[]>>;
  /** The full names of what was registered; undefined for a project that is not up. */
  readonly down: (name: string) => Promise<readonly string[] | undefined>;
  readonly scratch: (definition: Definition) => E.Either<RosterError, HarnessConfig>;
  /** False when it is not of the scratchpad. */
  readonly remove: (harness: string) => boolean;
  readonly namesOf: (project: string) => readonly string[];
  readonly projects: () => readonly { readonly name: string; readonly root: string; readonly errors: readonly string[] }[];
  readonly onChanged: (listener: () => void) => void;
}

interface Registered {
  readonly root: string;
  readonly definitions: readonly Definition[];
  readonly harnesses: readonly HarnessConfig[];
  /** Why it could not be loaded again; kept, so that mending what it needs and a reload bring it back. */
  readonly errors: readonly string[];
}

export const openRoster = (configuration: Configuration, stored: readonly StoredProject[], store: Store, world: World): Roster =>
  new DaemonRoster(configuration, stored, store, world);

/** Its functions are bound, so each may be handed on by itself. */
class DaemonRoster implements Roster {
  private readonly configuration: Configuration;
  private readonly store: Store;
  private readonly world: World;
  private readonly registered = new Map<string, Registered>();
  private readonly scratchpad = new Map<string, HarnessConfig>();
  private readonly listeners: (() => void)[] = [];
  private turn: Promise<unknown> = Promise.resolve();
  private merged: { readonly base: Config; readonly config: Config } | undefined;

  constructor(configuration: Configuration, stored: readonly StoredProject[], store: Store, world: World) {
    this.configuration = configuration;
    this.store = store;
    this.world = world;
    for (const { name, root, definitions } of stored) this.restore(name, root, JSON.parse(definitions) as readonly Definition[]);
    configuration.onApplied(() => {
      for (const [name, { root, definitions }] of this.registered) this.restore(name, root, definitions);
      this.changed();
    });
  }

  readonly current: Roster['current'] = () => {
    const base = this.configuration.current();
    if (this.merged?.base === base) return this.merged.config;
    const projects = [...this.registered.values()].flatMap(({ harnesses }) => harnesses);
    const config = { ...base, harnesses: [...base.harnesses, ...projects, ...this.scratchpad.values()] };
    this.merged = { base, config };
    return config;
  };

  readonly up: Roster['up'] = (project) => this.inTurn(() => this.register(project));

  readonly down: Roster['down'] = (name) => this.inTurn(() => this.unregister(name));

  private async register({ name, root, definitions }: ProjectDefinition): Promise<E.Either<RosterError, readonly string[]>> {
    const before = this.registered.get(name);
    if (before !== undefined && before.root !== root) return E.left({ code: 'project_collision', root: before.root });
    const loaded = loadWire('project_up', name, definitions, this.configuration.current());
    if (E.isLeft(loaded)) return E.left({ code: 'invalid_project', errors: loaded.left.map(renderConfigError) });
    const at = formatInstant(this.world.now());
    await this.store.write('saveProject', { name, root, definitions: JSON.stringify(definitions), at });
    this.registered.set(name, { root, definitions, harnesses: loaded.right, errors: [] });
    this.changed();
    return E.right(loaded.right.map((harness) => harness.name));
  }

  private async unregister(name: string): Promise<readonly string[] | undefined> {
    if (!this.registered.has(name)) return undefined;
    const names = this.namesOf(name);
    await this.store.write('removeProject', name);
    this.registered.delete(name);
    this.changed();
    return names;
  }

  /** Two who bring up one name must not both find it free. */
  private inTurn<A>(work: () => Promise<A>): Promise<A> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => undefined);
    return done;
  }

  readonly scratch: Roster['scratch'] = (definition) => {
    const loaded = loadWire('scratchpad', SCRATCHPAD, [definition], this.configuration.current());
    if (E.isLeft(loaded)) return E.left({ code: 'invalid_project', errors: loaded.left.map(renderConfigError) });
    const [harness] = loaded.right;
    if (harness === undefined) return E.left({ code: 'invalid_project', errors: ['nothing is defined'] });
    this.scratchpad.set(harness.name, harness);
    this.changed();
    return E.right(harness);
  };

  readonly remove: Roster['remove'] = (harness) => {
    const known = this.scratchpad.delete(harness);
    if (known) this.changed();
    return known;
  };

  readonly namesOf: Roster['namesOf'] = (project) => (this.registered.get(project)?.harnesses ?? []).map(({ name }) => name);

  readonly projects: Roster['projects'] = () => [...this.registered].map(([name, { root, errors }]) => ({ name, root, errors }));

  readonly onChanged: Roster['onChanged'] = (listener) => {
    this.listeners.push(listener);
  };

  private restore(name: string, root: string, definitions: readonly Definition[]): void {
    const loaded = loadWire('project_up', name, definitions, this.configuration.current());
    if (E.isLeft(loaded)) this.world.log.error({ event: 'project_rejected', project: name, errors: loaded.left.length });
    this.registered.set(name, {
      root,
      definitions,
      // What runs by a definition that no longer loads goes on by it.
      harnesses: E.isRight(loaded) ? loaded.right : (this.registered.get(name)?.harnesses ?? []),
      errors: E.isLeft(loaded) ? loaded.left.map(renderConfigError) : [],
    });
  }

  private changed(): void {
    this.merged = undefined;
    for (const listener of this.listeners) listener();
  }
}
