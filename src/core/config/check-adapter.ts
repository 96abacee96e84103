// Which adapter a harness names, and whether that adapter can spell the options it sets (ADR-0039): an option that is not
// declared would be dropped in silence, so it fails the load.
import * as E from 'fp-ts/lib/Either.js';
import { type Adapter, type AdapterTable, BUILTIN_ADAPTERS, OPTION_NAMES, type OptionName } from '../adapter/declaration.js';
import { type AdapterError, adapterNames, resolveAdapter } from '../adapter/resolve.js';
import { type ConfigError, quoted, quotedList } from './errors.js';
import { errorAt, has, NOT_SUPPORTED, type Section } from './section.js';
import type { HarnessDraft } from './tables/harness.js';

export type AdapterTables = Readonly<Record<string, AdapterTable>>;

/** Clients that are known but have no adapter here; no table may take their names. */
const UNBUILT_CLIENTS = ['pi', 'omp', 'generic'] as const;
const RESERVED = [...UNBUILT_CLIENTS, 'command'] as const;

export const isReservedAdapter = (name: string): boolean => RESERVED.some((each) => each === name);

export const checkHarnessAdapter = ({ section, values }: HarnessDraft, tables: AdapterTables): readonly ConfigError[] => {
  const name = values.harness;
  if (name === undefined || name === 'command') return [];
  const supported = quotedList([...adapterNames(tables), 'command']);
  if (UNBUILT_CLIENTS.some((each) => each === name))
    return [errorAt(section, 'not_supported', 'harness', `= "${name}" is ${NOT_SUPPORTED}; accepted: ${supported}`)];
  const adapter = resolveAdapter(name, tables);
  if (E.isLeft(adapter))
    return adapter.left.code === 'unknown_adapter'
      ? [errorAt(section, 'unresolved', 'harness', `= ${quoted(name)} names no adapter; accepted: ${supported}`)]
      : [];
  return OPTION_NAMES.filter((option) => has(section, option) && !spells(adapter.right, option)).map((option) =>
    errorAt(section, 'no_effect', option, `is not supported by adapter ${quoted(name)}`),
  );
};

/** Declared, and with a place in the call: without both the option would be dropped in silence. */
const spells = ({ options, one_shot }: Adapter, option: OptionName): boolean =>
  options[option] !== undefined && one_shot.includes(`{{opt.${option}}}`);

/** An adapter table must end at a built-in. */
export const checkAdapterTable = (section: Section, name: string, tables: AdapterTables): readonly ConfigError[] => {
  if (isReservedAdapter(name)) return [errorAt(section, 'conflict', undefined, 'this name is reserved')];
  if (has(section, 'extends') && BUILTIN_ADAPTERS.some((builtin) => builtin.name === name))
    return [errorAt(section, 'no_effect', 'extends', `has no effect: ${quoted(name)} is a built-in`)];
  const adapter = resolveAdapter(name, tables);
  return E.isLeft(adapter) ? [describe(section, adapter.left, tables)] : [];
};

const describe = (section: Section, error: AdapterError, tables: AdapterTables): ConfigError => {
  switch (error.code) {
    case 'unknown_adapter':
    case 'missing_extends':
      return errorAt(section, 'missing_key', 'extends', `is required, since ${quoted(error.adapter)} is not a built-in`);
    case 'unknown_extends':
      return errorAt(
        section,
        'unresolved',
        'extends',
        `= ${quoted(error.extends)} names no adapter; accepted: ${quotedList(adapterNames(tables))}`,
      );
    case 'extends_cycle':
      return errorAt(section, 'unresolved', 'extends', `leads back to itself through ${quotedList(error.through)}`);
  }
};
