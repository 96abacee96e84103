// The built-in provider through a real MCP session over a real store: the contract, the rankings, scopes that look alike.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import Sqlite from 'better-sqlite3';
import * as E from 'fp-ts/lib/Either.js';
import * as sqliteVec from 'sqlite-vec';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Episode } from '../../src/core/episode/episode.js';
import { renderEpisode } from '../../src/core/episode/render.js';
import { PROVIDER_SCHEMAS, PROVIDER_TOOLS } from '../../src/core/provider/contract.js';
import type { MemoryAnswer } from '../../src/core/recall/compose.js';
import { matchExpression } from '../../src/core/retrieval/query.js';
import { zeroCounters } from '../../src/shell/daemon/counters.js';
import { createEmbedder, type Embedder } from '../../src/shell/model-api/embeddings.js';
import { recallMemory } from '../../src/shell/pipelines/recall.js';
import { createBuiltinServer } from '../../src/shell/provider/builtin-server.js';
import { openBuiltinProvider } from '../../src/shell/provider/open-builtin.js';
import type { Provider } from '../../src/shell/provider/provider.js';
import type { Vector } from '../../src/shell/store/vector-table.js';
import { type ModelEndpoint, startModelEndpoint } from '../support/embedding-server.js';
import { openTestStore, safeEpisode, storeEpisode, type TestStore, testWorld } from '../support/stores.js';
import { verifies } from '../support/verifies.js';

const DEADLINE = 2_000;
let held: TestStore;
let clock = 0;
const open: Provider[] = [];

beforeEach(() => {
  held = openTestStore();
  clock = Date.UTC(2026, 8, 1);
});
afterEach(async () => {
  for (const provider of open.splice(0)) await provider.close();
  await held.close();
});

const world = testWorld(() => clock);
const providerWith = (embedder?: Embedder): Provider => {
  const provider = openBuiltinProvider({
    store: held.store,
    world,
    version: '1.2.3',
    queryEmbedMs: 300,
    ...(embedder === undefined ? {} : { embedder }),
  });
  open.push(provider);
  return provider;
};

/** Records an episode as the daemon does: stored, sent to the provider, its ids indexed. Each a second after the last. */
const remember = async (provider: Provider, overrides: Partial<Episode> & { readonly episode_id: string }): Promise<void> => {
  const scope = `project:${overrides.repo ?? 'forge.example/acme/api'}`;
  const episode = safeEpisode({ files_touched: [], verify_failures: [], ...overrides, scope });
  clock += 1_000;
  await storeEpisode(held.store, episode, new Date(clock).toISOString());
  const reply = await provider.record(
    { episode_id: episode.episode_id, scope, trust_class: 'standard', episode, text: renderEpisode(episode) },
    DEADLINE,
  );
  if (E.isLeft(reply)) throw new Error(JSON.stringify(reply.left));
  await held.store.write('bindProviderIds', {
    provider: provider.name,
    episode_id: episode.episode_id,
    ids: reply.right.ids,
    recorded_at: '2026',
  });
};

const episodesOf = ({ structured }: MemoryAnswer) =>
  (structured.sections[1]?.items ?? []) as readonly { readonly id: string; readonly text: string }[];

const idsFor = async (provider: Provider, query: string, options: { repo?: string; paths?: readonly string[]; limit?: number } = {}) => {
  const counters = zeroCounters();
  const { repo = 'forge.example/acme/api', paths = [], limit = 8 } = options;
  const answer = await recallMemory(
    { repo },
    { query, paths, limit },
    { store: held.store, provider, world, counters, deadlineMs: DEADLINE },
  );
  return {
    ids: episodesOf(answer).map((item) => item.id),
    degraded: answer.degraded,
    answer,
    counters,
  };
};

