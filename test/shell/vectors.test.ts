// Vectors in anger: gaps filled behind everybody's back, another model, another dimension, an endpoint that fails, refuses or is slow.
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEmbedder, type Embedder } from '../../src/shell/model-api/embeddings.js';
import { type GapFiller, startGapFiller } from '../../src/shell/provider/gap-filler.js';
import { type ModelEndpoint, startModelEndpoint } from '../support/embedding-server.js';
import { until } from '../support/rig.js';
import { openTestStore, type TestStore, testWorld } from '../support/stores.js';

const SCOPE = 'project:forge.example/acme/api';
let held: TestStore;
let endpoint: ModelEndpoint;
let world: ReturnType<typeof testWorld>;
const fillers: GapFiller[] = [];

beforeEach(async () => {
  held = openTestStore();
  endpoint = await startModelEndpoint();
  world = testWorld();
});
afterEach(async () => {
  for (const filler of fillers.splice(0)) await filler.close();
  await endpoint.close();
  await held.close();
});

const remember = (id: string, text: string) =>
  held.store.write('builtinRecord', {
    id,
    scope: SCOPE,
    text,
    digest: text,
    body: text,
    files: [],
    content_hash: world.digest(text),
    recorded_at: '2026-09-30T00:00:00Z',
  });

const embedderOf = (model: string): Embedder => createEmbedder({ base_url: endpoint.url }, model);

/** As a daemon that starts with this model. */
const fillWith = async (embedder: Embedder): Promise<GapFiller> => {
  const { dim } = await held.store.read('builtinVectorCount', { model_id: embedder.model });
  if (dim !== undefined) embedder.adopt(dim);
  const filler = startGapFiller({ store: held.store, world, embedder });
  fillers.push(filler);
  return filler;
};

const missing = async (model_id: string, dim?: number): Promise<number> =>
  (await held.store.read('builtinVectorCount', { model_id, ...(dim === undefined ? {} : { dim }) })).missing;
const complete = (model: string, dim?: number): Promise<true> =>
  until(async () => ((await missing(model, dim)) === 0 ? true : undefined), `no gap of ${model}`);
const tables = async (): Promise<readonly string[]> => {
  const found = [];
  for (const model_id of ['m1', 'm2'])
    for (const dim of [16, 17]) {
      const count = await held.store.read('builtinVectorCount', { model_id, dim });
      if (count.missing === 0) found.push(`${model_id}/${dim}`);
    }
  return found;
};

const nearest = async (embedder: Embedder, query: string): Promise<readonly string[]> => {
  const vectors = await embedder.embed([query]);
  if (E.isLeft(vectors) || vectors.right[0] === undefined) throw new Error('no vector');
  const vector = { model_id: embedder.model, values: vectors.right[0] };
  return (await held.store.read('builtinSearch', { scopes: [SCOPE], paths: [], vector })).cosine;
};

