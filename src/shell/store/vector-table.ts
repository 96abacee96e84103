// The vectors of the built-in provider: one vec0 table per model and dimension, the vectors themselves by content and model, and
// which memories are still without one (SPEC-0030 REQ-11).
import { type Database, inTransaction } from './database.js';

export interface Vector {
  readonly model_id: string;
  readonly values: Float32Array;
}

export interface VectorTable {
  readonly id: number;
  readonly name: string;
  readonly model_id: string;
  readonly dim: number;
}

export interface EmbedRequest {
  readonly id: string;
  readonly vector: Vector;
}

/** Fills the vectors of memories that had none; a memory that was forgotten meanwhile is left out. */
export const builtinEmbed = (db: Database, requests: readonly EmbedRequest[]): void =>
  inTransaction(db, () => {
    for (const { id, vector } of requests) {
      const row = db
        .prepare<[string], { key: number; scope_id: number; content_hash: string }>(
          'SELECT key, scope_id, content_hash FROM builtin_memory WHERE id = ?',
        )
        .get(id);
      if (row !== undefined) storeVector(db, BigInt(row.key), row.scope_id, row.content_hash, vector);
    }
  });

/** The vector of a text that was embedded before with the same model, in the dimension asked for. */
export const builtinVector = (
  db: Database,
  { content_hash, model_id, dim }: { readonly content_hash: string; readonly model_id: string; readonly dim?: number },
): Float32Array | undefined => {
  const blob = db
    .prepare<[string, string, number | null], Buffer>(
      'SELECT vec FROM embedding WHERE content_hash = ? AND model_id = ? AND dim = coalesce(?, dim)',
    )
    .pluck()
    .get(content_hash, model_id, dim ?? null);
  return blob === undefined ? undefined : valuesOf(blob);
};

export interface GapRequest {
  readonly model_id: string;
  /** Without one, the dimension that was seen last. */
  readonly dim?: number;
  /** Memories after this key. */
  readonly after: number;
  readonly limit: number;
}

export interface Gap {
  readonly key: number;
  readonly id: string;
  readonly text: string;
  /** The text was embedded before; only its row is missing. */
  readonly known?: Float32Array;
}

/** Memories that have no vector of the model yet, oldest first. */
export const builtinGaps = (db: Database, { model_id, dim, after, limit }: GapRequest): readonly Gap[] => {
  const table = currentTable(db, model_id, dim);
  return db
    .prepare<(string | number)[], { key: number; id: string; text: string; vec: Buffer | null }>(
      `SELECT m.key, m.id, m.text, e.vec FROM builtin_memory m
       LEFT JOIN embedding e ON e.content_hash = m.content_hash AND e.model_id = ? AND e.dim = ?
       WHERE m.key > ? AND NOT EXISTS (SELECT 1 FROM builtin_vector v WHERE v.table_id = ? AND v.memory = m.key)
       ORDER BY m.key LIMIT ?`,
    )
    .all(model_id, table?.dim ?? dim ?? 0, after, table?.id ?? 0, limit)
    .map(({ key, id, text, vec }) => ({ key, id, text, ...(vec === null ? {} : { known: valuesOf(vec) }) }));
};

export interface VectorCount {
  /** Of the table in use; absent while there is none. */
  readonly dim?: number;
  readonly missing: number;
}

export const builtinVectorCount = (db: Database, { model_id, dim }: { readonly model_id: string; readonly dim?: number }): VectorCount => {
  const table = currentTable(db, model_id, dim);
  const count = (sql: string, ...args: readonly number[]): number =>
    db
      .prepare<number[], number>(sql)
      .pluck()
      .get(...args) ?? 0;
  const memories = count('SELECT count(*) FROM builtin_memory');
  if (table === undefined) return { missing: memories, ...(dim === undefined ? {} : { dim }) };
  return { dim: table.dim, missing: memories - count('SELECT count(*) FROM builtin_vector WHERE table_id = ?', table.id) };
};

/** Once every memory has its vector of the model in use, those of other models and dimensions serve nobody. */
export const builtinDropVectors = (db: Database, { model_id, dim }: { readonly model_id: string; readonly dim: number }): number =>
  inTransaction(db, () => {
    const others = vectorTables(db).filter((table) => table.model_id !== model_id || table.dim !== dim);
    for (const { id, name } of others) {
      db.exec(`DROP TABLE ${name}`);
      db.prepare('DELETE FROM builtin_vector WHERE table_id = ?').run(id);
      db.prepare('DELETE FROM vector_table WHERE id = ?').run(id);
    }
    if (others.length > 0) db.prepare('DELETE FROM embedding WHERE model_id <> ? OR dim <> ?').run(model_id, dim);
    return others.length;
  });

export const vectorTables = (db: Database): readonly VectorTable[] =>
  db
    .prepare<[], { id: number; model_id: string; dim: number }>('SELECT id, model_id, dim FROM vector_table ORDER BY id')
    .all()
    .map(({ id, model_id, dim }) => ({ id, name: `builtin_vec_${id}`, model_id, dim }));

/** A vec0 row cannot be replaced in place: it is deleted first. Keys must be BigInt. */
export const storeVector = (db: Database, key: bigint, scopeId: number, contentHash: string, vector: Vector): void => {
  const table = tableFor(db, vector.model_id, vector.values.length);
  const blob = blobOf(vector.values);
  db.prepare(
    'INSERT INTO embedding (content_hash, model_id, dim, vec) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET dim = excluded.dim, vec = excluded.vec',
  ).run(contentHash, vector.model_id, vector.values.length, blob);
  db.prepare(`DELETE FROM ${table.name} WHERE rowid = ?`).run(key);
  db.prepare(`INSERT INTO ${table.name} (rowid, scope_id, embedding) VALUES (?, ?, ?)`).run(key, BigInt(scopeId), blob);
  db.prepare('INSERT INTO builtin_vector (table_id, memory) VALUES (?, ?) ON CONFLICT DO NOTHING').run(table.id, key);
};

/** With the memory go its rows in every table; an embedding goes when no live memory uses its content. */
export const forgetVectors = (db: Database, key: bigint, contentHash: string): void => {
  for (const table of vectorTables(db)) db.prepare(`DELETE FROM ${table.name} WHERE rowid = ?`).run(key);
  db.prepare('DELETE FROM builtin_vector WHERE memory = ?').run(key);
  db.prepare('DELETE FROM embedding WHERE content_hash = ? AND NOT EXISTS (SELECT 1 FROM builtin_memory m WHERE m.content_hash = ?)').run(
    contentHash,
    contentHash,
  );
};

export const blobOf = (values: Float32Array): Buffer => Buffer.from(values.buffer, values.byteOffset, values.byteLength);

const valuesOf = (blob: Buffer): Float32Array => new Float32Array(new Uint8Array(blob).buffer);

const currentTable = (db: Database, model_id: string, dim: number | undefined): VectorTable | undefined =>
  vectorTables(db).findLast((table) => table.model_id === model_id && (dim === undefined || table.dim === dim));

const tableFor = (db: Database, model_id: string, dim: number): VectorTable => {
  const known = currentTable(db, model_id, dim);
  if (known !== undefined) return known;
  const added = db.prepare('INSERT INTO vector_table (model_id, dim) VALUES (?, ?)').run(model_id, dim);
  const name = `builtin_vec_${added.lastInsertRowid}`;
  db.exec(`CREATE VIRTUAL TABLE ${name} USING vec0(scope_id integer partition key, embedding float[${dim}] distance_metric=cosine)`);
  return { id: Number(added.lastInsertRowid), name, model_id, dim };
};
