// Readers of single configuration values; what they refuse they describe by what it must be, never by what it was.
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { Reader } from '../kernel/closed.js';
import { type Duration, formatDuration, parseDuration } from '../kernel/time.js';
import { RESERVED_NAMES } from '../run/environment.js';
import { quotedList } from './errors.js';
import { DAILY_COST_USD_MAX } from './limits.js';
import { isTable } from './source.js';

export interface Bounds {
  readonly min: number;
  readonly max?: number;
}

const NUL = '\u0000';
const isText = (value: unknown): value is string => t.string.is(value) && !value.includes(NUL);
const isWord = (value: unknown): value is string => isText(value) && value.trim() !== '';

export const flag: Reader<boolean> = (value) => (t.boolean.is(value) ? E.right(value) : E.left('must be true or false'));

/** Kept as written; white space alone is refused, and NUL, which no argument or path can hold. */
export const text: Reader<string> = (value) => (isWord(value) ? E.right(value) : E.left('must be a non-blank string without NUL'));

export const oneOf =
  <A extends string>(accepted: readonly A[]): Reader<A> =>
  (value) =>
    accepted.some((each) => each === value) ? E.right(value as A) : E.left(`must be one of ${quotedList(accepted)}`);

export const whole =
  ({ min, max }: Bounds): Reader<number> =>
  (value) =>
    Number.isSafeInteger(value) && t.number.is(value) && value >= min && value <= (max ?? value)
      ? E.right(value)
      : E.left(max === undefined ? `must be a whole number of at least ${min}` : `must be a whole number in the range ${min} to ${max}`);

export const duration =
  ({ min, max }: Required<Bounds>): Reader<Duration> =>
  (value) => {
    const read = t.string.is(value) ? parseDuration(value) : E.left('');
    if (E.isLeft(read)) return E.left('must be a duration such as "300ms", "2h45m" or "90d"');
    return read.right >= min && read.right <= max ? read : E.left(`must be in the range ${formatDuration(min)} to ${formatDuration(max)}`);
  };

/** A sum of money that can be spent. */
export const dollars: Reader<number> = (value) =>
  t.number.is(value) && Number.isFinite(value) && value > 0 && value <= DAILY_COST_USD_MAX
    ? E.right(value)
    : E.left(`must be a number of dollars above 0, at most ${DAILY_COST_USD_MAX}`);

/** A list of strings that may be empty or blank themselves, such as arguments. */
export const argumentsList: Reader<readonly string[]> = (value) =>
  Array.isArray(value) && value.every(isText) ? E.right(value) : E.left('must be a list of strings without NUL');

/** A list of non-blank strings; empty is fine. */
export const words: Reader<readonly string[]> = (value) =>
  Array.isArray(value) && value.every(isWord) ? E.right(value) : E.left('must be a list of non-blank strings');

export const someWords: Reader<readonly string[]> = (value) =>
  E.isRight(words(value)) && (value as readonly string[]).length > 0
    ? E.right(value as readonly string[])
    : E.left('must be a non-empty list of non-blank strings');

/** One path or several, always as a list. */
export const pathOrPaths: Reader<readonly string[]> = (value) => {
  if (isWord(value)) return E.right([value]);
  return E.isRight(someWords(value)) ? someWords(value) : E.left('must be a non-blank path or a non-empty list of them');
};

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Names of environment variables. */
export const variableNames: Reader<readonly string[]> = (value) =>
  Array.isArray(value) && value.every((name) => t.string.is(name) && VARIABLE.test(name))
    ? E.right(value)
    : E.left('must be a list of environment variable names');

/** Environment variables by name; what the daemon sets for every run cannot be set. */
export const variables: Reader<Readonly<Record<string, string>>> = (value) => {
  if (!isTable(value) || !Object.entries(value).every(([name, each]) => VARIABLE.test(name) && isText(each)))
    return E.left('must be a table of strings by environment variable name');
  const reserved = RESERVED_NAMES.find((name) => Object.hasOwn(value, name));
  return reserved === undefined
    ? E.right(value as Readonly<Record<string, string>>)
    : E.left(`must not set ${reserved}: the daemon sets it for every run`);
};
