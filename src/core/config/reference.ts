// The reference of tables and keys, written from the data that loading uses, so that it cannot tell another story.
import { TABLES } from './placement.js';
import { HARNESS_KEYS, type KeyDoor } from './placement-harness.js';
import { TABLE_KEYS } from './placement-keys.js';
import type { Door } from './source.js';

/** Markdown, ending in a newline. */
export const configReference = (): string => `${sections().join('\n\n')}\n`;

const sections = (): readonly string[] => [
  INTRODUCTION,
  '## Tables',
  TABLES_TEXT,
  table(
    ['Table', 'What it is about', 'Where it may stand', 'This version'],
    TABLES.map(({ table: name, meaning, doors, built }) => [
      `\`[${named(name)}]\``,
      meaning,
      doors.map((door) => DOOR_NAMES[door]).join(', '),
      yes(built),
    ]),
  ),
  `## \`[${named('harness.*')}]\``,
  HARNESS_TEXT,
  table(
    ['Key', 'Value', 'Default', 'Meaning', 'In a project file'],
    HARNESS_KEYS.filter(({ built }) => built).map(({ key, type, fallback, meaning, project }) => [
      `\`${key}\``,
      type,
      fallback,
      meaning,
      KEY_DOORS[project],
    ]),
  ),
  later(HARNESS_KEYS),
  ...Object.entries(TABLE_KEYS).flatMap(([name, keys]) => tableReference(name, keys)),
];

type Keys = readonly {
  readonly key: string;
  readonly built: boolean;
  readonly type: string;
  readonly fallback: string;
  readonly meaning: string;
}[];

const tableReference = (name: string, keys: Keys): readonly string[] => {
  const built = keys.filter((key) => key.built);
  const rows = built.map(({ key, type, fallback, meaning }) => [`\`${key}\``, type, fallback, meaning]);
  const unbuilt = keys.length > built.length ? [later(keys)] : [];
  return [`## \`[${named(name)}]\``, ...(rows.length === 0 ? [] : [table(['Key', 'Value', 'Default', 'Meaning'], rows)]), ...unbuilt];
};

const later = (keys: Keys): string =>
  `Known, and not supported in this version: ${keys.flatMap(({ key, built }) => (built ? [] : [`\`${key}\``])).join(', ')}.`;

const named = (name: string): string => name.replace('*', '<name>');
const yes = (built: boolean): string => (built ? 'yes' : 'not yet');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const DOOR_NAMES: Readonly<Record<Door, string>> = {
  global: 'global file',
  drop_in: 'drop-in',
  project: 'project file',
  project_up: '`harness up`',
  scratchpad: '`harness run`',
};

const KEY_DOORS: Readonly<Record<KeyDoor, string>> = { yes: 'yes', refused: 'refused', only_false: 'only `false`', not_carried: 'no' };

const INTRODUCTION = `# Configuration

The global file is \`$XDG_CONFIG_HOME/harness/harness.toml\` (else \`~/.config/harness/harness.toml\`); \`--config\` or \`HARNESS_CONFIG\` names another. \`harness init\` writes a first one with examples, \`harness config check\` says what is wrong with it, \`harness config show\` prints every value with the line that set it.

- Every mistake is reported at once, as \`FILE:LINE: harness "NAME": "KEY" …\` or \`FILE:LINE: [TABLE]: "KEY" …\`. A file with a mistake changes nothing that is running.
- An unknown table or key is a mistake. So is a key that could never take effect. A key that takes effect only in part is a warning.
- Paths may begin with \`~\`; relative ones start at the directory of the file they stand in.
- Durations are written \`300ms\`, \`2h45m\` or \`90d\`.
- Secrets do not belong in this file. Where one is needed, the file names it and an env file with mode 0600 holds it.

This page is written from the same data that loading uses.`;

const TABLES_TEXT = `Definitions come from five places. The **global file** carries everything. **Drop-ins** are the \`*.toml\` files directly in \`[server] harness_d\`, read in the order of their names; together with the global file they are one configuration, in which names are unique and each file may name what another declares. A **project file** is the nearest \`harness.toml\` above the directory you are in; \`harness up\` brings it to the daemon, \`harness down\` takes it away, and its harnesses are called \`<project>/<name>\`. \`harness run\` defines one harness on the spot, as \`scratch/<name>\`.

A table that this version does not have yet is refused, so that nothing is believed to work that does not.`;

const HARNESS_TEXT = `A harness with \`prompt\` or \`prompt_file\`, or a \`command\` with \`schedule\` or \`restart = "no"\`, is a **one-shot**: something starts it, it runs to its end on pipes, and \`timeout\`, \`on_overlap\`, \`keep_runs\`, \`schedule\` and \`catch_up\` are about it. Every other is a **resident**: a client or command on a terminal of its own that is kept alive by \`restart\`, may be held outside its \`operating_hours\`, and can be attached to. Names are 1 to 64 characters of \`A-Z a-z 0-9 _ . -\` and begin with a letter or digit.

For a \`command\`, \`{{prompt}}\` in \`argv\` stands for the prompt, \`{{prompt_file}}\` for a file that holds it when \`prompt_delivery = "file"\`. An option that the adapter does not know is a mistake: codex, for one, has no \`max_turns\`. Keys that could widen what a harness may do are refused in a project's own file.`;
