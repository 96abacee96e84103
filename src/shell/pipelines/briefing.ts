// Snapshot of one instant → briefing (SPEC-0030 REQ-14): the harness's place from git, runs from the store, episodes from the provider.
import { type Briefing, composeBriefing } from '../../core/briefing/compose.js';
import { ITEMS_MAX } from '../../core/briefing/pack.js';
import { BRIEFING_ASKS, type BriefingSnapshot, briefingQuery } from '../../core/briefing/snapshot.js';
import type { HarnessConfig } from '../../core/config/config.js';
import { formatInstant } from '../../core/kernel/time.js';
import { episodeItem } from '../../core/recall/items.js';
import type { RunKey } from '../../core/run/record.js';
import { placeHarness } from './harness-place.js';
import { type RecallDeps, recallEpisodes } from './recall.js';

/** The document the harness would receive now. */
export const briefHarness = async (harness: HarnessConfig, current: RunKey | undefined, deps: RecallDeps): Promise<Briefing> =>
  composeBriefing(await takeSnapshot(harness, current, deps));

export const takeSnapshot = async (harness: HarnessConfig, current: RunKey | undefined, deps: RecallDeps): Promise<BriefingSnapshot> => {
  const place = await placeHarness(harness, current, deps);
  const base = {
    version: 1,
    now: formatInstant(deps.world.now()),
    harness: harness.name,
    max_chars: harness.briefing_max_chars,
    collisions: [],
    facts: [],
    withheld: 0,
  } as const;
  if (place === undefined) return { ...base, recent_runs: [], episodes: { provider: deps.provider.name, items: [] } };
  const recent_runs = await deps.store.read('readRecentRuns', {
    ...place,
    ...(current === undefined ? {} : { exclude: current }),
    limit: ITEMS_MAX.recent_runs,
  });
  const query = briefingQuery({ ...place, harness: harness.name });
  const found = await recallEpisodes({ repo: place.repo }, { query, paths: [], limit: BRIEFING_ASKS }, deps);
  const { items, ...marks } = found;
  return {
    ...base,
    ...place,
    recent_runs,
    episodes: { provider: deps.provider.name, items: items.map((item) => episodeItem(item, deps.provider.name)), ...marks },
  };
};
