// The configuration in force: the last one that loaded. A reload that fails changes nothing but what `status` says.
import * as E from 'fp-ts/lib/Either.js';
import type { Config } from '../../core/config/config.js';
import { renderConfigError } from '../../core/config/errors.js';
import { loadView } from '../config-files/load-view.js';
import type { Log } from './log.js';

export interface Configuration {
  readonly current: () => Config;
  readonly errors: () => readonly string[];
  readonly warnings: () => readonly string[];
  /** Loads again; returns the errors, none when the new configuration is in force. */
  readonly reload: () => readonly string[];
  /** Called after every reload that took effect. */
  readonly onApplied: (listener: () => void) => void;
}

/** The first load must succeed: there is no older configuration to keep. */
export const loadConfiguration = (file: string, log: Log): E.Either<readonly string[], Configuration> => {
  const first = loadView(file);
  if (E.isLeft(first)) return E.left(first.left.map(renderConfigError));
  let current = first.right.config;
  let warnings = first.right.warnings;
  let errors: readonly string[] = [];
  const listeners: (() => void)[] = [];
  announce(file, current, warnings, log);
  return E.right({
    current: () => current,
    errors: () => errors,
    warnings: () => warnings,
    reload: () => {
      const next = loadView(file);
      if (E.isLeft(next)) {
        errors = next.left.map(renderConfigError);
        log.error({ event: 'config_rejected', file, errors: errors.length });
        return errors;
      }
      errors = [];
      warnings = [...next.right.warnings, ...needsRestart(current, next.right.config)];
      current = next.right.config;
      announce(file, current, warnings, log);
      for (const listener of listeners) listener();
      return [];
    },
    onApplied: (listener) => {
      listeners.push(listener);
    },
  });
};

const announce = (file: string, { harnesses }: Config, warnings: readonly string[], log: Log): void => {
  log.info({ event: 'config_loaded', file, harnesses: harnesses.length });
  for (const warning of warnings) log.warn({ event: 'config_warning', warning });
};

/** The provider is opened once: what it was opened with stays until the daemon starts again. */
const needsRestart = (before: Config, after: Config): readonly string[] => {
  const changed = [
    ...(JSON.stringify(before.model_api) === JSON.stringify(after.model_api) ? [] : ['[model_api]']),
    ...(before.memory.provider_timeout === after.memory.provider_timeout ? [] : ['[memory.episodes] provider_timeout']),
  ];
  return changed.map((what) => `${what} changed: it takes effect when the daemon starts again`);
};