describe('gaps', () => {
  test('are filled in batches, each text once, and found by meaning afterwards', async () => {
    for (let index = 0; index < 70; index += 1) await remember(`ep_${index}`, index === 69 ? 'ledgerbound' : `note number ${index}`);
    const embedder = embedderOf('m1');
    await fillWith(embedder);
    await complete('m1');
    const asked = endpoint.requests.map(({ body }) => (body['input'] as string[]).length);
    expect(asked).toEqual([32, 32, 6]);
    expect((await nearest(embedder, 'ledgering'))[0]).toBe('ep_69');
  });

  test('of a text that was embedded before cost no request', async () => {
    const embedder = embedderOf('m1');
    await remember('ep_a', 'the same');
    await fillWith(embedder);
    await complete('m1');
    await remember('ep_b', 'the same');
    const before = endpoint.requests.length;
    fillers[0]?.wake();
    await complete('m1');
    expect(endpoint.requests.length).toBe(before);
    expect([...(await nearest(embedder, 'the same'))].sort()).toEqual(['ep_a', 'ep_b']);
  });

  test.each(['status-503', 'hang', 'not-json', 'zeros', 'nan', 'short'] as const)(
    'wait while the endpoint does %s, are told, and are filled when it is well again',
    async (behaviour) => {
      await remember('ep_a', 'ledgerbound');
      endpoint.behave = behaviour;
      const filler = await fillWith(embedderOf('m1'));
      await until(() => (endpoint.requests.length > 0 ? true : undefined), 'an attempt');
      if (behaviour === 'status-503') {
        await until(() => filler.trouble(), 'the trouble');
        expect(filler.trouble()).toBe('status 503');
        expect(world.log.events).toContainEqual({ event: 'embedding_failed', model: 'm1', error: 'status 503' });
      }
      expect(await missing('m1')).toBe(1);
      endpoint.behave = 'ok';
      if (behaviour === 'hang') return;
      if (filler.refused() === 0) await complete('m1');
      expect(await missing('m1')).toBe(filler.refused());
    },
  );

  test('that are refused by themselves keep no other out', async () => {
    await remember('ep_a', 'one');
    await remember('ep_b', 'poison');
    await remember('ep_c', 'three');
    endpoint.behave = 'refuse-poison';
    const filler = await fillWith(embedderOf('m1'));
    await until(async () => ((await missing('m1')) === 1 && filler.refused() === 1 ? true : undefined), 'the others');
    expect((await held.store.read('builtinGaps', { model_id: 'm1', after: 0, limit: 9 })).map(({ id }) => id)).toEqual(['ep_b']);
    await until(() => (filler.isIdle() ? true : undefined), 'the pass to rest');
  });

  test('of memories that were forgotten while their text was embedded stay forgotten', async () => {
    await remember('ep_a', 'ledgerbound');
    endpoint.behave = 'slow';
    const embedder = embedderOf('m1');
    await fillWith(embedder);
    await until(() => (endpoint.requests.length > 0 ? true : undefined), 'the request');
    await held.store.write('builtinForget', 'ep_a');
    await fillers.splice(0)[0]?.close();
    endpoint.behave = 'ok';
    expect(await nearest(embedder, 'ledgerbound')).toEqual([]);
    expect(await held.store.read('builtinVector', { content_hash: world.digest('ledgerbound'), model_id: 'm1' })).toBeUndefined();
  });
});

describe('another model', () => {
  test('has everything embedded anew, and then nothing is left of the old one', async () => {
    for (const [id, text] of Object.entries({ ep_a: 'ledgerbound', ep_b: 'unrelated' })) await remember(id, text);
    await fillWith(embedderOf('m1'));
    await complete('m1');
    await fillers.splice(0)[0]?.close();
    const second = embedderOf('m2');
    await fillWith(second);
    await complete('m2');
    await until(async () => ((await tables()).join() === 'm2/16' ? true : undefined), 'the old vectors to go');
    expect((await nearest(second, 'ledgering'))[0]).toBe('ep_a');
    expect(await held.store.read('builtinVector', { content_hash: world.digest('ledgerbound'), model_id: 'm1' })).toBeUndefined();
  });
});

describe('another dimension under the same model id', () => {
  test('is noticed by a query while nothing is missing', async () => {
    await remember('ep_a', 'ledgerbound');
    const embedder = embedderOf('m1');
    const filler = await fillWith(embedder);
    await complete('m1');
    endpoint.behave = 'other-dimension';
    expect(E.isLeft(await embedder.embed(['a query']))).toBe(true);
    filler.suspect();
    await complete('m1', 17);
    expect(embedder.dimension()).toBe(17);
  });

  test('is believed after three answers in a row, and everything is embedded anew', async () => {
    await remember('ep_a', 'ledgerbound');
    const first = embedderOf('m1');
    await fillWith(first);
    await complete('m1');
    await fillers.splice(0)[0]?.close();
    endpoint.behave = 'other-dimension';
    await remember('ep_b', 'unrelated');
    const embedder = embedderOf('m1');
    await fillWith(embedder);
    expect(embedder.dimension()).toBe(16);
    await complete('m1', 17);
    expect(embedder.dimension()).toBe(17);
    expect(world.log.events).toContainEqual({ event: 'embedding_dimension_changed', model: 'm1', from: 16, to: 17 });
    await until(async () => ((await tables()).join() === 'm1/17' ? true : undefined), 'the old vectors to go');
    expect((await nearest(embedder, 'ledgerbound'))[0]).toBe('ep_a');
  });
});