describe('the contract', () => {
  verifies(
    ['SPEC-0030/REQ-11/s1'],
    'is met over an in-process session: version 1, ids that are episode ids, the same when recorded twice',
    async () => {
      const provider = providerWith();
      expect(E.isRight(await provider.check(DEADLINE))).toBe(true);
      expect(provider.state()).toMatchObject({ kind: 'ready', name: 'harness-builtin', version: '1.2.3' });
      await remember(provider, { episode_id: 'ep_1' });
      const episode = safeEpisode({ episode_id: 'ep_1' });
      const again = await provider.record(
        { episode_id: 'ep_1', scope: episode.scope, trust_class: 'standard', episode, text: 'x' },
        DEADLINE,
      );
      expect(again).toEqual(E.right({ ids: ['ep_1'] }));
      expect(await provider.forget('nobody', DEADLINE)).toEqual(E.right({ forgotten: false }));
      expect(await provider.forget('ep_1', DEADLINE)).toEqual(E.right({ forgotten: true }));
      expect(await provider.forget('ep_1', DEADLINE)).toEqual(E.right({ forgotten: false }));
    },
  );

  verifies(['SPEC-0030/REQ-3/s1'], 'has four tools, listed with the schemas that the binary prints', async () => {
    const [near, far] = InMemoryTransport.createLinkedPair();
    await createBuiltinServer({ store: held.store, world, version: '1', queryEmbedMs: 300 }).connect(far);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(near);
    const { tools } = await client.listTools();
    expect(tools.map(({ name, inputSchema }) => [name, inputSchema])).toEqual(
      PROVIDER_TOOLS.map((name) => [name, PROVIDER_SCHEMAS[name].input]),
    );
    expect(PROVIDER_TOOLS).toEqual(['memory_contract', 'memory_record_episode', 'memory_recall', 'memory_forget']);
    expect(await client.callTool({ name: 'memory_erase', arguments: {} })).toMatchObject({ isError: true });
    await client.close();
  });

  verifies(['SPEC-0030/REQ-3/s3'], 'answers a forget of an unknown id with forgotten: false', async () => {
    expect(await providerWith().forget('ep_unknown', DEADLINE)).toEqual(E.right({ forgotten: false }));
  });

  test('refuses arguments off the schema without touching the store', async () => {
    const provider = providerWith();
    const refused = await provider.recall({ query: 'x'.repeat(513), scope: ['project:a/b/c'], limit: 8 }, DEADLINE);
    expect(E.isLeft(refused) && refused.left).toMatchObject({ code: 'provider_error', phase: 'reply' });
    expect(E.isLeft(await provider.recall({ query: 'x', scope: [], limit: 8 }, DEADLINE))).toBe(true);
    expect(E.isLeft(await provider.recall({ query: 'x', scope: ['a'], limit: 21 }, DEADLINE))).toBe(true);
  });
});

