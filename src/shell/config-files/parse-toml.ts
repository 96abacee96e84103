// Reads TOML text into plain values and the line of every table and key. Nothing in a file can make it throw or reach a prototype.
import * as E from 'fp-ts/lib/Either.js';
import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import type { ConfigError } from '../../core/config/errors.js';
import { pathKey, type TomlTable } from '../../core/config/source.js';
import { joinPieces, splitLongStrings } from './split-strings.js';

export interface ParsedToml {
  readonly tables: TomlTable;
  readonly lines: ReadonlyMap<string, number>;
}

type Table = Record<string, unknown>;
type Path = readonly (string | number)[];

/** No key of a configuration lies deeper; beyond this the work grows faster than the file. */
export const NESTING = 32;

class NestingError extends Error {
  readonly line: number;
  constructor(line: number) {
    super('values are nested too deeply');
    this.line = line;
  }
}

export const parseToml = (text: string, file: string): E.Either<ConfigError, ParsedToml> => {
  try {
    const root = emptyTable();
    const lines = new Map<string, number>();
    for (const node of parseTOML(splitLongStrings(text), { tomlVersion: '1.0' }).body[0].body) {
      if (node.type === 'TOMLKeyValue') assign(root, [], node, lines);
      else readTable(root, node, lines);
    }
    return E.right({ tables: root, lines });
  } catch (error) {
    return E.left({ code: 'syntax', file, line: lineOfError(error, text), place: { kind: 'file' }, message: messageOf(error) });
  }
};

/** A name such as `__proto__` must be a key like any other. */
const emptyTable = (): Table => Object.create(null) as Table;

const readTable = (root: Table, node: AST.TOMLTable, lines: Map<string, number>): void => {
  const table = descend(root, [], node.resolvedKey, node.loc.start.line, lines);
  for (const pair of node.body) assign(table, node.resolvedKey, pair, lines);
};

/** Walks to the table at `path`, making what is not there yet; numbers are places in a list of tables. */
const descend = (from: Table, base: Path, path: Path, line: number, lines: Map<string, number>): Table => {
  if (base.length + path.length > NESTING) throw new NestingError(line);
  let table = from as Table & unknown[];
  path.forEach((part, index) => {
    const whole = [...base, ...path.slice(0, index + 1)];
    if (table[part as number] === undefined) table[part as number] = typeof path[index + 1] === 'number' ? [] : emptyTable();
    if (!lines.has(pathKey(whole))) lines.set(pathKey(whole), line);
    table = table[part as number] as Table & unknown[];
  });
  if (path.length > 0 && base.length === 0) lines.set(pathKey(path), line);
  return table;
};

const assign = (table: Table, base: Path, { key, value, loc }: AST.TOMLKeyValue, lines: Map<string, number>): void => {
  const names = key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value));
  const last = names.at(-1) ?? '';
  const parent = descend(table, base, names.slice(0, -1), loc.start.line, lines);
  const path = [...base, ...names];
  lines.set(pathKey(path), loc.start.line);
  parent[last] = plainValue(value, path, lines);
};

const plainValue = (node: AST.TOMLContentNode, path: Path, lines: Map<string, number>): unknown => {
  if (path.length > NESTING) throw new NestingError(node.loc.start.line);
  switch (node.type) {
    case 'TOMLArray':
      return joinPieces(node.elements.map((element, index) => plainValue(element, [...path, index], lines)));
    case 'TOMLInlineTable': {
      const table = emptyTable();
      for (const pair of node.body) assign(table, path, pair, lines);
      return table;
    }
    case 'TOMLValue':
      return node.value instanceof Date ? null : node.value;
  }
};

const lineOfError = (error: unknown, text: string): number => {
  if (error instanceof NestingError) return error.line;
  if (!(error instanceof ParseError)) return 0;
  const last = text.replace(/\n$/, '').split('\n').length;
  return Math.min(Math.max(error.lineNumber, 1), last);
};

/** The parser's own words name no value; anything else it throws is its stack running out on a string that has no place to cut. */
const messageOf = (error: unknown): string =>
  error instanceof ParseError || error instanceof NestingError
    ? `not valid TOML: ${error.message}`
    : 'a string is too long to be read here: keep it in a file of its own';
