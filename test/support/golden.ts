// What tests of golden directories share: each directory is a case, BLESS=1 writes what came out, HARNESS_TEST_SHUFFLE=1 hands
// the input over in another order where order may not matter.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

export interface GoldenCases {
  readonly names: readonly string[];
  /** The case's input, with its abbreviations written out and the members of its objects in another order when shuffled. */
  readonly input: <A>(name: string, file: string) => A;
  /** Compares with the file of the case, or writes it under BLESS=1. */
  readonly hold: (name: string, file: string, text: string) => void;
  /** A list whose order may not matter, in another order when shuffled. */
  readonly shuffled: <A>(list: readonly A[]) => readonly A[];
}

const isShuffled = process.env['HARNESS_TEST_SHUFFLE'] === '1';

export const goldenCases = (kind: string): GoldenCases => {
  const directory = join(import.meta.dirname, '..', 'golden', kind);
  return {
    names: readdirSync(directory).sort(),
    input: <A>(name: string, file: string) => expand(JSON.parse(readFileSync(join(directory, name, file), 'utf8'))) as A,
    hold: (name, file, text) => {
      const path = join(directory, name, file);
      if (process.env['BLESS'] === '1') writeFileSync(path, text);
      expect(text).toBe(readFileSync(path, 'utf8'));
    },
    shuffled: (list) => (isShuffled ? [...list.slice(1), ...list.slice(0, 1)].reverse() : list),
  };
};

/** JSON as a golden file holds it. */
export const written = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/**
 * `{"$repeat": ["ab", 3]}` is "ababab"; `{"$join": ["a", "b"]}` is "ab", so that no secret stands whole in a file; in a list, `{"$times": [3, item]}` is three items, whose strings have `#n` replaced by 1,
 * 2 and 3.
 */
const expand = (value: unknown): unknown => {
  if (Array.isArray(value))
    return value.flatMap((entry: unknown) => (isTable(entry) && Array.isArray(entry['$times']) ? times(entry['$times']) : [expand(entry)]));
  if (!isTable(value)) return value;
  const repeat = value['$repeat'];
  if (Array.isArray(repeat)) return String(repeat[0]).repeat(Number(repeat[1]));
  const join = value['$join'];
  if (Array.isArray(join)) return join.map(expand).join('');
  const members = Object.entries(value).map(([key, member]) => [key, expand(member)] as const);
  return Object.fromEntries(isShuffled ? members.reverse() : members);
};

const times = ([count, item]: readonly unknown[]): readonly unknown[] =>
  Array.from({ length: Number(count) }, (_, index) => expand(numbered(item, index + 1)));

const numbered = (value: unknown, n: number): unknown =>
  JSON.parse(JSON.stringify(value, (_key, member: unknown) => (typeof member === 'string' ? member.replaceAll('#n', String(n)) : member)));

const isTable = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
