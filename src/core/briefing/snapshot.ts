// All that a briefing is composed from, as plain JSON: an auditor keeps it, composes again elsewhere, and gets the same bytes
// (SPEC-0030 REQ-14).
import { capCodePoints } from '../kernel/text.js';
import { QUERY_CHARS } from '../provider/contract.js';
import type { RecentRun } from '../recall/items.js';
import type { DegradedReason } from '../untrusted/data-wrapper.js';
import type { Degradation } from '../untrusted/structured-content.js';
import type { WrappedItem } from '../untrusted/wrapped-item.js';

export interface BriefingEpisodes {
  readonly provider: string;
  /** The items kept of what the provider returned, best first. */
  readonly items: readonly WrappedItem[];
  readonly degraded?: DegradedReason;
  readonly degradation?: Degradation;
}

export interface BriefingSnapshot {
  readonly version: 1;
  readonly now: string;
  readonly harness: string;
  /** Absent outside every repository: the briefing is then empty, whatever else there is. */
  readonly repo?: string;
  readonly branch?: string;
  readonly max_chars: number;
  readonly collisions: readonly WrappedItem[];
  readonly recent_runs: readonly RecentRun[];
  readonly facts: readonly WrappedItem[];
  /** Facts withheld because their exposure could not be recorded. */
  readonly withheld: number;
  readonly episodes: BriefingEpisodes;
}

/** What the provider is asked for: repository, branch and harness name. A detached HEAD has no branch to name. */
export const briefingQuery = ({ repo, branch, harness }: Pick<BriefingSnapshot, 'repo' | 'branch' | 'harness'>): string => {
  const segments = (repo ?? '').split('/');
  const name = segments.at(-1) ?? '';
  const owner = segments.slice(1, -1).join('/');
  return capCodePoints([owner, name, branch ?? '', harness].filter((part) => part !== '').join(' '), QUERY_CHARS);
};

/** How many episodes the provider is asked for. */
export const BRIEFING_ASKS = 10;
