// Reads the adapters and harnesses of all files together: names are unique across them, and every mistake is reported.
import type { AdapterTable } from '../adapter/declaration.js';
import { type AdapterTables, checkAdapterTable } from './check-adapter.js';
import { checkDoors } from './check-doors.js';
import { checkHarness } from './check-harness.js';
import type { ConfigError } from './errors.js';
import { HARNESS_KEYS } from './placement-harness.js';
import { TABLE_KEYS } from './placement-keys.js';
import { errorAt, readSection, type Section } from './section.js';
import { lineOf } from './source.js';
import { ADAPTER_FIELDS, adapterTable } from './tables/adapter.js';
import { HARNESS_FIELDS, type HarnessDraft } from './tables/harness.js';

export interface Part<A> {
  readonly value: A;
  readonly errors: readonly ConfigError[];
}

export const readAdapters = (sections: readonly Section[]): Part<AdapterTables> => {
  const named = sections.filter(({ path }) => path[0] === 'adapter').map((section) => ({ section, name: section.path[1] ?? '' }));
  const readings = named.map(({ section, name }) => {
    const { values, errors } = readSection(section, ADAPTER_FIELDS, TABLE_KEYS['adapter.*'] ?? []);
    const path = values.executable?.includes('/') === true ? section.source.paths.get(values.executable) : undefined;
    return { section, name, errors, table: adapterTable(values, path) };
  });
  const tables = Object.fromEntries(readings.map(({ name, table }): [string, AdapterTable] => [name, table]));
  const errors = readings.flatMap((reading) => [
    ...reading.errors,
    ...checkName(reading.section, reading.name),
    ...(reading.errors.length > 0 ? [] : checkAdapterTable(reading.section, reading.name, tables)),
  ]);
  return { value: tables, errors: [...errors, ...checkRepeats(named)] };
};

export const readHarnesses = (sections: readonly Section[], adapters: AdapterTables): Part<readonly HarnessDraft[]> => {
  const drafts = sections.flatMap((section) => (section.place.kind === 'harness' ? [readHarness(section, section.place.name)] : []));
  const errors = drafts.flatMap(({ draft, errors: own }) => {
    const refused = checkDoors(draft.section);
    const rest = [...own, ...checkName(draft.section, draft.name), ...checkHarness(draft, adapters)];
    return [...refused, ...rest.filter(({ key }) => !refused.some((refusal) => refusal.key === key))];
  });
  return { value: drafts.map(({ draft }) => draft), errors: [...errors, ...checkRepeats(drafts.map(({ draft }) => draft))] };
};

const readHarness = (section: Section, name: string): { readonly draft: HarnessDraft; readonly errors: readonly ConfigError[] } => {
  const { values, errors } = readSection(section, HARNESS_FIELDS, HARNESS_KEYS);
  return { draft: { section, name, values }, errors: errors.map(withMigrationHint) };
};

/** `agent` is the former name of `harness`. */
const withMigrationHint = (error: ConfigError): ConfigError =>
  error.code === 'unknown_key' && error.key === 'agent' ? { ...error, message: 'name the adapter with "harness"' } : error;

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/** Names become directories and metric labels. */
const checkName = (section: Section, name: string): readonly ConfigError[] =>
  NAME.test(name)
    ? []
    : [errorAt(section, 'invalid_value', undefined, 'this name must be 1 to 64 of A-Z a-z 0-9 _ . - and begin with a letter or digit')];

const checkRepeats = (named: readonly { readonly section: Section; readonly name: string }[]): readonly ConfigError[] => {
  const firsts = new Map(named.toReversed().map(({ section, name }) => [name, section]));
  return named.flatMap(({ section, name }) => {
    const other = firsts.get(name);
    if (other === undefined || other === section) return [];
    return [errorAt(section, 'duplicate', undefined, `this name is taken at ${other.source.file}:${lineOf(other.source, other.path)}`)];
  });
};
