// What operators do with the store themselves while no daemon has it: the caller holds the state's lock.
import { type Backup, type BackupRequest, backUpStore } from './backup.js';
import { openForReading } from './open-database.js';

export { listBackups } from './backup.js';
export { QUICK_CHECK_BYTES } from './open-database.js';
export { type Restored, type StagedRestore, stageRestore } from './restore.js';
export { StoreError } from './store-error.js';

/** Throws StoreError. */
export const backUpOffline = (file: string, request: BackupRequest): Backup => {
  const db = openForReading(file);
  try {
    return backUpStore(db, request);
  } finally {
    db.close();
  }
};
