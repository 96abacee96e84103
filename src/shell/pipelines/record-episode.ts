// Run closed → trace final → assemble → sanitize → render → store → provider → index rows (SPEC-0030 REQ-5, REQ-9, REQ-13).
// The feed's cursor moves only with the committed row, so a crash at any point loses no episode and doubles none.
import * as E from 'fp-ts/lib/Either.js';
import { assembleEpisode, droppedEdits } from '../../core/episode/assemble.js';
import { renderEpisode } from '../../core/episode/render.js';
import { sanitizeEpisode } from '../../core/episode/sanitize.js';
import { formatInstant, SECOND } from '../../core/kernel/time.js';
import { describeProviderError, type ProviderError } from '../../core/provider/errors.js';
import { RETRY_WINDOW, stepRetry } from '../../core/provider/retry.js';
import type { LedgerLine, RunKey } from '../../core/run/record.js';
import type { StoredRun } from '../../core/run/session.js';
import type { MemoryCounters } from '../daemon/counters.js';
import type { World } from '../daemon/world.js';
import type { Provider } from '../provider/provider.js';
import { EPISODE_CURSOR } from '../store/episode-table.js';
import type { Store } from '../store/operations.js';
import type { DueRecord } from '../store/outbox-table.js';

/** Longest wait for a trace to be sealed after its run closed. */
const SEAL_WAIT_MS = 5 * SECOND;
const SEAL_POLL_MS = 100;
/** Deadline of one record call; longer than a recall's, since nobody waits for it. */
export const RECORD_DEADLINE_MS = 10 * SECOND;
const LINES_READ = 500;
const RECORDS_SENT = 100;

export interface RecordDeps {
  readonly store: Store;
  readonly provider: Provider;
  readonly world: World;
  readonly counters: MemoryCounters;
}

/** What kept an episode from being stored, with the run it is about. */
export class EpisodeFault extends Error {
  readonly key: RunKey;

  constructor({ harness, run_id }: LedgerLine, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause));
    this.key = { harness, run_id };
  }
}

export interface Recorded {
  readonly cursor: number;
  /** Stored just now and not yet sent. */
  readonly fresh: readonly DueRecord[];
}

/** Stores the episode of every closed or decided line after `cursor`, in order. Nothing here waits for a provider. */
export const recordNewEpisodes = async (cursor: number, deps: RecordDeps): Promise<Recorded> => {
  const fresh: DueRecord[] = [];
  for (let at = cursor; ; ) {
    const { lines, last, more, unreadable } = await deps.store.read('readLinesAfter', { after: at, limit: LINES_READ });
    const ends = lines.filter((line) => line.type === 'closed' || line.type === 'decided');
    for (const line of ends) {
      const stored = await recordRun(line, deps).catch((error: unknown) => {
        throw new EpisodeFault(line, error);
      });
      if (stored !== undefined) fresh.push(stored);
    }
    if (last !== at && ends.at(-1)?.seq !== last) await deps.store.write('writeCursor', { name: EPISODE_CURSOR, seq: last });
    if (unreadable > 0) deps.world.log.error({ event: 'ledger_unreadable', lines: unreadable });
    if (!more) return { cursor: last, fresh };
    at = last;
  }
};

/** Where recording goes on: the cursor that moved with the last committed row. */
export const readEpisodeCursor = ({ store }: Pick<RecordDeps, 'store'>): Promise<number> => store.read('readCursor', EPISODE_CURSOR);

/** Sends records in order. Stops at the first failure: the rest would wait for the same provider, and is in the outbox. */
export const sendRecords = async (records: readonly DueRecord[], deps: RecordDeps): Promise<boolean> => {
  for (const record of records) if (!(await sendRecord(record, deps))) return false;
  return true;
};

/** Sends what is due of the outbox, oldest first. */
export const sendDueRecords = async (deps: RecordDeps): Promise<void> => {
  const { store, provider, world } = deps;
  for (;;) {
    const due = await store.write('dueRecords', { provider: provider.name, now: formatInstant(world.now()), limit: RECORDS_SENT });
    if (!(await sendRecords(due, deps)) || due.length < RECORDS_SENT) return;
  }
};

