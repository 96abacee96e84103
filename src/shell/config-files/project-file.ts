// A project's own harness.toml: where it is, and what of it goes to the daemon.
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { Config } from '../../core/config/config.js';
import { type ConfigError, renderConfigWarning } from '../../core/config/errors.js';
import { loadDefinitions } from '../../core/config/load-definitions.js';
import { HARNESS_PATHS } from '../../core/config/path-keys.js';
import { projectName } from '../../core/config/project-name.js';
import { cutSections } from '../../core/config/sections.js';
import type { ConfigSource, TomlTable } from '../../core/config/source.js';
import type { Definition } from './load-wire.js';
import { readSource } from './read-source.js';

export const PROJECT_FILE = 'harness.toml';

export interface LoadedProject {
  readonly file: string;
  readonly root: string;
  readonly name: string;
  readonly definitions: readonly Definition[];
  readonly warnings: readonly string[];
}

/** The nearest file from a directory upward, up to the home directory or the root; the global file is none. */
export const findProjectFile = (start: string, globalFile: string, home: string): string | undefined => {
  const stop = realPath(home);
  for (let directory = realPath(resolve(start)); ; directory = dirname(directory)) {
    const file = join(directory, PROJECT_FILE);
    if (existsSync(file) && realPath(file) !== realPath(globalFile)) return file;
    if (directory === stop || dirname(directory) === directory) return undefined;
  }
};

/** A harness without a workdir runs in the project's directory. Errors name file and line as of any configuration. */
export const loadProject = (file: string, base: Pick<Config, 'adapters'>): E.Either<readonly ConfigError[], LoadedProject> => {
  const source = readSource(file, 'project');
  if (E.isLeft(source)) return E.left([source.left]);
  const root = dirname(realPath(resolve(file)));
  const fallback = projectName(basename(root)) ?? 'project';
  const loaded = loadDefinitions(source.right, fallback, base);
  if (E.isLeft(loaded)) return loaded;
  const { project, warnings } = loaded.right;
  const sections = cutSections(source.right).sections;
  return E.right({
    file,
    root,
    name: project,
    definitions: sections.flatMap(({ place, table }) =>
      place.kind === 'harness' ? [{ name: place.name, definition: { workdir: root, ...absolute(table, source.right) } }] : [],
    ),
    warnings: warnings.map(renderConfigWarning),
  });
};

const absolute = (table: TomlTable, { paths }: ConfigSource): TomlTable =>
  Object.fromEntries(
    Object.entries(table).map(([key, value]) => {
      if (!HARNESS_PATHS.some((each) => each === key)) return [key, value];
      const at = (path: unknown): unknown => (typeof path === 'string' ? (paths.get(path)?.path ?? path) : path);
      return [key, Array.isArray(value) ? value.map(at) : at(value)];
    }),
  );

const realPath = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};
