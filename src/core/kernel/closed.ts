// A decoder for objects that may hold these keys and no others: every unknown, missing or ill-typed key is named, all at once
// (SPEC-0032 REQ-1 and REQ-8 fail on an extra key; a codec that drops unknown keys would hide the mistake).
import * as E from 'fp-ts/lib/Either.js';
import { byCodePoint, sorted } from './order.js';

/** Reads one value, or says what it must be: a phrase that follows the key, such as `must be true or false`. */
export type Reader<A> = (value: unknown) => E.Either<string, A>;

export interface Field<A> {
  readonly read: Reader<A>;
  readonly required?: boolean;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

type Read<F> = F extends Field<infer A> ? A : never;
/** What a closed table holds after reading: every key may be absent until `required` has been checked. */
export type Closed<F extends Fields> = { readonly [K in keyof F]?: Read<F[K]> };

export type ClosedError =
  | { readonly code: 'unknown_key'; readonly key: string }
  | { readonly code: 'missing_key'; readonly key: string }
  | { readonly code: 'invalid_value'; readonly key: string; readonly must: string };

export interface ClosedReading<F extends Fields> {
  /** The keys that could be read. */
  readonly values: Closed<F>;
  /** By key in code-point order. */
  readonly errors: readonly ClosedError[];
}

/** Reads what can be read and reports the rest, so that a caller can go on and find further mistakes. */
export const readClosed = <F extends Fields>(fields: F, table: Readonly<Record<string, unknown>>): ClosedReading<F> => {
  const keys = sorted(new Set([...Object.keys(table), ...requiredKeys(fields)]), byCodePoint);
  const readings = keys.map((key) => ({ key, reading: readKey(fields, table, key) }));
  return {
    values: Object.fromEntries(readings.flatMap(({ key, reading }) => (E.isRight(reading) ? [[key, reading.right]] : []))) as Closed<F>,
    errors: readings.flatMap(({ reading }) => (E.isLeft(reading) ? [reading.left] : [])),
  };
};

const requiredKeys = (fields: Fields): readonly string[] =>
  Object.entries(fields).flatMap(([key, field]) => (field.required === true ? [key] : []));

const readKey = (fields: Fields, table: Readonly<Record<string, unknown>>, key: string): E.Either<ClosedError, unknown> => {
  const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (field === undefined) return E.left({ code: 'unknown_key', key });
  if (!Object.hasOwn(table, key)) return E.left({ code: 'missing_key', key });
  return E.mapLeft((must: string): ClosedError => ({ code: 'invalid_value', key, must }))(field.read(table[key]));
};
