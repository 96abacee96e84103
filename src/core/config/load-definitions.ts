// Loads what comes beside the operator's files (SPEC-0004, SPEC-0011): a project's own file, a project that is brought up, and the
// scratchpad. All of it loads, or nothing does.
import * as E from 'fp-ts/lib/Either.js';
import type { ReadonlyNonEmptyArray } from 'fp-ts/lib/ReadonlyNonEmptyArray.js';
import { warnHarness } from './check-harness.js';
import type { Config, HarnessConfig } from './config.js';
import { type ConfigError, type ConfigWarning, inReadingOrder, quotedList } from './errors.js';
import { HARNESS_PATHS } from './path-keys.js';
import { HARNESS_KEYS } from './placement-harness.js';
import { TABLE_KEYS } from './placement-keys.js';
import { projectName, SCRATCHPAD } from './project-name.js';
import { readHarnesses } from './read-harnesses.js';
import { errorAt, readSection, type Section } from './section.js';
import { cutSections } from './sections.js';
import type { ConfigSource, TomlTable } from './source.js';
import { harnessConfig } from './tables/harness.js';
import { PROJECT_FIELDS } from './tables/server.js';

export interface LoadedDefinitions {
  /** As the file says, sanitized; `fallback` where it says nothing. */
  readonly project: string;
  /** Named `<project>/<name>`. */
  readonly harnesses: readonly HarnessConfig[];
  readonly warnings: readonly ConfigWarning[];
}

/** Adapters are the operator's. `fallback` is the project's name where the source gives none. */
export const loadDefinitions = (
  source: ConfigSource,
  fallback: string,
  base: Pick<Config, 'adapters'>,
): E.Either<ReadonlyNonEmptyArray<ConfigError>, LoadedDefinitions> => {
  const cut = cutSections(source);
  const sections = cut.sections.map(onWire);
  const harnesses = readHarnesses(sections, base.adapters);
  const project = readProject(sections, fallback);
  const errors = [...cut.errors, ...harnesses.errors, ...project.errors, ...sections.flatMap(checkWirePaths)];
  const [first, ...rest] = inReadingOrder(errors, [source.file]);
  if (first !== undefined) return E.left([first, ...rest]);
  return E.right({
    project: project.name,
    harnesses: harnesses.value.map((draft) => ({ ...harnessConfig(draft), name: `${project.name}/${draft.name}` })),
    warnings: inReadingOrder(harnesses.value.flatMap(warnHarness), [source.file]),
  });
};

const isWire = ({ source }: Section): boolean => source.door === 'project_up' || source.door === 'scratchpad';

/** A newer client may say more than this version knows; what is known and refused stays, to be refused by name. */
const onWire = (section: Section): Section => {
  if (!isWire(section)) return section;
  const known = Object.entries(section.table).filter(([key]) => HARNESS_KEYS.some((each) => each.key === key));
  return { ...section, table: Object.fromEntries(known) satisfies TomlTable };
};

/** The wire carries no directory that a relative path could start from. */
const checkWirePaths = (section: Section): readonly ConfigError[] =>
  isWire(section)
    ? HARNESS_PATHS.filter((key) => [section.table[key]].flat().some((path) => typeof path === 'string' && !path.startsWith('/'))).map(
        (key) => errorAt(section, 'bad_path', key, 'must be an absolute path here'),
      )
    : [];

const readProject = (
  sections: readonly Section[],
  fallback: string,
): { readonly name: string; readonly errors: readonly ConfigError[] } => {
  const section = sections.find(({ path }) => path[0] === 'project');
  const { values, errors } =
    section === undefined ? { values: {}, errors: [] } : readSection(section, PROJECT_FIELDS, TABLE_KEYS['project'] ?? []);
  const name = values.name === undefined ? fallback : projectName(values.name);
  if (name !== undefined || section === undefined) return { name: name ?? fallback, errors };
  const taken = `must leave a name that is not one of ${quotedList(['.', '..', SCRATCHPAD])}`;
  return { name: fallback, errors: [...errors, errorAt(section, 'invalid_value', 'name', taken)] };
};
