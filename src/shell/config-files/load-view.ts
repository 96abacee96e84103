// Loads the operator's whole configuration from disk: the global file, then the drop-ins it names, as one view.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { ReadonlyNonEmptyArray } from 'fp-ts/lib/ReadonlyNonEmptyArray.js';
import type { Config } from '../../core/config/config.js';
import { type ConfigError, inReadingOrder, renderConfigWarning } from '../../core/config/errors.js';
import { loadConfig } from '../../core/config/load.js';
import { type ConfigSource, isTable } from '../../core/config/source.js';
import { byCodePoint, sorted } from '../../core/kernel/order.js';
import { readSource } from './read-source.js';

export interface LoadedView {
  readonly config: Config;
  readonly sources: ReadonlyNonEmptyArray<ConfigSource>;
  /** One line each, for people. */
  readonly warnings: readonly string[];
}

/** Every error at once, in reading order; or the configuration. Never throws. */
export const loadView = (path: string): E.Either<readonly ConfigError[], LoadedView> => {
  const global = readSource(path, 'global');
  if (E.isLeft(global)) return E.left([global.left]);
  const files = dropIns(global.right);
  const readings = files.map((file) => readSource(file, 'drop_in'));
  const unread = readings.flatMap((reading) => (E.isLeft(reading) ? [reading.left] : []));
  const sources: ReadonlyNonEmptyArray<ConfigSource> = [
    global.right,
    ...readings.flatMap((reading) => (E.isRight(reading) ? [reading.right] : [])),
  ];
  const loaded = loadConfig(sources);
  if (unread.length > 0) return E.left(inReadingOrder([...(E.isLeft(loaded) ? loaded.left : []), ...unread], [path, ...files]));
  if (E.isLeft(loaded)) return loaded;
  return E.right({ config: loaded.right.config, sources, warnings: loaded.right.warnings.map(renderConfigWarning) });
};

/** Every `*.toml` directly in the directory, in the order of their names; a directory that is none is the loader's to refuse. */
const dropIns = ({ tables, paths }: ConfigSource): readonly string[] => {
  const named = isTable(tables['server']) ? tables['server']['harness_d'] : undefined;
  const directory = typeof named === 'string' ? paths.get(named) : undefined;
  if (directory?.kind !== 'directory') return [];
  try {
    const names = readdirSync(directory.path).filter((name) => name.endsWith('.toml') && !name.startsWith('.'));
    return sorted(names, byCodePoint).map((name) => join(directory.path, name));
  } catch {
    return [];
  }
};