describe('text search', () => {
  test('finds by word stems and by parts of names, best first, within the scope alone', async () => {
    const provider = providerWith();
    await remember(provider, { episode_id: 'ep_a', result_excerpt: 'The ledger flakes. The ledger again.' });
    await remember(provider, {
      episode_id: 'ep_b',
      result_excerpt: 'A note on the ledger among many other words of no interest here at all',
    });
    await remember(provider, { episode_id: 'ep_c', result_excerpt: 'ledger ledger ledger', repo: 'forge.example/acme/billing' });
    await remember(provider, { episode_id: 'ep_d', result_excerpt: 'nothing', files_touched: ['src/getUserById.ts'] });
    expect((await idsFor(provider, 'ledger flaking')).ids).toEqual(['ep_a', 'ep_b']);
    expect((await idsFor(provider, 'user')).ids).toEqual(['ep_d']);
    expect((await idsFor(provider, 'ledger', { repo: 'forge.example/acme/billing' })).ids).toEqual(['ep_c']);
    expect((await idsFor(provider, 'the of and')).ids).not.toContain('ep_c');
  });

  test('takes any query as words: operators, quotes and stars are no syntax', async () => {
    const provider = providerWith();
    await remember(provider, { episode_id: 'ep_a', result_excerpt: 'ledger' });
    for (const query of [
      'foo-bar',
      '"',
      'NEAR(',
      'ledger*',
      'a AND NOT b',
      'scope_key:z1z',
      'body:ledger',
      '?',
      '',
      '😀',
      "'; DROP TABLE builtin_memory; --",
    ])
      expect((await idsFor(provider, query)).degraded).toBeUndefined();
    expect((await idsFor(provider, 'scope_key:z1z OR ledger')).ids).toEqual(['ep_a']);
  });

  test('tells six scopes apart that look alike', async () => {
    const provider = providerWith();
    const repos = [
      'forge.example/acme/api',
      'forge.example/acme/api-gateway',
      'forge.example/Acme/API',
      'forge.example/acme/apis',
      'forge.example/acme/api/internal',
      'forge.example/acme-api/x',
    ];
    for (const [index, repo] of repos.entries())
      await remember(provider, { episode_id: `ep_${index}`, repo, result_excerpt: 'the same ledger text' });
    for (const [index, repo] of repos.entries()) expect((await idsFor(provider, 'ledger acme api', { repo })).ids).toEqual([`ep_${index}`]);
    for (const repo of repos)
      expect((await idsFor(provider, 'ledger', { repo })).counters.dropped).toEqual({ unknown_id: 0, forgotten: 0, scope: 0, invalid: 0 });
  });

  verifies(['SPEC-0030/REQ-11/s3'], 'breaks ties by recency, then id', async () => {
    const provider = providerWith();
    for (const id of ['ep_b', 'ep_a']) await remember(provider, { episode_id: id, result_excerpt: 'same words' });
    expect((await idsFor(provider, 'same words')).ids).toEqual(['ep_a', 'ep_b']);
  });

  verifies(
    ['SPEC-0030/REQ-11/s3'],
    'lifts episodes that touched a requested path, and answers from paths when no word matches',
    async () => {
      const provider = providerWith();
      await remember(provider, { episode_id: 'ep_old', result_excerpt: 'ledger', files_touched: ['src/c.ts', 'src/a.ts'] });
      await remember(provider, { episode_id: 'ep_new', result_excerpt: 'ledger', files_touched: ['src/b.ts', 'src/d.ts'] });
      expect((await idsFor(provider, 'ledger')).ids).toEqual(['ep_new', 'ep_old']);
      expect((await idsFor(provider, 'ledger', { paths: ['src/a.ts'] })).ids).toEqual(['ep_old', 'ep_new']);
      expect((await idsFor(provider, 'zebra', { paths: ['src/b.ts'] })).ids).toEqual(['ep_new']);
      expect((await idsFor(provider, 'zebra', { paths: ['src/B.ts'] })).ids).toEqual([]);
    },
  );

  test('serves the digest, not the whole rendering', async () => {
    const provider = providerWith();
    await remember(provider, {
      episode_id: 'ep_a',
      result_excerpt: `ledger ${'word '.repeat(100)}`,
      files_touched: ['a/one.ts', 'b/two.ts', 'c/three.ts', 'd/four.ts'],
      verify_failures: [{ class: 'test_failure', count: 2 }],
    });
    const { answer } = await idsFor(provider, 'ledger');
    const text = episodesOf(answer)[0]?.text ?? '';
    expect(text.split('\n')[1]).toBe('verify test_failure 2; edited one.ts, two.ts, three.ts +1');
    expect([...text].length).toBeLessThanOrEqual(300);
  });
});

const search = (query: string, vector?: Vector) =>
  held.store.read('builtinSearch', {
    scopes: ['project:forge.example/acme/api'],
    match: matchExpression(query) ?? '',
    paths: [],
    ...(vector === undefined ? {} : { vector }),
  });

