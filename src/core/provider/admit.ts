// Lets through what a provider returned only where Harness's own index says so: the provider contributes text and score,
// everything else comes from our episode row (SPEC-0030 REQ-9).
import type { Episode } from '../episode/episode.js';
import { countOf, type Tally } from '../kernel/tally.js';
import { codePointLength } from '../kernel/text.js';
import { ID_CHARS, ITEMS_READ, type RecallItem, TEXT_CHARS } from './contract.js';

/** Tested in this order; the first that holds is counted. */
export const DROP_REASONS = ['unknown_id', 'forgotten', 'scope', 'invalid'] as const;
export type DropReason = (typeof DROP_REASONS)[number];

/** What our index and episode row say of a provider's id. */
export interface IndexEntry {
  readonly provider_id: string;
  readonly scope: string;
  readonly forgotten: boolean;
  /** The provider used this id for two scopes: nobody sees it. */
  readonly conflict: boolean;
  readonly at: string;
  readonly episode?: Episode;
}

export interface AdmittedItem {
  readonly episode: Episode;
  /** When the run ended, else when it started. */
  readonly at: string;
  readonly text: string;
  readonly score?: number;
}

export interface Admission {
  readonly items: readonly AdmittedItem[];
  readonly dropped: Tally<DropReason>;
}

/** The first `limit` items that may be served, in the provider's order, and the drops by reason. */
export const admitItems = (
  items: readonly RecallItem[],
  index: readonly IndexEntry[],
  scopes: readonly string[],
  limit: number,
): Admission => {
  const entries = new Map(index.map((entry) => [entry.provider_id, entry]));
  const kept: AdmittedItem[] = [];
  const drops: DropReason[] = [];
  const seen = new Set<string>();
  for (const item of items.slice(0, ITEMS_READ)) {
    const verdict = judge(item, entries.get(item.id), scopes, seen.has(item.id));
    seen.add(item.id);
    if (typeof verdict === 'string') drops.push(verdict);
    else kept.push(verdict);
  }
  return { items: kept.slice(0, limit), dropped: countOf(drops) };
};

const judge = (
  item: RecallItem,
  entry: IndexEntry | undefined,
  scopes: readonly string[],
  repeated: boolean,
): AdmittedItem | DropReason => {
  if (entry === undefined) return 'unknown_id';
  if (entry.forgotten || entry.episode === undefined) return 'forgotten';
  if (entry.conflict || !scopes.includes(entry.scope)) return 'scope';
  if (repeated || isInvalid(item)) return 'invalid';
  const score = item.score ?? undefined;
  return { episode: entry.episode, at: entry.at, text: item.text, ...(score === undefined ? {} : { score }) };
};

const isInvalid = ({ id, text, score }: RecallItem): boolean =>
  codePointLength(id) > ID_CHARS ||
  codePointLength(text) > TEXT_CHARS ||
  score === null ||
  (score !== undefined && !Number.isFinite(score));
