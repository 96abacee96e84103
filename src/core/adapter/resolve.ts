// Resolves `[adapter.<name>]` tables over the built-ins: field by field, nested tables by key, arrays replaced whole.
import * as E from 'fp-ts/lib/Either.js';
import { type Adapter, type AdapterTable, BUILTIN_ADAPTERS } from './declaration.js';

export type AdapterError =
  | { readonly code: 'unknown_adapter'; readonly adapter: string; readonly known: readonly string[] }
  | { readonly code: 'missing_extends'; readonly adapter: string }
  | { readonly code: 'unknown_extends'; readonly adapter: string; readonly extends: string }
  | { readonly code: 'extends_cycle'; readonly adapter: string; readonly through: readonly string[] };

/** The effective adapter of a name, or why there is none. */
export const resolveAdapter = (name: string, tables: Readonly<Record<string, AdapterTable>>): E.Either<AdapterError, Adapter> =>
  resolveThrough(name, tables, []);

export const adapterNames = (tables: Readonly<Record<string, AdapterTable>>): readonly string[] => [
  ...BUILTIN_ADAPTERS.map((adapter) => adapter.name),
  ...Object.keys(tables).filter((name) => builtin(name) === undefined),
];

const builtin = (name: string): Adapter | undefined => BUILTIN_ADAPTERS.find((adapter) => adapter.name === name);

const tableOf = (name: string, tables: Readonly<Record<string, AdapterTable>>): AdapterTable | undefined =>
  Object.hasOwn(tables, name) ? tables[name] : undefined;

const resolveThrough = (
  name: string,
  tables: Readonly<Record<string, AdapterTable>>,
  through: readonly string[],
): E.Either<AdapterError, Adapter> => {
  if (through.includes(name)) return E.left({ code: 'extends_cycle', adapter: name, through });
  const base = builtin(name);
  const table = tableOf(name, tables);
  if (base !== undefined) return E.right(table === undefined ? base : overlay(base, table, name));
  if (table === undefined) return E.left({ code: 'unknown_adapter', adapter: name, known: adapterNames(tables) });
  if (table.extends === undefined) return E.left({ code: 'missing_extends', adapter: name });
  const parent = resolveThrough(table.extends, tables, [...through, name]);
  if (E.isRight(parent)) return E.right(overlay(parent.right, table, name));
  return parent.left.code === 'unknown_adapter' ? E.left({ code: 'unknown_extends', adapter: name, extends: table.extends }) : parent;
};

const overlay = (base: Adapter, table: AdapterTable, name: string): Adapter => ({
  ...base,
  ...table,
  name,
  family: base.family,
  options: { ...base.options, ...table.options },
  env: { ...base.env, ...table.env },
});
