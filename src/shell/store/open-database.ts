// Opens the store for writing at boot: refuses a newer or damaged file before anything is written to it, then migrates.
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { newestBackup } from './backup.js';
import { connect, type Database } from './database.js';
import { migrate, newerStore, storeVersion } from './migrate.js';
import { MIGRATIONS } from './migrations/migrations.js';
import { StoreError } from './store-error.js';

/** Files up to this size are checked before the daemon starts; larger ones by the reader in the background. */
export const QUICK_CHECK_BYTES = 64 * 1_024 * 1_024;

/** A write connection to a sound, current store. An existing file that is damaged stays byte-identical. */
export const openForWriting = (file: string): Database => {
  prepareFile(file);
  if (statSync(file).size > 0) inspect(file);
  const db = guarded(file, () => connect(file, { readonly: false }));
  migrate(db, file);
  return db;
};

/** A read-only connection; it never migrates and never creates. */
export const openForReading = (file: string): Database => {
  const db = guarded(file, () => connect(file, { readonly: true }));
  checkVersion(db, file);
  return db;
};

/** Closes a connection to a store newer than this binary, or to none, and says so. */
export const checkVersion = (db: Database, file: string): void => {
  const known = MIGRATIONS.at(-1)?.version ?? 0;
  try {
    const version = guarded(file, () => storeVersion(db));
    if (version > known) throw newerStore(file, version, known);
  } catch (error) {
    db.close();
    throw error;
  }
};

/** The same check as an operation, for files too large to check before the daemon starts. */
export const checkPages = (db: Database, file: string): void => quickCheck(db, file);

/** `PRAGMA quick_check`; throws `store_damaged` with the newest backup named. */
export const quickCheck = (db: Database, file: string): void => {
  const verdict = guarded(file, () => db.pragma('quick_check(1)', { simple: true }));
  if (verdict !== 'ok') throw damaged(file, String(verdict));
};

const inspect = (file: string): void => {
  const db = guarded(file, () => connect(file, { readonly: true }));
  try {
    const version = guarded(file, () => storeVersion(db));
    const known = MIGRATIONS.at(-1)?.version ?? 0;
    if (version > known) throw newerStore(file, version, known);
    if (statSync(file).size <= QUICK_CHECK_BYTES) quickCheck(db, file);
  } finally {
    db.close();
  }
};

const prepareFile = (file: string): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
};

const guarded = <A>(file: string, work: () => A): A => {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const code = (error as { code?: string }).code ?? '';
    if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) throw damaged(file, String(error));
    throw new StoreError('store_unopenable', `${file} cannot be opened: ${error instanceof Error ? error.message : String(error)}`);
  }
};

const damaged = (file: string, why: string): StoreError => {
  const backup = newestBackup(file);
  const hint = backup === undefined ? 'no backup was found' : `stop every daemon, then: harness store restore ${backup}`;
  return new StoreError('store_damaged', `${file} is damaged (${why}): ${hint}`);
};
