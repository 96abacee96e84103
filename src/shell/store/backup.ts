// Copies of the store: consistent as of one moment, private, whole or not there at all.
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { connect, type Database } from './database.js';
import { StoreError } from './store-error.js';

/** Kept of the copies made before a migration; copies that an operator asked for are never removed. */
const MIGRATION_BACKUPS_KEPT = 3;

/** Why a copy was made: before a migration from a version, by hand, or of a store that another one replaced. */
export type BackupKind = 'manual' | 'replaced' | `v${number}`;

export interface BackupRequest {
  /** Absolute. Without it the copy goes beside the others, under a name of its own. */
  readonly target?: string;
  /** Whether a file that is there may be replaced. */
  readonly force: boolean;
}

export interface Backup {
  readonly file: string;
  readonly bytes: number;
}

/** Copies the store that the connection is open on. Throws StoreError `backup_exists` or `backup_failed`. */
export const backUpStore = (db: Database, { target, force }: BackupRequest): Backup => {
  const file = target ?? newBackupName(db.name, 'manual');
  if (isOwnFile(db.name, file)) throw new StoreError('backup_failed', `${file} is a file of the store itself: a copy goes somewhere else`);
  if (!force && existsSync(file)) throw exists(file);
  const beside = `${file}.${randomBytes(4).toString('hex')}.partial`;
  try {
    closeSync(openSync(beside, 'wx', 0o600));
    db.prepare('VACUUM INTO ?').run(beside);
    checkCopy(beside);
    syncPath(beside);
    if (force) renameSync(beside, file);
    else giveName(beside, file);
    syncPath(dirname(file));
    return { file, bytes: statSync(file).size };
  } catch (error) {
    rmSync(beside, { force: true });
    if (error instanceof StoreError) throw error;
    throw new StoreError('backup_failed', `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
};

/** Beside the store stand its log, its lock and its pid; a copy in place of one of them would end it. */
const OWN_SUFFIXES = ['', '-wal', '-shm', '-journal'];
const OWN_NAMES = ['daemon.lock', 'daemon.pid'];

const isOwnFile = (store: string, file: string): boolean => {
  const own = [...OWN_SUFFIXES.map((suffix) => `${store}${suffix}`), ...OWN_NAMES.map((name) => join(dirname(store), name))];
  return own.some((path) => isSameFile(path, file));
};

/** By name, through links, and as the same file under another name. */
const isSameFile = (left: string, right: string): boolean => {
  if (realPath(left) === realPath(right)) return true;
  const [a, b] = [left, right].map((path) => statSync(path, { throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
};

/** Of a file that is not there yet, by its directory. */
const realPath = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path));
  }
};

export const backupDirectory = (file: string): string => join(dirname(file), 'backups');

/** A path that is not taken: its instant comes first, so that names sort by age. Makes the directory. */
export const newBackupName = (store: string, kind: BackupKind): string => {
  const directory = backupDirectory(store);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
  const stamp = new Date().toISOString().replace(/[:.-]/g, '');
  return join(directory, `harness-${stamp}-${kind}.db`);
};

const BACKUP = /^harness-\d{8}T\d{9}Z-(?:manual|replaced|v\d+)\.db$/;
const MIGRATION_BACKUP = /-v\d+\.db$/;

/** Every copy beside the store, oldest first. */
export const listBackups = (store: string): readonly string[] => {
  const directory = backupDirectory(store);
  try {
    return readdirSync(directory)
      .filter((name) => BACKUP.test(name))
      .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
      .map((name) => join(directory, name));
  } catch {
    return [];
  }
};

/** What to go back to when the store is damaged; one that was replaced may have been damaged itself. */
export const newestBackup = (store: string): string | undefined => listBackups(store).findLast((file) => !file.endsWith('-replaced.db'));

export const pruneMigrationBackups = (store: string): void => {
  const copies = listBackups(store).filter((file) => MIGRATION_BACKUP.test(file));
  for (const file of copies.slice(0, -MIGRATION_BACKUPS_KEPT)) rmSync(file, { force: true });
};

/** Waits until what was written, or the names in a directory, are on disk. */
export const syncPath = (path: string): void => {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};

const exists = (file: string): StoreError => new StoreError('backup_exists', `${file} is there already and was left as it is`);

/** A link fails where the name was taken meanwhile; a file system without links is asked first. */
const giveName = (from: string, to: string): void => {
  try {
    linkSync(from, to);
    rmSync(from);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'EEXIST' || existsSync(to)) throw exists(to);
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error;
    renameSync(from, to);
  }
};

/** A copy nobody can read is none. */
const checkCopy = (file: string): void => {
  const copy = connect(file, { readonly: true });
  try {
    const verdict = copy.pragma('quick_check(1)', { simple: true });
    if (verdict !== 'ok') throw new StoreError('backup_failed', `the copy did not come out whole: ${String(verdict)}`);
  } finally {
    copy.close();
  }
};
