// Cuts a file into its tables and refuses what has no place in it: unknown tables, tables of another door, tables whose feature
// this version does not have.
import { type ConfigError, type Place, quoted, tableName } from './errors.js';
import { nearMiss } from './near-miss.js';
import { isReservedName, misplacement, placementOf, RESERVED_NAMES } from './placement.js';
import { TABLE_KEYS } from './placement-keys.js';
import { errorAt, NOT_SUPPORTED, type Section, sectionAt } from './section.js';
import { type ConfigSource, isTable, type TomlTable } from './source.js';

export interface Sections {
  /** In file order. */
  readonly sections: readonly Section[];
  readonly errors: readonly ConfigError[];
}

export const cutSections = (source: ConfigSource): Sections => join(Object.keys(source.tables).map((name) => cutTopLevel(source, name)));

const join = (parts: readonly Sections[]): Sections => ({
  sections: parts.flatMap(({ sections }) => sections),
  errors: parts.flatMap(({ errors }) => errors),
});

const found = (...sections: readonly Section[]): Sections => ({ sections, errors: [] });
const wrong = (error: ConfigError): Sections => ({ sections: [], errors: [error] });

const cutTopLevel = (source: ConfigSource, name: string): Sections => {
  const value = source.tables[name];
  if (isReservedName(name)) return cutKnown(source, name, value);
  if (isTable(value))
    return Object.hasOwn(value, 'harness') ? found(harnessSection(source, [name], name, value)) : unknownTable(source, [name]);
  if (isListOfTables(value)) return unknownTable(source, [name]);
  const place: Place = { kind: 'file' };
  return wrong(errorAt({ source, path: [], place, table: source.tables }, 'unknown_key', name, 'every key belongs in a table'));
};

/** A table of settings, a family of named tables, or both. */
const cutKnown = (source: ConfigSource, name: string, value: unknown): Sections => {
  if (!isTable(value)) return cutValue(source, name);
  const isFamily = placementOf([name, '*']) !== undefined;
  const keys = TABLE_KEYS[name] ?? [];
  const below = Object.keys(value).filter(
    (key) => (isTable(value[key]) || isListOfTables(value[key])) && (isFamily || !keys.some((each) => each.key === key)),
  );
  const own = Object.fromEntries(Object.entries(value).filter(([key]) => !below.includes(key)));
  const settings = Object.keys(own).length > 0 || below.length === 0 ? [cutSettings(source, name, own, isFamily)] : [];
  return join([...settings, ...below.map((key) => cutBelow(source, [name, key], value[key]))]);
};

/** One table, or a family of them a level deeper. */
const cutBelow = (source: ConfigSource, path: readonly string[], value: unknown): Sections => {
  if (placementOf([...path, '*']) === undefined || placementOf(path) !== undefined || !isTable(value)) return cutPath(source, path, value);
  return join(Object.keys(value).map((name) => cutPath(source, [...path, name], value[name])));
};

/** A value, or a list of tables, where one table belongs. */
const cutValue = (source: ConfigSource, name: string): Sections => {
  const section = sectionAt(source, [name], {});
  const built = (placementOf([name]) ?? placementOf([name, '*']))?.built === true;
  return wrong(
    built ? errorAt(section, 'invalid_value', undefined, 'must be a table') : errorAt(section, 'not_supported', undefined, NOT_SUPPORTED),
  );
};

const cutSettings = (source: ConfigSource, name: string, own: TomlTable, isFamily: boolean): Sections => {
  if (placementOf([name]) !== undefined || !isFamily) return cutPath(source, [name], own);
  const section = sectionAt(source, [name], own);
  if (placementOf([name, '*'])?.built === false) return wrong(errorAt(section, 'not_supported', undefined, NOT_SUPPORTED));
  const errors = Object.keys(own).map((key) => errorAt(section, 'invalid_value', key, `must be a table: [${tableName([name, key])}]`));
  return { sections: [], errors };
};

const cutPath = (source: ConfigSource, path: readonly string[], value: unknown): Sections => {
  const placement = placementOf(path);
  const section = sectionAt(source, path, isTable(value) ? value : {});
  if (placement === undefined) return unknownTable(source, path);
  if (!placement.doors.includes(source.door)) return wrong(errorAt(section, 'misplaced', undefined, misplacement(placement)));
  if (!placement.built) return wrong(errorAt(section, 'not_supported', undefined, NOT_SUPPORTED));
  if (!isTable(value)) return wrong(errorAt(section, 'invalid_value', undefined, 'must be one table'));
  const [family, name] = path;
  return found(family === 'harness' && name !== undefined ? harnessSection(source, path, name, value) : section);
};

const harnessSection = (source: ConfigSource, path: readonly string[], name: string, table: TomlTable): Section => {
  return { source, path, table, place: { kind: 'harness', name } };
};

const unknownTable = (source: ConfigSource, path: readonly string[]): Sections =>
  wrong(errorAt(sectionAt(source, path, {}), 'unknown_table', undefined, tableHint(path)));

const tableHint = ([name = '', ...below]: readonly string[]): string => {
  const near = below.length > 0 ? undefined : nearMiss(name, RESERVED_NAMES);
  return near === undefined ? '' : `did you mean ${quoted(near)}?`;
};

const isListOfTables = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isTable);
