// Reading values out of a client's JSON without trusting its shape: a field of another type counts as absent.
import { utf8Length } from '../kernel/text.js';

export type Row = Readonly<Record<string, unknown>>;

/** Longer ids and names are no ids and names. */
const NAME_BYTES = 256;

export const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object of the row, or an empty one. */
export const rowAt = (row: Row, key: string): Row => {
  const value = fieldAt(row, key);
  return isRow(value) ? value : {};
};

export const textAt = (row: Row, key: string): string | undefined => {
  const value = fieldAt(row, key);
  return typeof value === 'string' ? value : undefined;
};

/** A short text that is not empty: an id, a model, a tool. */
export const nameAt = (row: Row, key: string): string | undefined => {
  const value = textAt(row, key);
  return value === undefined || value === '' || utf8Length(value) > NAME_BYTES ? undefined : value;
};

export const listAt = (row: Row, key: string): readonly unknown[] => {
  const value = fieldAt(row, key);
  return Array.isArray(value) ? value : [];
};

export const rowsAt = (row: Row, key: string): readonly Row[] => listAt(row, key).filter(isRow);

/** A whole number, at least 0. */
export const countAt = (row: Row, key: string): number | undefined => {
  const value = fieldAt(row, key);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
};

/** A finite number, at least 0. */
export const amountAt = (row: Row, key: string): number | undefined => {
  const value = fieldAt(row, key);
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
};

export const isTrue = (row: Row, key: string): boolean => fieldAt(row, key) === true;

/** UTF-8 bytes of what a tool gave back: a text, or a list of blocks that hold texts or encoded data. */
export const contentBytes = (content: unknown): number => {
  if (typeof content === 'string') return utf8Length(content);
  if (!Array.isArray(content)) return 0;
  return content.filter(isRow).reduce((bytes, block) => bytes + blockBytes(block), 0);
};

const blockBytes = (block: Row): number =>
  utf8Length(textAt(block, 'text') ?? textAt(block, 'data') ?? textAt(rowAt(block, 'source'), 'data') ?? '');

/** Own fields only: a client's JSON may well have a key named `__proto__` or `constructor`. */
const fieldAt = (row: Row, key: string): unknown => (Object.hasOwn(row, key) ? row[key] : undefined);
