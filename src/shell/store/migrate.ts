// Brings a store to the newest version: forward only, one transaction a step, a backup before the first one.
import { backUpStore, newBackupName, pruneMigrationBackups } from './backup.js';
import type { Database } from './database.js';
import { MIGRATIONS, type Migration } from './migrations/migrations.js';
import { StoreError } from './store-error.js';

/** Applies what is pending and returns the versions applied. Refuses a store newer than this binary. */
export const migrate = (db: Database, file: string, migrations: readonly Migration[] = MIGRATIONS): readonly number[] =>
  applyPending(db, file, migrations, true);

/** The same of a store that is a copy already. */
export const migrateCopy = (db: Database, file: string): readonly number[] => applyPending(db, file, MIGRATIONS, false);

const applyPending = (db: Database, file: string, migrations: readonly Migration[], careful: boolean): readonly number[] => {
  const current = storeVersion(db);
  const newest = migrations.at(-1)?.version ?? 0;
  if (current > newest) throw newerStore(file, current, newest);
  const pending = migrations.filter((migration) => migration.version > current);
  if (pending.length === 0) return [];
  const backup = careful && current > 0 ? backUp(db, file, current) : undefined;
  db.exec('CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL) STRICT');
  for (const migration of pending) apply(db, file, migration, backup);
  if (backup !== undefined) pruneMigrationBackups(file);
  return pending.map((migration) => migration.version);
};

/** The version of a store, 0 when it is empty. */
export const storeVersion = (db: Database): number => {
  const table = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'").get();
  if (table === undefined) return 0;
  return db.prepare<[], number>('SELECT coalesce(max(version), 0) FROM schema_migrations').pluck().get() ?? 0;
};

export const newerStore = (file: string, found: number, known: number): StoreError =>
  new StoreError('store_newer', `${file} is at version ${found}, this binary knows ${known}: run a newer harness, or restore a backup`);

const apply = (db: Database, file: string, migration: Migration, backup: string | undefined): void => {
  try {
    db.transaction(() => {
      db.exec(migration.sql);
      db.prepare('INSERT INTO schema_migrations (version, applied_at) VALUES (?, ?)').run(migration.version, new Date().toISOString());
    }).immediate();
  } catch (error) {
    const reached = storeVersion(db);
    const kept = backup === undefined ? '' : `; the store before it is ${backup}`;
    throw new StoreError('migration_failed', `${file}: migration ${migration.name} failed at version ${reached}: ${String(error)}${kept}`);
  }
};

const backUp = (db: Database, file: string, version: number): string => {
  db.pragma('wal_checkpoint(TRUNCATE)');
  return backUpStore(db, { target: newBackupName(file, `v${version}`), force: false }).file;
};
