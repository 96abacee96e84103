// The built-in provider's tables: text, full-text and vector rows change in one transaction, and every search is
// scope-first — an opaque scope token inside MATCH, a partition key in vec0 (SPEC-0030 REQ-11).
import { type Database, inTransaction } from './database.js';
import { blobOf, forgetVectors, storeVector, type Vector, vectorTables } from './vector-table.js';

/** Longest list any one ranking contributes to the fusion. */
export const RANKED_MAX = 50;
/** A cosine similarity at or below this is no match. */
export const SIMILARITY_MIN = 1e-6;

export interface BuiltinMemory {
  readonly id: string;
  readonly scope: string;
  readonly text: string;
  /** What recall serves: short. */
  readonly digest: string;
  /** The full text and its split words. */
  readonly body: string;
  readonly files: readonly string[];
  readonly content_hash: string;
  readonly recorded_at: string;
  readonly vector?: Vector;
}

/** Stores a memory; the same id again changes nothing and is no error. */
export const builtinRecord = (db: Database, memory: BuiltinMemory): { readonly added: boolean } =>
  inTransaction(db, () => {
    const scopeId = scopeIdOf(db, memory.scope);
    const added = db
      .prepare(
        `INSERT INTO builtin_memory (id, scope_id, text, digest, files, content_hash, recorded_at) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO NOTHING`,
      )
      .run(memory.id, scopeId, memory.text, memory.digest, JSON.stringify(memory.files), memory.content_hash, memory.recorded_at);
    if (added.changes === 0) return { added: false };
    const key = BigInt(added.lastInsertRowid);
    db.prepare('INSERT INTO builtin_fts (rowid, scope_key, body) VALUES (?, ?, ?)').run(key, scopeToken(scopeId), memory.body);
    const addFile = db.prepare('INSERT INTO builtin_file (scope_id, path, memory) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
    for (const path of memory.files) addFile.run(scopeId, path, key);
    if (memory.vector !== undefined) storeVector(db, key, scopeId, memory.content_hash, memory.vector);
    return { added: true };
  });

/** Removes a memory with all its index rows; embeddings that no live memory uses go too. */
export const builtinForget = (db: Database, id: string): { readonly forgotten: boolean } => {
  const forgotten = inTransaction(db, () => {
    const row = db
      .prepare<[string], { key: number; content_hash: string }>('SELECT key, content_hash FROM builtin_memory WHERE id = ?')
      .get(id);
    if (row === undefined) return false;
    const key = BigInt(row.key);
    db.prepare('DELETE FROM builtin_memory WHERE key = ?').run(key);
    db.prepare('DELETE FROM builtin_fts WHERE rowid = ?').run(key);
    db.prepare('DELETE FROM builtin_file WHERE memory = ?').run(key);
    forgetVectors(db, key, row.content_hash);
    return true;
  });
  return { forgotten };
};

export interface SearchRequest {
  readonly scopes: readonly string[];
  /** Quoted tokens joined by OR; absent when the query has none. */
  readonly match?: string;
  readonly vector?: Vector;
  readonly paths: readonly string[];
}

export interface SearchRow {
  readonly id: string;
  readonly digest: string;
  readonly recorded_at: string;
}

/** Rankings as lists of ids, best first, and the rows they name. */
export interface SearchResult {
  readonly text: readonly string[];
  readonly cosine: readonly string[];
  readonly paths: readonly string[];
  readonly rows: readonly SearchRow[];
}

interface Ranked extends SearchRow {
  readonly key: number;
}

/** The three rankings within the given scopes, in one read transaction. */
export const builtinSearch = (db: Database, request: SearchRequest): SearchResult =>
  db.transaction((): SearchResult => {
    const scopeIds = knownScopes(db, request.scopes);
    if (scopeIds.length === 0) return { text: [], cosine: [], paths: [], rows: [] };
    const text = request.match === undefined ? [] : searchText(db, scopeIds, request.match);
    const cosine = request.vector === undefined ? [] : searchVectors(db, scopeIds, request.vector);
    const candidates = [...new Set([...text, ...cosine].map((row) => row.key))];
    const paths = request.paths.length === 0 ? [] : searchPaths(db, scopeIds, request.paths, candidates);
    const rows = new Map(
      [...text, ...cosine, ...paths].map((row) => [row.id, { id: row.id, digest: row.digest, recorded_at: row.recorded_at }]),
    );
    return { text: idsOf(text), cosine: idsOf(cosine), paths: idsOf(paths), rows: [...rows.values()] };
  })();

const idsOf = (rows: readonly Ranked[]): readonly string[] => rows.map((row) => row.id);

const scopeToken = (id: number): string => `z${id}z`;

const scopeIdOf = (db: Database, scope: string): number => {
  db.prepare('INSERT INTO builtin_scope (scope) VALUES (?) ON CONFLICT DO NOTHING').run(scope);
  return db.prepare<[string], number>('SELECT id FROM builtin_scope WHERE scope = ?').pluck().get(scope) ?? 0;
};

const knownScopes = (db: Database, scopes: readonly string[]): readonly number[] => {
  const find = db.prepare<[string], number>('SELECT id FROM builtin_scope WHERE scope = ?').pluck();
  return scopes.flatMap((scope) => find.get(scope) ?? []);
};

const placeholders = (values: readonly unknown[]): string => values.map(() => '?').join(', ');

const searchText = (db: Database, scopeIds: readonly number[], match: string): readonly Ranked[] => {
  const scopeClause = scopeIds.map(scopeToken).join(' OR ');
  return db
    .prepare<(string | number)[], Ranked>(
      `SELECT m.key, m.id, m.digest, m.recorded_at FROM builtin_fts f JOIN builtin_memory m ON m.key = f.rowid
       WHERE builtin_fts MATCH ? AND m.scope_id IN (${placeholders(scopeIds)})
       ORDER BY bm25(builtin_fts, 0.0, 1.0), m.recorded_at DESC, m.id LIMIT ${RANKED_MAX}`,
    )
    .all(`scope_key:(${scopeClause}) AND body:(${match})`, ...scopeIds);
};

const searchVectors = (db: Database, scopeIds: readonly number[], vector: Vector): readonly Ranked[] => {
  const table = vectorTables(db).find((entry) => entry.model_id === vector.model_id && entry.dim === vector.values.length);
  if (table === undefined) return [];
  const nearest = db.prepare<[Buffer, number, bigint], Ranked & { distance: number | null }>(
    `SELECT v.distance, m.key, m.id, m.digest, m.recorded_at
     FROM (SELECT rowid, distance FROM ${table.name} WHERE embedding MATCH ? AND k = ? AND scope_id = ?) v
     JOIN builtin_memory m ON m.key = v.rowid`,
  );
  const blob = blobOf(vector.values);
  const found = scopeIds.flatMap((id) => nearest.all(blob, RANKED_MAX, BigInt(id)));
  return found
    .filter((row) => row.distance !== null && 1 - row.distance > SIMILARITY_MIN)
    .sort((a, b) => (a.distance ?? 0) - (b.distance ?? 0) || newerFirst(a, b))
    .slice(0, RANKED_MAX);
};

const searchPaths = (
  db: Database,
  scopeIds: readonly number[],
  paths: readonly string[],
  candidates: readonly number[],
): readonly Ranked[] =>
  db
    .prepare<(string | number)[], Ranked>(
      `SELECT m.key, m.id, m.digest, m.recorded_at, count(*) AS matches
       FROM builtin_file f JOIN builtin_memory m ON m.key = f.memory
       WHERE f.scope_id IN (${placeholders(scopeIds)}) AND f.path IN (${placeholders(paths)})
         ${candidates.length === 0 ? '' : `AND f.memory IN (${placeholders(candidates)})`}
       GROUP BY m.key ORDER BY matches DESC, m.recorded_at DESC, m.id LIMIT ${2 * RANKED_MAX}`,
    )
    .all(...scopeIds, ...paths, ...candidates);

const newerFirst = (a: Ranked, b: Ranked): number => {
  if (a.recorded_at !== b.recorded_at) return a.recorded_at < b.recorded_at ? 1 : -1;
  return a.id < b.id ? -1 : 1;
};
