// The handlers of MemoryService for operators, who see every scope. Tools, CLI and dashboard all come through here (SPEC-0030 REQ-19).
import type { ConnectRouter } from '@connectrpc/connect';
import * as E from 'fp-ts/lib/Either.js';
import type { HarnessConfig } from '../../core/config/config.js';
import { DAY, formatInstant } from '../../core/kernel/time.js';
import { CONTRACT_VERSION } from '../../core/provider/contract.js';
import { checkRecall } from '../../core/recall/request.js';
import { readRepoKey } from '../../core/run/repo-key.js';
import type { Configuration } from '../daemon/configuration.js';
import type { MemoryCounters } from '../daemon/counters.js';
import type { Roster } from '../daemon/roster.js';
import type { World } from '../daemon/world.js';
import type { Embedder } from '../model-api/embeddings.js';
import { briefHarness } from '../pipelines/briefing.js';
import { placeHarness } from '../pipelines/harness-place.js';
import { type RecallDeps, recallMemory } from '../pipelines/recall.js';
import type { GapFiller } from '../provider/gap-filler.js';
import type { Provider } from '../provider/provider.js';
import type { EpisodeRow } from '../store/episode-table.js';
import type { Store } from '../store/operations.js';
import type { Supervisor } from '../supervise/supervisor.js';
import { findHarness } from './control-service.js';
import { callError } from './errors.js';
import { type ListEpisodesRequest, MemoryService, type RecallRequest } from './gen/harness/v1/memory_pb.js';

export interface MemoryDeps {
  readonly configuration: Configuration;
  readonly roster: Roster;
  /** Absent without an embedding model. */
  readonly embedder?: Embedder;
  readonly filler?: GapFiller;
  readonly supervisor: Supervisor;
  readonly store: Store;
  readonly provider: Provider;
  readonly world: World;
  readonly counters: MemoryCounters;
}

const EPISODES_DEFAULT = 20;
const EPISODES_MAX = 1_000;

export const memoryRoutes = (router: ConnectRouter, deps: MemoryDeps): ConnectRouter =>
  router.service(MemoryService, {
    status: () => status(deps),
    listEpisodes: (request) => listEpisodes(request, deps),
    getEpisode: async ({ episodeId }) => {
      const row = await deps.store.read('getEpisode', episodeId);
      if (row === undefined) throw callError('unknown_episode', `no episode "${episodeId}"`, 'harness memory episodes');
      return { episode: toEpisodeRow(row) };
    },
    recall: (request) => recall(request, deps),
    getBriefing: ({ harness }) => getBriefing(findHarness(harness, deps), deps),
  });

const listEpisodes = async ({ harness, repo, since, limit }: ListEpisodesRequest, { store }: MemoryDeps) => {
  const rows = await store.read('listEpisodes', {
    ...(harness === '' ? {} : { harness }),
    ...(repo === '' ? {} : { repo }),
    ...(since === '' ? {} : { since }),
    limit: Math.min(limit > 0 ? limit : EPISODES_DEFAULT, EPISODES_MAX),
  });
  return { episodes: rows.map(toEpisodeRow) };
};

const getBriefing = async (harness: HarnessConfig, deps: MemoryDeps) => {
  const current = deps.supervisor.active().find((run) => run.key.harness === harness.name)?.key;
  const briefing = await briefHarness(harness, current, recallDeps(deps));
  return {
    text: briefing.text,
    structuredJson: JSON.stringify(briefing.structured),
    empty: briefing.empty,
    memoryBriefing: harness.memory_briefing,
    maxChars: harness.briefing_max_chars,
    provider: deps.provider.name,
    providerState: deps.provider.state().kind,
    bytes: briefing.bytes,
  };
};

const recall = async (request: RecallRequest, deps: MemoryDeps) => {
  const checked = checkRecall({
    query: request.query,
    paths: request.paths,
    ...(request.limit === 0 ? {} : { limit: request.limit }),
  });
  if (E.isLeft(checked)) throw callError('invalid_argument', checked.left.message);
  const repo = await repoOf(request, deps);
  const answer = await recallMemory({ repo }, checked.right, recallDeps(deps));
  return {
    text: answer.text,
    structuredJson: JSON.stringify(answer.structured),
    degraded: answer.degraded ?? '',
    truncated: answer.truncated,
  };
};

/** A repository named outright, or the one a harness would recall in. */
const repoOf = async ({ repo, asHarness }: RecallRequest, deps: MemoryDeps): Promise<string> => {
  if ((repo === '') === (asHarness === '')) throw callError('invalid_argument', 'give one of --repo and --as');
  if (repo !== '') {
    const key = readRepoKey(repo);
    if (key !== undefined) return key;
    throw callError(
      'invalid_argument',
      `"${repo}" names no repository: write host/owner/name, or its remote`,
      'harness memory episodes --wide',
    );
  }
  const harness = findHarness(asHarness, deps);
  const current = deps.supervisor.active().find((run) => run.key.harness === asHarness)?.key;
  const place = await placeHarness(harness, current, deps);
  if (place !== undefined) return place.repo;
  const workdir = harness.workdir ?? process.cwd();
  throw callError('no_repository', `harness "${asHarness}" works in ${workdir}, which is in no git repository`, `git -C ${workdir} init`);
};

const recallDeps = ({ store, provider, world, counters, configuration }: MemoryDeps): RecallDeps => ({
  store,
  provider,
  world,
  counters,
  deadlineMs: configuration.current().memory.provider_timeout,
});

const status = async ({ store, provider, world, counters, configuration, embedder, filler }: MemoryDeps) => {
  const state = provider.state();
  const counts = await store.read('memoryCounts', { provider: provider.name, since: formatInstant(world.now() - DAY) });
  const model = configuration.current().model_api?.embedding_model;
  const dim = embedder?.dimension();
  const vectors =
    model === undefined ? undefined : await store.read('builtinVectorCount', { model_id: model, ...(dim === undefined ? {} : { dim }) });
  return {
    provider: provider.name,
    state: state.kind,
    stateSince: formatInstant(state.since),
    ...(state.kind === 'ready' ? { contract: CONTRACT_VERSION, providerName: state.name, providerVersion: state.version } : {}),
    episodes: BigInt(counts.episodes),
    indexed: BigInt(counts.indexed),
    pendingRecords: BigInt(counts.pending_records),
    failedRecords: BigInt(counts.failed_records),
    pendingForgets: BigInt(counts.pending_forgets),
    failedForgets: BigInt(counts.failed_forgets),
    skipped: bigints(counts.skipped),
    degraded24h: BigInt(counts.degraded_24h),
    episodesRecorded: bigints(counters.episodes),
    recalls: bigints(counters.recalls),
    resultsDropped: bigints(counters.dropped),
    embeddingModel: model ?? '',
    missingVectors: BigInt(vectors?.missing ?? 0),
    vectorDimension: vectors?.dim ?? 0,
    vectorTrouble: filler?.trouble() ?? '',
    refusedTexts: filler?.refused() ?? 0,
  };
};

const bigints = (counts: Readonly<Record<string, number>>): Record<string, bigint> =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, BigInt(count)]));

const toEpisodeRow = ({ episode, text, at, recorded_at }: EpisodeRow) => ({
  episodeJson: JSON.stringify(episode),
  text,
  at,
  recordedAt: recorded_at,
});
