// Puts a copy in the store's place: checked and brought to this version beside it first, then swapped in one step. What was
// replaced is kept. A run id that was given, and an episode that was forgotten, stay so whatever the copy says.
import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, copyFileSync, existsSync, linkSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { newBackupName, syncPath } from './backup.js';
import { type CarriedOver, carryOver, readCarried } from './carry-over.js';
import { connect, type Database } from './database.js';
import { migrateCopy, newerStore, storeVersion } from './migrate.js';
import { MIGRATIONS } from './migrations/migrations.js';
import { StoreError } from './store-error.js';

/** A copy that may take the store's place, and waits beside it. */
export interface StagedRestore {
  /** The version that the copy had. */
  readonly version: number;
  readonly bytes: number;
  readonly runs: number;
  /** When its last run was started; absent when it has none. */
  readonly latest?: string;
  /** Swaps it in. Nobody else may have the store open. */
  readonly commit: () => Restored;
  readonly discard: () => void;
}

export interface Restored {
  /** Where the store went that was there before. */
  readonly replaced?: string;
  /** Undefined when the store before could not be read. */
  readonly carried?: CarriedOver;
}

/** Copies and checks; the copy itself and the store are not touched. Throws StoreError and leaves nothing behind. */
export const stageRestore = (store: string, backup: string): StagedRestore => {
  checkFile(store, backup);
  const beside = `${store}.${randomBytes(4).toString('hex')}.restoring`;
  let db: Database | undefined;
  const discard = (): void => {
    db?.close();
    for (const suffix of ['', ...COMPANIONS, '-journal']) rmSync(`${beside}${suffix}`, { force: true });
  };
  try {
    copyFileSync(backup, beside);
    chmodSync(beside, 0o600);
    // A copy taken of a running store may have its newest part in its log.
    if (existsSync(`${backup}-wal`)) copyFileSync(`${backup}-wal`, `${beside}-wal`);
    const copy = opened(backup, beside);
    db = copy;
    const version = checkContent(copy, backup);
    migrateCopy(copy, beside);
    return { version, bytes: statSync(backup).size, ...summary(copy), commit: () => swap(store, beside, copy, discard), discard };
  } catch (error) {
    discard();
    throw storeErrorOf(error, backup);
  }
};

const HEADER = Buffer.from('SQLite format 3\0');
const COMPANIONS = ['-wal', '-shm'] as const;

const checkFile = (store: string, backup: string): void => {
  const found = statSync(backup, { throwIfNoEntry: false });
  if (found?.isFile() !== true) throw new StoreError('no_harness_store', `${backup} is no file`);
  const there = statSync(store, { throwIfNoEntry: false });
  if (there?.ino === found.ino && there.dev === found.dev) throw new StoreError('no_harness_store', `${backup} is the store itself`);
  const head = Buffer.alloc(HEADER.length);
  const fd = openSync(backup, 'r');
  readSync(fd, head, 0, head.length, 0);
  closeSync(fd);
  if (!head.equals(HEADER)) throw new StoreError('no_harness_store', `${backup} is no store of Harness`);
};

const opened = (backup: string, beside: string): Database => {
  try {
    return connect(beside, { readonly: false });
  } catch (error) {
    throw damaged(backup, error);
  }
};

/** The version found; throws what the file is instead of a sound store that this binary knows. */
const checkContent = (db: Database, backup: string): number => {
  const version = storeVersion(db);
  const known = MIGRATIONS.at(-1)?.version ?? 0;
  const ledger = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'ledger_line'").get();
  if (version === 0 || ledger === undefined) throw new StoreError('no_harness_store', `${backup} is no store of Harness`);
  if (version > known) throw newerStore(backup, version, known);
  const verdict = db.pragma('quick_check(1)', { simple: true });
  if (verdict !== 'ok') throw damaged(backup, verdict);
  return version;
};

const summary = (db: Database): { readonly runs: number; readonly latest?: string } => {
  const row = db.prepare<[], { runs: number; latest: string | null }>('SELECT count(*) AS runs, max(at) AS latest FROM run').get();
  return { runs: row?.runs ?? 0, ...(row?.latest == null ? {} : { latest: row.latest }) };
};

const swap = (store: string, beside: string, copy: Database, discard: () => void): Restored => {
  try {
    const carried = existsSync(store) ? carriedFrom(store) : undefined;
    if (carried !== undefined) carryOver(copy, carried);
    copy.pragma('wal_checkpoint(TRUNCATE)');
    copy.pragma('journal_mode = DELETE');
    copy.close();
    syncPath(beside);
    const replaced = existsSync(store) ? setAside(store) : undefined;
    // The old store's log must never meet the new store.
    for (const suffix of COMPANIONS) rmSync(`${store}${suffix}`, { force: true });
    renameSync(beside, store);
    syncPath(dirname(store));
    return { ...(replaced === undefined ? {} : { replaced }), ...(carried === undefined ? {} : { carried }) };
  } catch (error) {
    discard();
    throw storeErrorOf(error, store);
  }
};

/** Also folds the old store's log into it, so that it is whole when it is set aside. */
const carriedFrom = (store: string): CarriedOver | undefined => {
  try {
    const db = connect(store, { readonly: false });
    try {
      const carried = readCarried(db);
      db.pragma('wal_checkpoint(TRUNCATE)');
      return carried;
    } finally {
      db.close();
    }
  } catch {
    // A store too damaged to be read is why there are copies.
    return undefined;
  }
};

/** A second name for the same file, where the file system has such; a log that could not be folded goes with it. */
const setAside = (store: string): string => {
  const aside = newBackupName(store, 'replaced');
  try {
    linkSync(store, aside);
  } catch {
    copyFileSync(store, aside);
  }
  chmodSync(aside, 0o600);
  if (existsSync(`${store}-wal`)) copyFileSync(`${store}-wal`, `${aside}-wal`);
  syncPath(aside);
  syncPath(dirname(aside));
  return aside;
};

const damaged = (backup: string, why: unknown): StoreError =>
  new StoreError('store_damaged', `${backup} is damaged: ${why instanceof Error ? why.message : String(why)}`);

const storeErrorOf = (error: unknown, file: string): StoreError => {
  if (error instanceof StoreError) return error;
  const code = (error as { code?: string }).code ?? '';
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) return damaged(file, error);
  return new StoreError('restore_failed', `${file}: ${error instanceof Error ? error.message : String(error)}`);
};
