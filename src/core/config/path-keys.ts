// Which keys name paths, so that the shell can look at them before the configuration is decided.
import { isReservedName } from './placement.js';
import { isTable, type TomlTable } from './source.js';

export const HARNESS_PATHS = ['prompt_file', 'system_prompt_file', 'env_file', 'workdir'] as const;
const NAMED_PATHS: Readonly<Record<string, readonly string[]>> = { harness: HARNESS_PATHS, adapter: ['executable'] };
const SETTING_PATHS: Readonly<Record<string, readonly string[]>> = { model_api: ['env_file'], server: ['harness_d'] };

/** Every path the file names, as written, without repeats. */
export const namedPaths = (tables: TomlTable): readonly string[] => {
  const found = Object.entries(tables).flatMap(([name, value]) => {
    if (!isTable(value)) return [];
    const keys = Object.hasOwn(NAMED_PATHS, name) ? NAMED_PATHS[name] : undefined;
    if (keys !== undefined) return Object.values(value).flatMap((table) => pathsIn(table, keys));
    return pathsIn(value, isReservedName(name) ? (SETTING_PATHS[name] ?? []) : HARNESS_PATHS);
  });
  return [...new Set(found)];
};

const pathsIn = (table: unknown, keys: readonly string[]): readonly string[] =>
  isTable(table) ? keys.flatMap((key) => (Object.hasOwn(table, key) ? stringsOf(table[key]) : [])) : [];

const stringsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((each): each is string => typeof each === 'string' && each.trim() !== '');
