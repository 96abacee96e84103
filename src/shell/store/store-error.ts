// What can be wrong with the store, as a closed set. Each message names the file and what to do about it.

export type StoreErrorCode =
  | 'store_newer'
  | 'store_damaged'
  | 'store_unopenable'
  | 'migration_failed'
  | 'store_closed'
  | 'store_failed'
  | 'backup_exists'
  | 'backup_failed'
  | 'no_harness_store'
  | 'restore_failed';

export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string) {
    super(message);
    this.name = 'StoreError';
    this.code = code;
  }
}
