// Loads definitions that came over the wire: what `harness up` and `harness run` send.
import * as E from 'fp-ts/lib/Either.js';
import type { Config, HarnessConfig } from '../../core/config/config.js';
import type { ConfigError } from '../../core/config/errors.js';
import { loadDefinitions } from '../../core/config/load-definitions.js';
import type { Door, TomlTable } from '../../core/config/source.js';
import { factsOf } from './read-source.js';

export interface Definition {
  readonly name: string;
  /** The keys of a harness table; every path absolute. */
  readonly definition: TomlTable;
}

/** All of them, named `<project>/<name>`, or every error; `at` stands for the file in errors. */
export const loadWire = (
  door: Extract<Door, 'project_up' | 'scratchpad'>,
  project: string,
  definitions: readonly Definition[],
  base: Config,
): E.Either<readonly ConfigError[], readonly HarnessConfig[]> => {
  const harness: TomlTable = Object.fromEntries(definitions.map(({ name, definition }) => [name, definition]));
  const tables = { harness };
  const loaded = loadDefinitions({ file: project, door, tables, lines: new Map(), ...factsOf(tables, '/') }, project, base);
  if (E.isLeft(loaded)) return loaded;
  return E.right(loaded.right.harnesses);
};
