// Which table may stand at which door, by presence, as data (SPEC-0030 REQ-1, SPEC-0032 REQ-1): the global file carries every
// table, the other doors only what an operator's drop-in or a repository may say.
import type { Door } from './source.js';

export interface TablePlacement {
  /** Dotted name; a last part `*` stands for the operator's own name. */
  readonly table: string;
  readonly doors: readonly Door[];
  /** False: the feature behind it does not exist in this version. */
  readonly built: boolean;
  readonly meaning: string;
}

const GLOBAL: readonly Door[] = ['global'];
const OPERATOR: readonly Door[] = ['global', 'drop_in'];
const FILES: readonly Door[] = ['global', 'drop_in', 'project'];
const EVERYWHERE: readonly Door[] = ['global', 'drop_in', 'project', 'project_up', 'scratchpad'];

export const TABLES: readonly TablePlacement[] = [
  { table: 'harness.*', doors: EVERYWHERE, built: true, meaning: 'an agent or command that Harness runs' },
  { table: 'adapter.*', doors: OPERATOR, built: true, meaning: 'how a client is called; overrides a built-in or extends one' },
  { table: 'memory', doors: GLOBAL, built: true, meaning: 'what keeps the memory of finished runs' },
  { table: 'memory.episodes', doors: GLOBAL, built: true, meaning: 'how episodes are made and how long they live' },
  { table: 'memory.expiry', doors: GLOBAL, built: false, meaning: 'how facts age' },
  { table: 'memory.promotion', doors: GLOBAL, built: false, meaning: 'how facts spread' },
  { table: 'model_api', doors: GLOBAL, built: true, meaning: 'the model server for summaries and embeddings' },
  { table: 'ledger', doors: GLOBAL, built: true, meaning: 'how long run records are kept' },
  { table: 'trace', doors: GLOBAL, built: true, meaning: 'how long traces are kept, and what counts as checking the work' },
  { table: 'budget.group.*', doors: GLOBAL, built: true, meaning: 'the slots of a quota group' },
  { table: 'budget', doors: GLOBAL, built: true, meaning: 'how much may run at once' },
  { table: 'server', doors: GLOBAL, built: true, meaning: 'where the daemon listens and what it reads besides this file' },
  { table: 'channel.*', doors: OPERATOR, built: false, meaning: 'a source of events the daemon connects to' },
  { table: 'webhook.*', doors: OPERATOR, built: false, meaning: 'a source of events that calls the daemon' },
  { table: 'mcp', doors: GLOBAL, built: false, meaning: 'the tool gateway' },
  { table: 'mcp.*', doors: FILES, built: false, meaning: 'a tool server behind the gateway' },
  { table: 'mcp_policy.*', doors: OPERATOR, built: false, meaning: 'which tools a harness may use' },
  { table: 'loadout.*', doors: GLOBAL, built: false, meaning: 'how a triggered run gets the smallest kit' },
  { table: 'guard.*', doors: GLOBAL, built: false, meaning: 'a model that screens events' },
  { table: 'screen', doors: GLOBAL, built: false, meaning: 'how events are screened' },
  { table: 'skills', doors: GLOBAL, built: false, meaning: 'the skill index' },
  { table: 'skill_repo.*', doors: GLOBAL, built: false, meaning: 'a repository of skills' },
  { table: 'graph', doors: GLOBAL, built: false, meaning: 'the graph of sessions, branches and edits' },
  { table: 'eval', doors: GLOBAL, built: false, meaning: 'how evaluations run' },
  { table: 'eval_target.*', doors: GLOBAL, built: false, meaning: 'what evaluations run on' },
  { table: 'telemetry', doors: GLOBAL, built: false, meaning: 'what leaves the host' },
  { table: 'notify', doors: GLOBAL, built: false, meaning: 'a program told of what needs a person' },
  { table: 'redact', doors: GLOBAL, built: false, meaning: 'your own patterns for the redactor' },
  { table: 'stable.*', doors: GLOBAL, built: false, meaning: 'where packages come from' },
  { table: 'daemon', doors: GLOBAL, built: false, meaning: 'how the daemon behaves' },
  { table: 'profile.*', doors: GLOBAL, built: false, meaning: 'a named group of harnesses' },
  { table: 'project', doors: ['project'], built: true, meaning: 'the name of a project' },
];

/** The row of a table's path: its exact name, or the one that stands for every name in its last place. */
export const placementOf = (path: readonly string[]): TablePlacement | undefined =>
  TABLES.find(({ table }) => table === path.join('.')) ??
  (path.length > 1 ? TABLES.find(({ table }) => table === [...path.slice(0, -1), '*'].join('.')) : undefined);

/** Top-level names that belong to tables, so that no harness can be meant by them. */
export const RESERVED_NAMES: readonly string[] = [...new Set(TABLES.map(({ table }) => table.split('.')[0] ?? ''))];

export const isReservedName = (name: string): boolean => RESERVED_NAMES.includes(name);

const HOMES: Readonly<Record<Door, string>> = {
  global: "the daemon's harness.toml",
  drop_in: 'a drop-in',
  project: "a project's harness.toml",
  project_up: 'a project definition',
  scratchpad: 'a scratchpad definition',
};

/** Why a table may not stand at a door: names where it belongs. */
export const misplacement = ({ doors }: TablePlacement): string => {
  const home = HOMES[doors[0] ?? 'global'];
  return doors.length === 1 && doors[0] === 'global' ? `is global-only: declare it in ${home}` : `cannot stand here: declare it in ${home}`;
};
