// Loads the operator's whole configuration from disk: the global file, then the drop-ins it names, as one view.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { ReadonlyNonEmptyArray } from 'fp-ts/lib/ReadonlyNonEmptyArray.js';
import type { Config } from '../../core/config/config.js';
import { type ConfigError, inReadingOrder, quoted, renderConfigWarning } from '../../core/config/errors.js';
import { loadConfig } from '../../core/config/load.js';
import { type ConfigSource, isTable, pathKey } from '../../core/config/source.js';
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
  const named = dropIns(global.right);
  if (E.isLeft(named)) return E.left([named.left]);
  const files = named.right;
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
const dropIns = ({ file, tables, paths, lines }: ConfigSource): E.Either<ConfigError, readonly string[]> => {
  const named = isTable(tables['server']) ? tables['server']['harness_d'] : undefined;
  const directory = typeof named === 'string' ? paths.get(named) : undefined;
  if (directory?.kind !== 'directory') return E.right([]);
  try {
    const names = readdirSync(directory.path).filter((name) => name.endsWith('.toml') && !name.startsWith('.'));
    return E.right(sorted(names, byCodePoint).map((name) => join(directory.path, name)));
  } catch (error) {
    // A directory that cannot be read is not empty: what it held must not count as removed.
    const why = (error as NodeJS.ErrnoException).code ?? 'unknown';
    const place = { kind: 'table', name: 'server' } as const;
    const line = lines.get(pathKey(['server', 'harness_d'])) ?? 0;
    const message = `names ${quoted(directory.path)}, which cannot be read (${why})`;
    return E.left({ code: 'bad_path', file, line, place, key: 'harness_d', message });
  }
};
