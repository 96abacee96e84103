// The ledger as it is stored: one line a row, in the order of writing.
import type { Database } from './database.js';

export interface ExportQuery {
  /** Lines after this seq. */
  readonly after: number;
  /** RFC 3339 with nine digits; lines noted before it are left out. */
  readonly since?: string;
}

export interface ExportPage {
  readonly lines: readonly string[];
  /** Where the next page begins; undefined after the last one. */
  readonly next?: number;
}

/** Lines of one page: enough that a page costs little, few enough that a reader never holds much. */
const PAGE_LINES = 1_000;

export const readExportPage = (db: Database, { after, since }: ExportQuery): ExportPage => {
  const rows = db
    .prepare<[number, string, number], { seq: number; line: string }>(
      'SELECT seq, line FROM ledger_line WHERE seq > ? AND at >= ? ORDER BY seq LIMIT ?',
    )
    .all(after, since ?? '', PAGE_LINES);
  const last = rows.at(-1);
  const lines = rows.map(({ line }) => line);
  return last === undefined || rows.length < PAGE_LINES ? { lines } : { lines, next: last.seq };
};
