// Vectors under a real daemon: an endpoint that was down, a model that changes, and what an operator sees of both.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ModelEndpoint, startModelEndpoint } from '../support/embedding-server.js';
import { makeRig, type Rig, until } from '../support/rig.js';
import { SCRIPTED_ADAPTER, scriptedHarness } from '../support/scripted.js';

let rig: Rig;
let endpoint: ModelEndpoint;
beforeEach(async () => {
  rig = makeRig();
  endpoint = await startModelEndpoint();
});
afterEach(async () => {
  await rig.dispose();
  await endpoint.close();
});

interface Status {
  readonly indexed: number;
  readonly embedding_model: string;
  readonly vector_dimension: number;
  readonly missing_vectors: number;
  readonly vector_trouble?: string;
}

const status = (): Promise<Status> => rig.json<Status>('memory', 'status');
const configure = (model: string): void => {
  const steps = [{ init: true }, { result: 'ledgerbound' }];
  rig.configure(
    `[model_api]\nbase_url = "${endpoint.url}"\nembedding_model = "${model}"\n\n${SCRIPTED_ADAPTER}\n${scriptedHarness('a', rig.path('api'), steps)}`,
  );
};
const recall = async (): Promise<string> => (await rig.cli('memory', 'recall', 'ledgering', '--repo', 'forge.example/acme/api')).stdout;

test('an episode recorded while the endpoint is down is found by meaning once it is up; recall says so meanwhile, and never fails', async () => {
  rig.repo('api');
  configure('m1');
  endpoint.behave = 'status-503';
  await rig.start();
  await rig.run('a');
  await rig.episodes(1);
  expect(await recall()).toContain('degraded: embeddings_unavailable');
  const down = await until(async () => ((await status()).vector_trouble === undefined ? undefined : status()), 'the trouble');
  expect(down).toMatchObject({ embedding_model: 'm1', vector_dimension: 0, missing_vectors: 1, vector_trouble: 'status 503' });
  expect((await rig.cli('memory', 'status')).stdout).toContain(
    'vectors: m1 (0 dimensions), 1 missing; the last attempt failed: status 503',
  );
  endpoint.behave = 'ok';
  await until(async () => ((await status()).missing_vectors === 0 ? true : undefined), 'the vector');
  const found = await recall();
  expect(found).toContain('ledgerbound');
  expect(found).not.toContain('degraded');
});

test('another model has every episode embedded anew after the next start', async () => {
  rig.repo('api');
  configure('m1');
  await rig.start();
  await rig.run('a');
  await rig.episodes(1);
  await until(async () => ((await status()).missing_vectors === 0 ? true : undefined), 'the first vector');
  await rig.stop();
  configure('m2');
  await rig.start();
  const again = await until(async () => ((await status()).missing_vectors === 0 ? status() : undefined), 'the second vector');
  expect(again).toMatchObject({ embedding_model: 'm2', vector_dimension: 16 });
  expect(await recall()).toContain('ledgerbound');
  expect(endpoint.requests.map(({ body }) => body['model'])).toContain('m2');
});

test('a slow endpoint costs recall its vectors, not its answer', async () => {
  rig.repo('api');
  configure('m1');
  await rig.start();
  await rig.run('a');
  await until(async () => ((await status()).indexed === 1 ? true : undefined), 'the episode in the index');
  endpoint.behave = 'slow';
  const answer = await rig.cli('memory', 'recall', 'ledgerbound', '--repo', 'forge.example/acme/api');
  expect(answer.code).toBe(0);
  expect(answer.stdout).toContain('ledgerbound');
  expect(answer.stdout).toContain('degraded: embeddings_unavailable');
});

test('an endpoint that hangs does not hold up a daemon that stops', async () => {
  rig.repo('api');
  configure('m1');
  endpoint.behave = 'hang';
  await rig.start();
  await rig.run('a');
  await rig.episodes(1);
  await until(() => (endpoint.requests.length > 1 ? true : undefined), 'the pass to ask');
  await rig.stop();
  expect(rig.log()).toContain('daemon_stopped');
});
