// One table of a file at work: its place, its values, and how a mistake in it is reported.
import { type Closed, type ClosedError, type Fields, readClosed } from '../kernel/closed.js';
import { type ConfigError, type ConfigErrorCode, type ConfigWarning, type Place, quoted, tableName } from './errors.js';
import { nearMiss } from './near-miss.js';
import { type ConfigSource, lineOf, type TomlTable } from './source.js';

export interface Section {
  readonly source: ConfigSource;
  readonly path: readonly string[];
  readonly place: Place;
  readonly table: TomlTable;
}

export const sectionAt = (source: ConfigSource, path: readonly string[], table: TomlTable): Section => {
  return { source, path, table, place: { kind: 'table', name: tableName(path) } };
};

/** An error on a key of the section, at the key's line, or on the section when no key is named. */
export const errorAt = (section: Section, code: ConfigErrorCode, key: string | undefined, message: string): ConfigError => {
  return { code, ...warningAt(section, key, message) };
};

export const warningAt = ({ source, path, place }: Section, key: string | undefined, message: string): ConfigWarning => {
  const line = lineOf(source, key === undefined ? path : [...path, key]);
  return { file: source.file, line, place, ...(key === undefined ? {} : { key }), message };
};

export const has = ({ table }: Section, key: string): boolean => Object.hasOwn(table, key);

/** The first of the keys that stands in the section. */
export const firstOf = (section: Section, keys: readonly string[]): string | undefined => keys.find((key) => has(section, key));

export interface KnownKey {
  readonly key: string;
  readonly built: boolean;
}

export interface SectionReading<F extends Fields> {
  readonly values: Closed<F>;
  readonly errors: readonly ConfigError[];
}

/** Reads a section by its fields; a known key that has none yet is not supported, any other is unknown. */
export const readSection = <F extends Fields>(section: Section, fields: F, known: readonly KnownKey[]): SectionReading<F> => {
  const { values, errors } = readClosed(fields, section.table);
  return { values, errors: errors.map((error) => describe(section, error, known)) };
};

export const NOT_SUPPORTED = 'not supported in this version';

const describe = (section: Section, error: ClosedError, known: readonly KnownKey[]): ConfigError => {
  switch (error.code) {
    case 'unknown_key':
      return known.some(({ key }) => key === error.key)
        ? errorAt(section, 'not_supported', error.key, `is ${NOT_SUPPORTED}`)
        : errorAt(section, 'unknown_key', error.key, suggestion(error.key, known));
    case 'missing_key':
      return errorAt(section, 'missing_key', error.key, 'is required');
    case 'invalid_value':
      return errorAt(section, 'invalid_value', error.key, error.must);
  }
};

const suggestion = (key: string, known: readonly KnownKey[]): string => {
  const near = nearMiss(
    key,
    known.flatMap((each) => (each.built ? [each.key] : [])),
  );
  return near === undefined ? '' : `did you mean ${quoted(near)}?`;
};
