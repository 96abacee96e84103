// Loads the operator's global configuration from disk.
import * as E from 'fp-ts/lib/Either.js';
import type { Config } from '../../core/config/config.js';
import { type ConfigError, renderConfigWarning } from '../../core/config/errors.js';
import { loadConfig } from '../../core/config/load.js';
import { readSource } from './read-source.js';

export interface LoadedGlobalConfig {
  readonly config: Config;
  /** One line each, for people. */
  readonly warnings: readonly string[];
}

/** Every error at once, in reading order; or the configuration. Never throws. */
export const loadGlobalConfig = (path: string): E.Either<readonly ConfigError[], LoadedGlobalConfig> => {
  const source = readSource(path, 'global');
  if (E.isLeft(source)) return E.left([source.left]);
  const loaded = loadConfig([source.right]);
  if (E.isLeft(loaded)) return loaded;
  return E.right({ config: loaded.right.config, warnings: loaded.right.warnings.map(renderConfigWarning) });
};
