// One daemon per state directory: an exclusive SQLite lock, which the operating system drops when the daemon dies however it dies.

import { chmodSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';

/** Takes the lock and returns its release, or undefined while another daemon holds it. */
export const lockState = (file: string): (() => void) | undefined => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const db = new Sqlite(file, { timeout: 0 });
  try {
    chmodSync(file, 0o600);
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE');
    return () => db.close();
  } catch (error) {
    db.close();
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return undefined;
    throw error;
  }
};
