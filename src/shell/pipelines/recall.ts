// Query → visible scopes → provider → admission by our index (SPEC-0030 REQ-9, REQ-12, REQ-13).
// A provider that fails, in whatever way, costs the episodes of one answer and never the answer.
import * as E from 'fp-ts/lib/Either.js';
import { formatInstant } from '../../core/kernel/time.js';
import { type AdmittedItem, admitItems, DROP_REASONS } from '../../core/provider/admit.js';
import { ITEMS_READ } from '../../core/provider/contract.js';
import { describeProviderError, type ProviderError } from '../../core/provider/errors.js';
import { type Caller, visibleScopes } from '../../core/provider/visible-scopes.js';
import { composeRecall, type MemoryAnswer } from '../../core/recall/compose.js';
import { episodeItem } from '../../core/recall/items.js';
import type { RecallRequest } from '../../core/recall/request.js';
import type { DegradedReason } from '../../core/untrusted/data-wrapper.js';
import type { Degradation } from '../../core/untrusted/structured-content.js';
import type { MemoryCounters } from '../daemon/counters.js';
import type { World } from '../daemon/world.js';
import type { Provider } from '../provider/provider.js';
import type { Store } from '../store/operations.js';

export interface RecallDeps {
  readonly store: Store;
  readonly provider: Provider;
  readonly world: World;
  readonly counters: MemoryCounters;
  /** The operator's provider_timeout, in milliseconds. */
  readonly deadlineMs: number;
}

export interface AdmittedEpisodes {
  readonly items: readonly AdmittedItem[];
  readonly degraded?: DegradedReason;
  readonly degradation?: Degradation;
}

/** One recall document for a caller. */
export const recallMemory = async (
  caller: Caller,
  request: RecallRequest,
  deps: RecallDeps,
): Promise<MemoryAnswer & { readonly degraded?: DegradedReason }> => {
  const found = await recallEpisodes(caller, request, deps);
  const answer = composeRecall({
    scope: visibleScopes(caller)[0] ?? 'fleet',
    facts: [],
    episodes: found.items.map((item) => episodeItem(item, deps.provider.name)),
    recent_runs: [],
    withheld: 0,
    ...marks(found),
  });
  return { ...answer, ...(found.degraded === undefined ? {} : { degraded: found.degraded }) };
};

/** The episodes a caller may see of what the provider returns. Without a visible scope the provider is not asked. */
export const recallEpisodes = async (caller: Caller, request: RecallRequest, deps: RecallDeps): Promise<AdmittedEpisodes> => {
  const scopes = visibleScopes(caller);
  if (scopes.length === 0) return { items: [] };
  const args = {
    query: request.query,
    scope: scopes,
    limit: request.limit,
    ...(request.paths.length === 0 ? {} : { paths: request.paths }),
  };
  const reply = await deps.provider.recall(args, deps.deadlineMs);
  if (E.isLeft(reply)) return unavailable(reply.left, deps);
  const ids = [...new Set(reply.right.items.slice(0, ITEMS_READ).map((item) => item.id))];
  const index = await deps.store.read('readIndex', { provider: deps.provider.name, ids });
  const admission = admitItems(reply.right.items, index, scopes, request.limit);
  for (const reason of DROP_REASONS) {
    const count = admission.dropped[reason] ?? 0;
    deps.counters.dropped[reason] += count;
    if (count > 0) deps.world.log.warn({ event: 'items_dropped', provider: deps.provider.name, reason, count });
  }
  if (reply.right.degraded === undefined) return { items: admission.items };
  await noteDegraded(reply.right.degraded, deps);
  return { items: admission.items, degraded: reply.right.degraded, degradation: receipt(reply.right.degraded, 'reply', deps) };
};

const unavailable = async (error: ProviderError, deps: RecallDeps): Promise<AdmittedEpisodes> => {
  deps.world.log.warn({
    event: 'recall_degraded',
    provider: deps.provider.name,
    reason: describeProviderError(error),
    phase: error.phase,
    deadline_ms: deps.deadlineMs,
  });
  await noteDegraded('provider_unavailable', deps);
  return { items: [], degraded: 'provider_unavailable', degradation: receipt(error.code, error.phase, deps) };
};

const receipt = (reason: string, phase: string, { provider, deadlineMs }: RecallDeps): Degradation => ({
  reason,
  provider: provider.name,
  deadline_ms: deadlineMs,
  phase,
});

const noteDegraded = (reason: DegradedReason, { store, world }: RecallDeps): Promise<void> =>
  store.write('noteDegraded', { at: formatInstant(world.now()), reason }).catch(() => undefined);

const marks = ({ degraded, degradation }: AdmittedEpisodes): Pick<AdmittedEpisodes, 'degraded' | 'degradation'> => ({
  ...(degraded === undefined ? {} : { degraded }),
  ...(degradation === undefined ? {} : { degradation }),
});
