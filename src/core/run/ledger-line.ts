// One ledger line as text: bounded strings and lists, at most 16 KiB, refused rather than split.
import * as E from 'fp-ts/lib/Either.js';
import { attempt } from '../kernel/attempt.js';
import { capBytes, utf8Length } from '../kernel/text.js';
import { type LedgerLine, LINE_TYPES } from './record.js';

/** Encoded line including its newline, in bytes. */
export const LINE_BYTES = 16 * 1_024;
/** Every string of a record, in bytes. */
export const STRING_BYTES = 256;
/** Entries of any list, keys of any map. */
export const LIST_ENTRIES = 16;

export type LineError =
  | { readonly code: 'line_too_long'; readonly bytes: number }
  | { readonly code: 'line_unreadable'; readonly why: string };

export interface BoundLine {
  readonly line: LedgerLine;
  /** How many values were cut or given up, for doctor. */
  readonly cut: number;
}

/** Given up in this order when a line is still too long: a run must be closed whatever its client called its sessions. */
const GIVEN_UP = ['sessions', 'models', 'errors'] as const;

/** Cuts strings and lists to their bounds, and gives up lists until the line fits. `log` keeps its path whole. */
export const boundLine = (line: LedgerLine): BoundLine =>
  GIVEN_UP.reduce(
    (bound: BoundLine, name) =>
      bound.line[name] === undefined || encodedBytes(bound.line) <= LINE_BYTES
        ? bound
        : { line: { ...bound.line, [name]: undefined }, cut: bound.cut + 1 },
    boundValues(line),
  );

const boundValues = (line: LedgerLine): BoundLine => {
  let cut = 0;
  const bound = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') {
      const short = key === 'log' ? value : capBytes(value, STRING_BYTES);
      if (short !== value) cut += 1;
      return short;
    }
    if (Array.isArray(value)) {
      if (value.length > LIST_ENTRIES) cut += 1;
      return value.slice(0, LIST_ENTRIES).map((entry: unknown) => bound(entry, ''));
    }
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const kept = key === 'errors' ? entries.slice(0, LIST_ENTRIES) : entries;
    if (kept.length < entries.length) cut += 1;
    return Object.fromEntries(kept.map(([name, entry]) => [name, bound(entry, name)]));
  };
  return { line: bound(line, '') as LedgerLine, cut };
};

/** The line as one JSON text without newline. */
export const encodeLine = (line: LedgerLine): E.Either<LineError, string> => {
  const bytes = encodedBytes(line);
  return bytes > LINE_BYTES ? E.left({ code: 'line_too_long', bytes }) : E.right(JSON.stringify(line));
};

const encodedBytes = (line: LedgerLine): number => utf8Length(JSON.stringify(line)) + 1;

/** Reads a stored line back. Unknown fields are kept by the fold's presence rule and ignored by its readers. */
export const decodeLine = (text: string): E.Either<LineError, LedgerLine> => {
  const parsed = attempt((): unknown => JSON.parse(text));
  if (E.isLeft(parsed)) return E.left({ code: 'line_unreadable', why: parsed.left });
  return isLine(parsed.right) ? E.right(parsed.right) : E.left({ code: 'line_unreadable', why: 'not a ledger line' });
};

const isLine = (value: unknown): value is LedgerLine => {
  if (typeof value !== 'object' || value === null) return false;
  const line = value as Partial<LedgerLine>;
  return (
    line.v === 1 &&
    Number.isSafeInteger(line.seq) &&
    Number.isSafeInteger(line.run_id) &&
    typeof line.harness === 'string' &&
    line.harness !== '' &&
    typeof line.at === 'string' &&
    LINE_TYPES.some((type) => type === line.type)
  );
};
