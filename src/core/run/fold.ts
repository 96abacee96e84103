// Folds ledger lines into run records: per top-level field, by key presence, so that 0, '' and [] are values
// and only a missing key means "not said" (SPEC-0032 REQ-16 needs `invalid = 0` to be told from absent).
import type { LedgerLine, RunFields, RunRecord } from './record.js';

const ENVELOPE = new Set(['v', 'seq', 'type', 'at', 'harness', 'run_id']);

/** The record after one more line of the same run, lines being given in `seq` order. */
export const foldLine = (record: RunRecord | undefined, line: LedgerLine): RunRecord => ({
  ...(record ?? { harness: line.harness, run_id: line.run_id }),
  ...fieldsOf(line),
});

/** The record of one run from all its lines, in `seq` order; undefined when there are none. */
export const foldLines = (lines: readonly LedgerLine[]): RunRecord | undefined => {
  let record: RunRecord | undefined;
  for (const line of lines) record = foldLine(record, line);
  return record;
};

/** A run is in flight when it opened and nothing closed it; no line stores this (readers show `running`). */
export const isOpen = (lines: readonly Pick<LedgerLine, 'type'>[]): boolean =>
  lines.some((line) => line.type === 'opened') && !lines.some((line) => line.type === 'closed');

const fieldsOf = (line: LedgerLine): RunFields => {
  const fields: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(line)) if (!ENVELOPE.has(key) && value !== undefined) fields[key] = value;
  return fields;
};
