// Files a configuration names (SPEC-0006, ADR-0038): prompt files must be there and say something, a file that resolves a secret
// must be ours alone, and what is read at every start may still be missing now.
import type { ConfigError, ConfigWarning } from './errors.js';
import { errorAt, type Section, warningAt } from './section.js';
import type { PathFact } from './source.js';
import type { HarnessDraft } from './tables/harness.js';

const NOT_A_FILE: Readonly<Record<Exclude<PathFact['kind'], 'file'>, string>> = {
  missing: 'names a file that does not exist',
  unreadable: 'names a file that cannot be read',
  directory: 'names a directory, not a file',
  other: 'names something that is not a regular file',
};

const factOf = ({ source }: Section, path: string | undefined): PathFact | undefined =>
  path === undefined ? undefined : source.paths.get(path);

/** The files of a harness that must exist when it is loaded. */
export const checkHarnessFiles = ({ section, values }: HarnessDraft): readonly ConfigError[] =>
  (['prompt_file', 'system_prompt_file'] as const).flatMap((key) => {
    const fact = factOf(section, values[key]);
    if (fact === undefined) return [];
    if (fact.kind !== 'file') return [errorAt(section, 'bad_path', key, NOT_A_FILE[fact.kind])];
    return fact.blank ? [errorAt(section, 'bad_path', key, 'names a blank file')] : [];
  });

export const warnHarnessFiles = ({ section, values }: HarnessDraft): readonly ConfigWarning[] => {
  const workdir = factOf(section, values.workdir);
  const envFiles = (values.env_file ?? []).flatMap((path) => factOf(section, path) ?? []);
  return [
    ...(workdir !== undefined && workdir.kind !== 'directory'
      ? [warningAt(section, 'workdir', 'is not a directory now: no run can start there until it is')]
      : []),
    ...(envFiles.some(({ kind }) => kind !== 'file')
      ? [warningAt(section, 'env_file', 'names a file that cannot be read now: runs start without it')]
      : []),
    ...(envFiles.some(({ kind, secret }) => kind === 'file' && !secret)
      ? [warningAt(section, 'env_file', 'names a file that others can read or that is not yours: set its mode to 0600')]
      : []),
    ...(values.secrets_env !== undefined && envFiles.length === 0
      ? [warningAt(section, 'secrets_env', 'has no effect without "env_file"')]
      : []),
  ];
};

/** A file that `${NAME}` is resolved from. */
export const checkSecretFile = (section: Section, path: string | undefined): readonly ConfigError[] => {
  const fact = factOf(section, path);
  if (fact === undefined) return [];
  if (fact.kind !== 'file') return [errorAt(section, 'bad_path', 'env_file', NOT_A_FILE[fact.kind])];
  return fact.secret ? [] : [errorAt(section, 'bad_path', 'env_file', 'must be yours and have mode 0600 or 0400')];
};
