// Ledger lines and the folded run beside them: one transaction a fact, so neither is ever seen without the other.

import * as E from 'fp-ts/lib/Either.js';
import { byNumber, on, sorted } from '../../core/kernel/order.js';
import { foldLine, foldLines } from '../../core/run/fold.js';
import { decodeLine } from '../../core/run/ledger-line.js';
import type { LedgerLine, RunContext, RunKey, RunRecord } from '../../core/run/record.js';
import { type Database, inTransaction } from './database.js';

export interface StoredLine {
  readonly line: LedgerLine;
  /** The line as encoded by the core; stored as it is. */
  readonly text: string;
  readonly context?: RunContext;
}

export interface RunRow {
  readonly seq: number;
  readonly open: boolean;
  readonly record: RunRecord;
}

/** Appends lines in `seq` order and folds each into its run. A line whose seq is stored already is left alone (a retry). */
export const appendLines = (db: Database, lines: readonly StoredLine[]): readonly RunRow[] =>
  inTransaction(db, () =>
    sorted(
      lines,
      on((entry) => entry.line.seq, byNumber),
    ).map((entry) => appendLine(db, entry)),
  );

const appendLine = (db: Database, { line, text, context }: StoredLine): RunRow => {
  const { harness, run_id, seq, type, at } = line;
  const added = db
    .prepare('INSERT INTO ledger_line (seq, type, at, harness, run_id, line) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
    .run(seq, type, at, harness, run_id, text);
  const stored = readRun(db, { harness, run_id });
  if (added.changes === 0 && stored !== undefined) return stored;
  const open = type === 'opened' || (type === 'updated' && (stored?.open ?? false));
  const record = foldLine(stored?.record, line);
  db.prepare(
    `INSERT INTO run (harness, run_id, last_seq, open, at, record) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET last_seq = excluded.last_seq, open = excluded.open, record = excluded.record`,
  ).run(harness, run_id, seq, open ? 1 : 0, at, JSON.stringify(record));
  db.prepare(
    'INSERT INTO run_sequence (harness, last_run_id) VALUES (?, ?) ON CONFLICT DO UPDATE SET last_run_id = max(last_run_id, excluded.last_run_id)',
  ).run(harness, run_id);
  if (context !== undefined)
    db.prepare('INSERT OR REPLACE INTO run_context (harness, run_id, context) VALUES (?, ?, ?)').run(
      harness,
      run_id,
      JSON.stringify(context),
    );
  return { seq, open, record };
};

export const readRun = (db: Database, { harness, run_id }: RunKey): RunRow | undefined => {
  const row = db
    .prepare<[string, number], { last_seq: number; open: number; record: string }>(
      'SELECT last_seq, open, record FROM run WHERE harness = ? AND run_id = ?',
    )
    .get(harness, run_id);
  return row === undefined ? undefined : { seq: row.last_seq, open: row.open === 1, record: JSON.parse(row.record) as RunRecord };
};

export const readContext = (db: Database, { harness, run_id }: RunKey): RunContext | undefined => {
  const text = db
    .prepare<[string, number], string>('SELECT context FROM run_context WHERE harness = ? AND run_id = ?')
    .pluck()
    .get(harness, run_id);
  return text === undefined ? undefined : (JSON.parse(text) as RunContext);
};

export interface LedgerState {
  readonly lastSeq: number;
  readonly lastRunIds: Readonly<Record<string, number>>;
  readonly open: readonly RunRecord[];
}

/** What the journal needs to go on: the last seq, the last id per harness, and the runs nobody closed. */
export const readLedgerState = (db: Database): LedgerState => {
  const pruned = db.prepare<[], number>("SELECT value FROM counter WHERE name = 'pruned_seq'").pluck().get() ?? 0;
  const lastSeq = db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM ledger_line').pluck().get() ?? 0;
  const ids = db.prepare<[], { harness: string; last_run_id: number }>('SELECT harness, last_run_id FROM run_sequence').all();
  const open = db.prepare<[], string>('SELECT record FROM run WHERE open = 1 ORDER BY harness, run_id').pluck().all();
  return {
    lastSeq: Math.max(lastSeq, pruned),
    lastRunIds: Object.fromEntries(ids.map((row) => [row.harness, row.last_run_id])),
    open: open.map((text) => JSON.parse(text) as RunRecord),
  };
};

export interface LineQuery {
  readonly after: number;
  readonly limit: number;
}

/** Lines after a seq, in order; unreadable ones are skipped and counted. */
export const readLinesAfter = (
  db: Database,
  { after, limit }: LineQuery,
): { lines: readonly LedgerLine[]; unreadable: number; last: number; more: boolean } => {
  const rows = db
    .prepare<[number, number], { seq: number; line: string }>('SELECT seq, line FROM ledger_line WHERE seq > ? ORDER BY seq LIMIT ?')
    .all(after, limit);
  const decoded = rows.map((row) => decodeLine(row.line));
  const lines = decoded.flatMap((line) => (E.isRight(line) ? [line.right] : []));
  return { lines, unreadable: decoded.length - lines.length, last: rows.at(-1)?.seq ?? after, more: rows.length === limit };
};

/** The fold of a run from its lines, for the check that the stored fold tells the same. */
export const refoldRun = (db: Database, { harness, run_id }: RunKey): RunRecord | undefined => {
  const texts = db
    .prepare<[string, number], string>('SELECT line FROM ledger_line WHERE harness = ? AND run_id = ? ORDER BY seq')
    .pluck()
    .all(harness, run_id);
  return foldLines(texts.map(decodeLine).flatMap((line) => (E.isRight(line) ? [line.right] : [])));
};

export interface RunQuery {
  readonly harness?: string;
  readonly since?: string;
  readonly outcome?: string;
  readonly limit: number;
}

/** Runs, newest start first. */
export const readRuns = (db: Database, { harness, since, outcome, limit }: RunQuery): readonly RunRow[] => {
  const rows = db
    .prepare<Record<string, string | number | null>, { last_seq: number; open: number; record: string }>(
      `SELECT last_seq, open, record FROM run
       WHERE ($harness IS NULL OR harness = $harness) AND ($since IS NULL OR at >= $since)
         AND ($outcome IS NULL OR json_extract(record, '$.outcome') = $outcome)
       ORDER BY at DESC, last_seq DESC LIMIT $limit`,
    )
    .all({ harness: harness ?? null, since: since ?? null, outcome: outcome ?? null, limit });
  return rows.map((row) => ({ seq: row.last_seq, open: row.open === 1, record: JSON.parse(row.record) as RunRecord }));
};

export const readCursor = (db: Database, name: string): number =>
  db.prepare<[string], number>('SELECT seq FROM feed_cursor WHERE name = ?').pluck().get(name) ?? 0;

export const writeCursor = (db: Database, { name, seq }: { readonly name: string; readonly seq: number }): void => {
  db.prepare('INSERT INTO feed_cursor (name, seq) VALUES (?, ?) ON CONFLICT DO UPDATE SET seq = max(seq, excluded.seq)').run(name, seq);
};
