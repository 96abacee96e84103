// The store as it is while no daemon runs, changed in nothing. A file in write-ahead mode cannot be opened without files beside it;
// after a clean stop it is whole, so a copy in memory is read instead.
import { existsSync, readFileSync, statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import type { Database } from './database.js';
import { type RunQuery, type RunRow, readRuns } from './ledger-table.js';
import { checkVersion, openForReading } from './open-database.js';

/** Larger files, and those a crash left a log beside, are opened where they are. */
const COPY_BYTES = 256 * 1_024 * 1_024;
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

const openUntouched = (file: string): Database => {
  if (existsSync(`${file}-wal`) || (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > COPY_BYTES || !existsSync(file))
    return openForReading(file);
  const bytes = readFileSync(file);
  bytes.fill(HEADER_MODE.plain, HEADER_MODE.from, HEADER_MODE.to);
  const db = new Sqlite(bytes);
  checkVersion(db, file);
  return db;
};