const recordRun = async (line: LedgerLine, deps: RecordDeps): Promise<DueRecord | undefined> => {
  const { store, world, counters } = deps;
  const key: RunKey = { harness: line.harness, run_id: line.run_id };
  const run = await finalRun(line, key, deps);
  const recordedAt = world.now();
  const assembled = run === undefined ? E.left('no_process' as const) : assembleEpisode(run, world.digest);
  if (E.isLeft(assembled)) {
    await store.write('skipEpisode', { ...key, reason: assembled.left, at: formatInstant(recordedAt), seq: line.seq });
    counters.episodes.skipped += 1;
    world.log.info({ event: 'episode_skipped', harness: key.harness, run: key.run_id, reason: assembled.left });
    return undefined;
  }
  if (run !== undefined)
    for (const [reason, count] of Object.entries(droppedEdits(run)))
      world.log.info({ event: 'edits_dropped', harness: key.harness, run: key.run_id, reason, count });
  const episode = sanitizeEpisode(assembled.right);
  const text = renderEpisode(episode);
  const deadline_at = formatInstant(recordedAt + RETRY_WINDOW);
  const { added } = await store.write('recordEpisode', {
    episode,
    text,
    at: run?.record.ended_at ?? episode.started_at,
    recorded_at: formatInstant(recordedAt),
    provider: deps.provider.name,
    deadline_at,
    seq: line.seq,
  });
  world.log.info({
    event: 'episode_recorded',
    harness: key.harness,
    run: key.run_id,
    episode: episode.episode_id,
    bytes: Buffer.byteLength(text),
  });
  return added ? { episode_id: episode.episode_id, provider: deps.provider.name, attempts: 0, deadline_at, episode, text } : undefined;
};

/** The run's rows once its trace is sealed; after the bound it is sealed here, so that later rows change no episode. */
const finalRun = async (line: LedgerLine, key: RunKey, { store, world }: RecordDeps): Promise<StoredRun | undefined> => {
  const until = world.now() + SEAL_WAIT_MS;
  for (;;) {
    const force = line.type === 'decided' || world.now() >= until;
    const { sealed, run } = await store.write('readFinalRun', { ...key, ...(force ? { seal_at: formatInstant(world.now()) } : {}) });
    if (sealed) return run;
    await new Promise((resolve) => setTimeout(resolve, SEAL_POLL_MS));
  }
};

const sendRecord = async (record: DueRecord, deps: RecordDeps): Promise<boolean> => {
  const { episode, text, episode_id } = record;
  const args = { episode_id, scope: episode.scope, trust_class: episode.trust_class, episode, text };
  const reply = await deps.provider.record(args, RECORD_DEADLINE_MS);
  await (E.isRight(reply) ? bindIds(episode_id, reply.right.ids, deps) : postpone(record, reply.left, deps));
  return E.isRight(reply);
};

const bindIds = async (episode_id: string, ids: readonly string[], { store, provider, world, counters }: RecordDeps): Promise<void> => {
  const request = { provider: provider.name, episode_id, ids, recorded_at: formatInstant(world.now()) };
  const { conflicts } = await store.write('bindProviderIds', request);
  for (const { provider_id, first_episode_id } of conflicts)
    world.log.warn({
      event: 'provider_id_conflict',
      provider: provider.name,
      provider_id,
      episode: episode_id,
      first_episode: first_episode_id,
    });
  counters.episodes[conflicts.length === 0 ? 'ok' : 'error'] += 1;
  world.log.info({ event: 'provider_recorded', provider: provider.name, episode: episode_id, ids: ids.length });
};

const postpone = async (record: DueRecord, error: ProviderError, { store, provider, world, counters }: RecordDeps): Promise<void> => {
  const { episode_id } = record;
  const attempts = record.attempts + 1;
  const retry = stepRetry(attempts, Date.parse(record.deadline_at), world.now());
  if (retry.kind === 'give_up') counters.episodes.error += 1;
  world.log.warn({
    event: 'provider_record_failed',
    provider: provider.name,
    episode: episode_id,
    attempts,
    error: describeProviderError(error),
  });
  await store.write('postponeRecord', {
    episode_id,
    provider: provider.name,
    attempts,
    next_at: formatInstant(retry.kind === 'wait' ? retry.next : world.now()),
    failed: retry.kind === 'give_up',
  });
};