describe('with vectors', () => {
  let endpoint: ModelEndpoint;
  beforeEach(async () => {
    endpoint = await startModelEndpoint();
  });
  afterEach(() => endpoint.close());

  verifies(
    ['SPEC-0030/REQ-11/hybrid-recall-falls-back-to-text', 'SPEC-0030/REQ-11/s4'],
    'falls back to text when the endpoint answers 503, and says so without an error',
    async () => {
      const provider = providerWith(createEmbedder({ base_url: endpoint.url }, 'm1'));
      await remember(provider, { episode_id: 'ep_a', result_excerpt: 'ledger flakes' });
      endpoint.behave = 'status-503';
      const { ids, degraded, answer } = await idsFor(provider, 'ledger');
      expect(ids).toEqual(['ep_a']);
      expect(degraded).toBe('embeddings_unavailable');
      expect(answer.text).toMatch(/\ndegraded: embeddings_unavailable$/);
      expect(answer.structured.degradation).toMatchObject({ provider: 'builtin', deadline_ms: DEADLINE });
    },
  );

  test('finds what shares meaning but no stem, within the scope partition', async () => {
    const provider = providerWith(createEmbedder({ base_url: endpoint.url }, 'm1'));
    await remember(provider, { episode_id: 'ep_a', result_excerpt: 'ledgerbound' });
    await remember(provider, { episode_id: 'ep_b', result_excerpt: 'ledgerbound', repo: 'forge.example/acme/billing' });
    expect((await idsFor(provider, 'ledgering')).ids).toEqual(['ep_a']);
    expect(endpoint.requests.every(({ path, body }) => path === '/v1/embeddings' && body['model'] === 'm1')).toBe(true);
  });

  verifies(['SPEC-0030/REQ-11/s3'], 'ranks by the sum of 1/(60 + rank) over both rankings, and without a model by text alone', async () => {
    const embedder = createEmbedder({ base_url: endpoint.url }, 'm1');
    const provider = providerWith(embedder);
    const texts = [
      'ledger flake',
      'ledgers ledgers flakes',
      'ledgering flaking ledgerbound',
      'flake of nothing',
      'other words entirely',
      'ledger',
    ];
    for (const [index, result_excerpt] of texts.entries()) await remember(provider, { episode_id: `ep_${index}`, result_excerpt });
    const query = 'ledger flake';
    const vectors = await embedder.embed([query]);
    if (E.isLeft(vectors) || vectors.right[0] === undefined) throw new Error('no vector');
    const { text, cosine } = await search(query, { model_id: 'm1', values: vectors.right[0] });
    expect(text).not.toEqual(cosine);
    const scoreOf = (id: string): number =>
      [text, cosine].map((ranking) => (ranking.includes(id) ? 1 / (61 + ranking.indexOf(id)) : 0)).reduce((sum, score) => sum + score);
    const { ids } = await idsFor(provider, query);
    expect([...ids].sort()).toEqual([...new Set([...text, ...cosine])].sort());
    for (const [index, id] of ids.entries()) expect(scoreOf(ids[index - 1] ?? id)).toBeGreaterThanOrEqual(scoreOf(id));
    expect((await idsFor(providerWith(), query)).ids).toEqual((await search(query)).text);
  });

  verifies(
    ['SPEC-0030/REQ-11/s2'],
    'keeps one FTS5 row over text and summary and one vector per episode, embedded once for each content and model',
    async () => {
      const provider = providerWith(createEmbedder({ base_url: endpoint.url }, 'm1'));
      const of = { episode_id: 'ep_a', result_excerpt: 'ledgerbound', summary: 'zebra crossing' };
      await remember(provider, of);
      await remember(provider, { episode_id: 'ep_b', result_excerpt: 'unrelated' });
      expect((await search('zebras')).text).toEqual(['ep_a']);
      const embeddings = (): number => endpoint.requests.length;
      const before = embeddings();
      const again = safeEpisode({ files_touched: [], verify_failures: [], ...of, scope: 'project:forge.example/acme/api' });
      const record = { episode_id: 'ep_a', scope: again.scope, trust_class: 'standard', episode: again, text: renderEpisode(again) };
      await provider.record(record, DEADLINE);
      expect(embeddings()).toBe(before);
      await providerWith(createEmbedder({ base_url: endpoint.url }, 'm2')).record(record, DEADLINE);
      expect(embeddings()).toBe(before + 1);
      const db = new Sqlite(held.file, { readonly: true });
      sqliteVec.load(db);
      const one = (sql: string): unknown => db.prepare(sql).pluck().get();
      expect(one("SELECT sql FROM sqlite_master WHERE name = 'builtin_fts'")).toMatch(/USING fts5 .*tokenize = 'porter unicode61'/s);
      expect([
        one('SELECT count(*) FROM builtin_fts'),
        one('SELECT count(*) FROM builtin_vec_1'),
        one('SELECT count(*) FROM embedding'),
      ]).toEqual([2, 2, 2]);
      db.close();
    },
  );

  test.each(['hang', 'redirect', 'not-json', 'short', 'nan', 'zeros', 'huge'] as const)(
    'degrades when the endpoint does %s',
    async (behaviour) => {
      const provider = providerWith(createEmbedder({ base_url: endpoint.url }, 'm1'));
      await remember(provider, { episode_id: 'ep_a', result_excerpt: 'ledger flakes' });
      endpoint.behave = behaviour;
      const { ids, degraded } = await idsFor(provider, 'ledger');
      expect([ids, degraded]).toEqual([['ep_a'], 'embeddings_unavailable']);
    },
  );

  test('refuses a dimension that changes under one model id', async () => {
    const embedder = createEmbedder({ base_url: endpoint.url }, 'm1');
    expect(E.isRight(await embedder.embed(['a word']))).toBe(true);
    endpoint.behave = 'other-dimension';
    expect(await embedder.embed(['a word'])).toMatchObject({ _tag: 'Left', left: { code: 'dimension_changed', from: 16, to: 17 } });
    embedder.adopt(17);
    expect(E.isRight(await embedder.embed(['a word']))).toBe(true);
  });
});
