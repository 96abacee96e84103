// Opens one SQLite connection with the pragmas every connection must have.
import Sqlite from 'better-sqlite3';
import * as sqliteVec from 'sqlite-vec';

export type Database = Sqlite.Database;

const BUSY_TIMEOUT_MS = 5_000;
const AUTOCHECKPOINT_PAGES = 16_384;

export interface ConnectionOptions {
  readonly readonly: boolean;
}

/** A connection in WAL mode with synchronous commits, secure deletion and the vector extension. */
export const connect = (file: string, { readonly }: ConnectionOptions): Database => {
  const db = new Sqlite(file, { readonly, fileMustExist: readonly, timeout: BUSY_TIMEOUT_MS });
  if (!readonly) {
    db.pragma('auto_vacuum = INCREMENTAL');
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    // A fact's own commit must not pay for a checkpoint; only a log that grew far past its timer's reach is moved in place.
    db.pragma(`wal_autocheckpoint = ${AUTOCHECKPOINT_PAGES}`);
    db.pragma('secure_delete = ON');
    db.pragma('foreign_keys = ON');
  }
  sqliteVec.load(db);
  keepStatements(db);
  return db;
};

/** Keeps each statement of a connection prepared: preparing costs more than most of them run. */
const keepStatements = (db: Database): void => {
  const kept = new Map<string, Sqlite.Statement>();
  const prepare = db.prepare.bind(db);
  db.prepare = ((sql: string) => {
    const known = kept.get(sql);
    if (known !== undefined) return known;
    const statement = prepare(sql) as Sqlite.Statement;
    kept.set(sql, statement);
    return statement;
  }) as typeof db.prepare;
};

/** Runs the work in one transaction and returns its value; it is rolled back when the work throws. */
export const inTransaction = <A>(db: Database, work: () => A): A => (db.inTransaction ? work() : db.transaction(work).immediate());
