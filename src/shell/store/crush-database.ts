// Reads what crush wrote to its database since it was last looked at, without ever holding a lock its client waits for, and without
// writing to its directory. A database with a log beside it is read where it is, as SQLite lets readers do beside a writer; any
// other is read from a copy in memory, taken only while nobody changed it.
import { readFileSync, statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import type { Database } from './database.js';

type CrushRow = Readonly<Record<string, unknown>>;

export interface CrushQuery {
  readonly file: string;
  /** The last row that was read: rows changed after it are given, or with it in the same second. */
  readonly from: CrushCursor;
}

/** `at` in whatever unit the database counts in. */
export interface CrushCursor {
  readonly at: number;
  readonly rowid: number;
}

/** `busy`: somebody is writing just now. `more`: ask again from the cursor. */
export type CrushAnswer =
  | {
      readonly kind: 'rows';
      readonly sessions: readonly CrushRow[];
      /** `parts` are decoded; undefined where they are no JSON or too long. */
      readonly messages: readonly CrushRow[];
      readonly files: readonly CrushRow[];
      readonly cursor: CrushCursor;
      readonly more: boolean;
    }
  | { readonly kind: 'absent' | 'busy' | 'unreadable' };

const MESSAGES_READ = 500;
const OTHERS_READ = 2_000;
/** Longer parts of a message are not read, nor are databases copied that are larger. */
const PARTS_BYTES = 16 * 1_024 * 1_024;
const COPY_BYTES = 64 * 1_024 * 1_024;
/** The two bytes of the header that say write-ahead mode, and what says a plain file. */
const HEADER_MODE = { from: 18, to: 20, plain: 1 } as const;
const HEADER_BYTES = 100;

/** An operation of the reading thread; its own connection is not needed. */
export const readCrush = (_own: Database, { file, from }: CrushQuery): CrushAnswer => {
  const opened = openBeside(file);
  if (typeof opened === 'string') return { kind: opened };
  try {
    return rowsSince(opened, from);
  } catch (error) {
    return { kind: isBusy(error) ? 'busy' : 'unreadable' };
  } finally {
    opened.close();
  }
};

const openBeside = (file: string): Database | 'absent' | 'busy' | 'unreadable' => {
  const state = stateOf(file);
  if (state === undefined) return 'absent';
  if (!state.isFile) return 'unreadable';
  try {
    if (state.logged) return new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 0 });
    // A journal means a write under way, or one that only its client may undo.
    if (state.journaled) return 'busy';
    if (state.size > COPY_BYTES) return 'unreadable';
    const bytes = readFileSync(file);
    if (stateOf(file)?.mark !== state.mark) return 'busy';
    if (bytes.length < HEADER_BYTES) return 'unreadable';
    bytes.fill(HEADER_MODE.plain, HEADER_MODE.from, HEADER_MODE.to);
    return new Sqlite(bytes);
  } catch (error) {
    return isBusy(error) ? 'busy' : 'unreadable';
  }
};

interface FileState {
  readonly isFile: boolean;
  readonly size: number;
  /** A write-ahead log with its index beside it: readers and the writer do not wait for one another. */
  readonly logged: boolean;
  readonly journaled: boolean;
  readonly mark: string;
}

const stateOf = (file: string): FileState | undefined => {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  if (found === undefined) return undefined;
  const sizeOf = (suffix: string): number => statSync(`${file}${suffix}`, { throwIfNoEntry: false })?.size ?? 0;
  const log = sizeOf('-wal');
  const logged = log > 0 && sizeOf('-shm') > 0;
  const journal = sizeOf('-journal');
  return {
    isFile: found.isFile(),
    size: Number(found.size),
    logged,
    journaled: journal > 0 || (log > 0 && !logged),
    mark: `${found.ino} ${found.size} ${found.mtimeNs} ${log} ${journal}`,
  };
};

const rowsSince = (db: Database, from: CrushCursor): CrushAnswer => {
  const read = db.transaction((): CrushAnswer => {
    const sessions = db
      .prepare(`SELECT * FROM sessions WHERE updated_at >= ? ORDER BY created_at, rowid LIMIT ${OTHERS_READ}`)
      .all(from.at);
    const messages = db
      .prepare(
        `SELECT rowid AS "row", id, session_id, role, model, ${optionalColumns(db)} created_at, updated_at,
           CASE WHEN length(parts) <= ${PARTS_BYTES} THEN parts END AS parts
         FROM messages WHERE (updated_at, rowid) > (?, ?) ORDER BY updated_at, rowid LIMIT ${MESSAGES_READ}`,
      )
      .all(from.at, from.rowid) as CrushRow[];
    const files = db
      .prepare(
        `SELECT session_id, path, version, created_at FROM files WHERE created_at >= ? ORDER BY created_at, rowid LIMIT ${OTHERS_READ}`,
      )
      .all(from.at);
    const last = messages.at(-1);
    const cursor = last === undefined ? from : { at: Number(last['updated_at']), rowid: Number(last['row']) };
    return {
      kind: 'rows',
      sessions: sessions as CrushRow[],
      messages: messages.map((row) => ({ ...row, parts: decoded(row['parts']) })),
      files: files as CrushRow[],
      cursor,
      more: messages.length === MESSAGES_READ,
    };
  });
  return read();
};

/** Later versions of the client added columns. */
const optionalColumns = (db: Database): string => {
  const known = new Set((db.pragma('table_info(messages)') as readonly { readonly name: string }[]).map(({ name }) => name));
  return ['provider', 'is_summary_message'].flatMap((name) => (known.has(name) ? [`${name},`] : [])).join(' ');
};

const decoded = (parts: unknown): unknown => {
  if (parts === null) return undefined;
  try {
    return JSON.parse(Buffer.isBuffer(parts) ? parts.toString('utf8') : String(parts));
  } catch {
    return undefined;
  }
};

const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test((error as { code?: string }).code ?? '');
