// Fills a store with the episodes of a fleet: 50 repositories, words from a small vocabulary, optional vectors.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SafeEpisode } from '../src/core/episode/episode.js';
import { renderEpisode } from '../src/core/episode/render.js';
import { episodeDigest } from '../src/core/provider/digest-text.js';
import { sha256Hex } from '../src/shell/daemon/world.js';
import { builtinRecord } from '../src/shell/store/builtin-table.js';
import { connect } from '../src/shell/store/database.js';
import { bindProviderIds, recordEpisode } from '../src/shell/store/episode-table.js';
import { openForWriting } from '../src/shell/store/open-database.js';

export const SCOPES = 50;
export const DIMENSION = 384;

const WORDS = `ledger flake timeout retry cache socket parser schema token queue worker cursor index commit branch merge build lint test
  deploy config route handler session memory buffer stream packet shard replica lock latch fence clock drift quota budget invoice refund
  payment order basket search filter rank score vector digest prune migrate backup restore upgrade rollback hotfix review approve reject`.split(
  /\s+/,
);

/** A small generator, so that every run measures the same text. */
export const seeded = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

const pick = (random: () => number, count: number): string =>
  Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ');

export const vectorOf = (text: string): Float32Array => {
  const random = seeded([...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7));
  return Float32Array.from({ length: DIMENSION }, () => random() - 0.5);
};

export const repoOf = (index: number): string => `forge.example/acme/service-${index % SCOPES}`;

export const fleetQueries = (count: number): readonly string[] => {
  const random = seeded(99);
  return Array.from({ length: count }, () => pick(random, 4));
};

const episodeOf = (index: number, random: () => number): SafeEpisode => {
  const repo = repoOf(index);
  return {
    episode_id: `ep_${index.toString(16).padStart(20, '0')}`,
    harness: `worker-${index % 7}`,
    adapter: 'claude-code',
    run_id: index + 1,
    trace_id: sha256Hex(String(index)).slice(0, 32),
    model: 'claude-sonnet-5-5',
    repo,
    branch: `fix/${pick(random, 1)}-${index % 97}`,
    outcome: index % 3 === 0 ? 'failed' : 'success',
    started_at: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString().replace('Z', '000000Z'),
    duration_ms: 60_000,
    cost_source: 'unknown',
    files_touched: [`src/${pick(random, 1)}.ts`, `src/${pick(random, 1)}/index.ts`],
    verify_failures: index % 3 === 0 ? [{ class: 'test_failure', count: 1 }] : [],
    result_excerpt: pick(random, 60),
    trust_class: 'standard',
    scope: `project:${repo}`,
  } as unknown as SafeEpisode;
};

/** Writes the store file with this many episodes, in one transaction per thousand. */
export const fillFleet = (file: string, count: number, model: string | undefined): void => {
  openForWriting(file).close();
  const db = connect(file, { readonly: false });
  db.pragma('synchronous = OFF');
  const random = seeded(1);
  for (let from = 0; from < count; from += 1_000) {
    db.transaction(() => {
      for (let index = from; index < Math.min(count, from + 1_000); index += 1) {
        const episode = episodeOf(index, random);
        const text = renderEpisode(episode);
        const at = episode.started_at;
        recordEpisode(db, { episode, text, at, recorded_at: at, provider: 'builtin', deadline_at: at, seq: 0 });
        builtinRecord(db, {
          id: episode.episode_id,
          scope: episode.scope,
          text,
          digest: episodeDigest(episode),
          body: text,
          files: episode.files_touched,
          content_hash: sha256Hex(text),
          recorded_at: at,
          ...(model === undefined ? {} : { vector: { model_id: model, values: vectorOf(text) } }),
        });
        bindProviderIds(db, { provider: 'builtin', episode_id: episode.episode_id, ids: [episode.episode_id], recorded_at: at });
      }
    })();
  }
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
};

/** An embeddings endpoint that answers at once. */
export const startEmbeddings = async (): Promise<{ readonly url: string; readonly close: () => void }> => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: string[] };
      response.end(JSON.stringify({ data: input.map((text) => ({ embedding: [...vectorOf(text)] })) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close: () => server.close() };
};
