// What `harness config show` prints: every value of the configuration with the place that set it, or its default.
import * as E from 'fp-ts/lib/Either.js';
import type { ConfigError } from '../../core/config/errors.js';
import { type ShownValue, showValues } from '../../core/config/show.js';
import { loadView } from './load-view.js';

export interface ShownConfig {
  readonly file: string;
  /** The drop-ins, in the order they were read. */
  readonly drop_ins: readonly string[];
  readonly values: readonly ShownValue[];
  readonly warnings: readonly string[];
}

/** A configuration that does not load has errors to show and no values. */
export const showConfig = (path: string): E.Either<readonly ConfigError[], ShownConfig> => {
  const loaded = loadView(path);
  if (E.isLeft(loaded)) return loaded;
  const { config, sources, warnings } = loaded.right;
  const [, ...dropIns] = sources.map(({ file }) => file);
  return E.right({ file: path, drop_ins: dropIns, values: showValues(sources, config), warnings });
};
