// What the store holds, in figures.
import { statSync } from 'node:fs';
import { listBackups } from './backup.js';
import type { Database } from './database.js';
import { storeVersion } from './migrate.js';
import { MIGRATIONS } from './migrations/migrations.js';

export interface StoreStatus {
  readonly file: string;
  readonly version: number;
  /** The version this binary brings a store to. */
  readonly newest_version: number;
  readonly bytes: number;
  /** Of the write-ahead log beside it. */
  readonly wal_bytes: number;
  readonly ledger_lines: number;
  readonly runs: number;
  readonly open_runs: number;
  /** When the oldest line was noted; absent when there is none. */
  readonly oldest_line?: string;
  readonly sessions: number;
  readonly episodes: number;
  readonly backups: readonly { readonly file: string; readonly bytes: number }[];
}

/** `file` is the store's path, which a copy in memory does not know. */
export const readStoreStatus = (db: Database, file: string): StoreStatus => {
  const count = (sql: string): number => db.prepare<[], number>(sql).pluck().get() ?? 0;
  const oldest = db.prepare<[], string | null>('SELECT min(at) FROM ledger_line').pluck().get();
  return {
    file,
    version: storeVersion(db),
    newest_version: MIGRATIONS.at(-1)?.version ?? 0,
    bytes: sizeOf(file),
    wal_bytes: sizeOf(`${file}-wal`),
    ledger_lines: count('SELECT count(*) FROM ledger_line'),
    runs: count('SELECT count(*) FROM run'),
    open_runs: count('SELECT count(*) FROM run WHERE open = 1'),
    ...(oldest == null ? {} : { oldest_line: oldest }),
    sessions: count('SELECT count(*) FROM trace_session'),
    episodes: count('SELECT count(*) FROM episodes WHERE body IS NOT NULL AND forgotten_at IS NULL'),
    backups: listBackups(file).map((backup) => ({ file: backup, bytes: sizeOf(backup) })),
  };
};

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
