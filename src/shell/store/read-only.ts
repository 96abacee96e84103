// The store as it is while no daemon runs, changed in nothing. A file in write-ahead mode cannot be opened without files beside it;
// after a clean stop it is whole, so a copy in memory is read instead.
import { existsSync, readFileSync, statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import type { Database } from './database.js';
import { type ExportPage, readExportPage } from './ledger-export.js';
import { type RunQuery, type RunRow, readRuns } from './ledger-table.js';
import { checkVersion, openForReading, quickCheck } from './open-database.js';
import { readStoreStatus, type StoreStatus } from './store-status.js';

/** Larger files, and those a crash left a log beside, are opened where they are. */
const COPY_BYTES = 256 * 1_024 * 1_024;
/** What is read page by page need not be held whole for it. */
const STREAMED_COPY_BYTES = 16 * 1_024 * 1_024;
/** The two bytes of the header that say write-ahead mode, and what says a plain file. */
const HEADER_MODE = { from: 18, to: 20, plain: 1 } as const;

/** Runs, newest first. Throws StoreError when the store is missing, damaged or newer than this binary. */
export const readRunsOffline = (file: string, query: RunQuery): readonly RunRow[] => {
  const db = openUntouched(file);
  try {
    return readRuns(db, query);
  } finally {
    db.close();
  }
};

/** The ledger's lines, page by page, never holding more than one. */
export function* exportLedgerOffline(file: string, since: string | undefined): Generator<readonly string[]> {
  const db = openUntouched(file, STREAMED_COPY_BYTES);
  try {
    let page: ExportPage = { lines: [], next: 0 };
    while (page.next !== undefined) {
      page = readExportPage(db, { after: page.next, ...(since === undefined ? {} : { since }) });
      yield page.lines;
    }
  } finally {
    db.close();
  }
}

/** In figures; with `check` every page is looked at first. */
export const readStatusOffline = (file: string, check: boolean): StoreStatus => {
  const db = openUntouched(file);
  try {
    if (check) quickCheck(db, file);
    return readStoreStatus(db, file);
  } finally {
    db.close();
  }
};

const openUntouched = (file: string, copyBytes = COPY_BYTES): Database => {
  if (existsSync(`${file}-wal`) || (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > copyBytes || !existsSync(file))
    return openForReading(file);
  const bytes = readFileSync(file);
  bytes.fill(HEADER_MODE.plain, HEADER_MODE.from, HEADER_MODE.to);
  const db = new Sqlite(bytes);
  checkVersion(db, file);
  return db;
};
