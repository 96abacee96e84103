// MemoryService.Recall over the socket of a real daemon, against the same MATCH and nearest-neighbour search as bare SQL.
import { request } from 'undici';
import { matchExpression } from '../src/core/retrieval/query.js';
import { connectDaemon } from '../src/shell/rpc/client.js';
import { connect, type Database } from '../src/shell/store/database.js';
import { makeBenchDaemon } from './daemon.js';
import { fillFleet, fleetQueries, repoOf, SCOPES, startEmbeddings, vectorOf } from './fleet.js';
import { type BenchRow, median, percentile, round, timeEach } from './row.js';

const MODEL = 'bench-384';
const CALLS = 200;
const SIZES = [1_000, 10_000, 100_000];

export const recallBench = async (root: string, sizes: readonly number[] = SIZES): Promise<readonly BenchRow[]> => {
  const rows: BenchRow[] = [];
  for (const hybrid of [false, true]) for (const size of sizes) rows.push(await measure(root, size, hybrid));
  return rows;
};

const measure = async (root: string, size: number, hybrid: boolean): Promise<BenchRow> => {
  const daemon = makeBenchDaemon(root);
  const endpoint = await startEmbeddings();
  try {
    fillFleet(daemon.store, size, hybrid ? MODEL : undefined);
    daemon.configure(hybrid ? `[model_api]\nbase_url = "${endpoint.url}"\nembedding_model = "${MODEL}"\n` : '');
    await daemon.start();
    const { memory } = connectDaemon(daemon.socket, 'bench');
    const queries = fleetQueries(CALLS + 20);
    const call = (index: number) => memory.recall({ query: queries[index] ?? '', repo: repoOf(index), asHarness: '', paths: [], limit: 8 });
    for (let index = CALLS; index < CALLS + 20; index += 1) await warm(call, index, hybrid);
    const spans = await timeEach(CALLS, call);
    const floors = await bareSearch(daemon.store, queries, hybrid, endpoint.url);
    const [value, floor] = [median(spans), median(floors)];
    const goal = size >= 10_000 ? '≤ 1.5× floor' : 'shown';
    const ok = size < 10_000 || (value / floor <= 1.5 && (size > 10_000 || value < 15));
    return {
      name: 'recall',
      work: `${hybrid ? 'hybrid' : 'text'}, ${size} episodes in ${SCOPES} scopes, p50 (p99 ${round(percentile(spans, 0.99))} ms)`,
      value: round(value),
      unit: 'ms',
      floor: round(floor),
      ratio: round(value / floor),
      goal,
      ok,
    };
  } finally {
    endpoint.close();
    await daemon.dispose();
  }
};

/** A hybrid recall that found nothing by its vectors would measure something else. */
const warm = async (call: (index: number) => Promise<{ readonly degraded: string }>, index: number, hybrid: boolean): Promise<void> => {
  const { degraded } = await call(index);
  if (hybrid && degraded !== '') throw new Error(`the recall was degraded: ${degraded}`);
};

/** The floor: the searches themselves on one connection, and for hybrid the bare embeddings request that any caller must wait for. */
const bareSearch = async (file: string, queries: readonly string[], hybrid: boolean, url: string): Promise<readonly number[]> => {
  const db = connect(file, { readonly: true });
  const search = bareStatements(db, hybrid);
  const one = async (index: number): Promise<void> => {
    const query = queries[index] ?? '';
    if (hybrid) {
      const reply = await request(`${url}/embeddings`, { method: 'POST', body: JSON.stringify({ model: MODEL, input: [query] }) });
      await reply.body.json();
    }
    search(query, repoOf(index));
  };
  for (let index = CALLS; index < CALLS + 20; index += 1) await one(index);
  const spans = await timeEach(CALLS, one);
  db.close();
  return spans;
};

const bareStatements = (db: Database, hybrid: boolean): ((query: string, repo: string) => void) => {
  const scopeOf = db.prepare<[string], number>('SELECT id FROM builtin_scope WHERE scope = ?').pluck();
  const text = db.prepare(
    `SELECT m.id, m.digest FROM builtin_fts f JOIN builtin_memory m ON m.key = f.rowid
     WHERE builtin_fts MATCH ? AND m.scope_id = ? ORDER BY bm25(builtin_fts, 0.0, 1.0), m.recorded_at DESC, m.id LIMIT 50`,
  );
  const nearest = hybrid
    ? db.prepare('SELECT rowid, distance FROM builtin_vec_1 WHERE embedding MATCH ? AND k = 50 AND scope_id = ?')
    : undefined;
  return (query, repo) => {
    const scope = scopeOf.get(`project:${repo}`) ?? 0;
    text.all(`scope_key:z${scope}z AND body:(${matchExpression(query)})`, scope);
    nearest?.all(Buffer.from(vectorOf(query).buffer), BigInt(scope));
  };
};
