// What `harness config show` prints: every value of the global file with the line that set it, or its default.
import * as E from 'fp-ts/lib/Either.js';
import { type ConfigError, renderConfigWarning } from '../../core/config/errors.js';
import { loadConfig } from '../../core/config/load.js';
import { type ShownValue, showValues } from '../../core/config/show.js';
import { readSource } from './read-source.js';

export interface ShownConfig {
  readonly file: string;
  readonly values: readonly ShownValue[];
  readonly warnings: readonly string[];
}

/** A configuration that does not load has errors to show and no values. */
export const showConfig = (path: string): E.Either<readonly ConfigError[], ShownConfig> => {
  const source = readSource(path, 'global');
  if (E.isLeft(source)) return E.left([source.left]);
  const loaded = loadConfig([source.right]);
  if (E.isLeft(loaded)) return loaded;
  const { config, warnings } = loaded.right;
  return E.right({ file: path, values: showValues(source.right, config), warnings: warnings.map(renderConfigWarning) });
};
