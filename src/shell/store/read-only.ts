// The store as it is while no daemon runs: opened read-only, changed in nothing.

import { type RunQuery, type RunRow, readRuns } from './ledger-table.js';
import { openForReading } from './open-database.js';

/** Runs, newest first. Throws StoreError when the store is missing, damaged or newer than this binary. */
export const readRunsOffline = (file: string, query: RunQuery): readonly RunRow[] => {
  const db = openForReading(file);
  try {
    return readRuns(db, query);
  } finally {
    db.close();
  }
};
