// Episode rows → provider → index rows. What the provider does not take waits in the outbox and is tried again for 24 hours
// (SPEC-0030 REQ-9, REQ-13).
import * as E from 'fp-ts/lib/Either.js';
import { formatInstant, SECOND } from '../../core/kernel/time.js';
import { describeProviderError, type ProviderError } from '../../core/provider/errors.js';
import { stepRetry } from '../../core/provider/retry.js';
import type { MemoryCounters } from '../daemon/counters.js';
import type { World } from '../daemon/world.js';
import type { Provider } from '../provider/provider.js';
import type { Store } from '../store/operations.js';
import type { DueRecord } from '../store/outbox-table.js';

/** Deadline of one record call; longer than a recall's, since nobody waits for it. */
export const RECORD_DEADLINE_MS = 10 * SECOND;
const RECORDS_SENT = 100;

export interface RecordDeps {
  readonly store: Store;
  readonly provider: Provider;
  readonly world: World;
  readonly counters: MemoryCounters;
}

/** Sends records in order, for as long as `goesOn` says so. Stops at the first failure: the rest would wait for the same provider, and is in the outbox. */
export const sendRecords = async (
  records: readonly DueRecord[],
  deps: RecordDeps,
  goesOn: () => boolean = () => true,
): Promise<boolean> => {
  for (const record of records) if (!goesOn() || !(await sendRecord(record, deps))) return false;
  return true;
};

/** Sends what is due of the outbox, oldest first. */
export const sendDueRecords = async (deps: RecordDeps, goesOn: () => boolean = () => true): Promise<void> => {
  const { store, provider, world } = deps;
  for (;;) {
    const due = await store.write('dueRecords', { provider: provider.name, now: formatInstant(world.now()), limit: RECORDS_SENT });
    if (!(await sendRecords(due, deps, goesOn)) || due.length < RECORDS_SENT) return;
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
