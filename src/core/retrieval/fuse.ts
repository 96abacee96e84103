// Reciprocal rank fusion: rankings whose scores cannot be compared are joined by rank alone (SPEC-0030 REQ-11).
import { byCodePoint, byNumber, descending, inTurn, on, sorted } from '../kernel/order.js';

/** The constant of the fusion; SPEC-0030 REQ-11 fixes it. */
export const FUSION_K = 60;

export interface Fused {
  readonly id: string;
  readonly score: number;
}

/** Every id of any ranking, best first: the sum of 1/(60 + rank), ties by recency then id. `recencyOf` sorts as text. */
export const fuseRankings = (rankings: readonly (readonly string[])[], recencyOf: (id: string) => string): readonly Fused[] => {
  const scores = new Map<string, number>();
  for (const ranking of rankings)
    ranking.forEach((id, index) => {
      scores.set(id, (scores.get(id) ?? 0) + 1 / (FUSION_K + index + 1));
    });
  const fused = [...scores].map(([id, score]): Fused => ({ id, score }));
  return sorted(
    fused,
    inTurn(descending(on(scoreOf, byNumber)), descending(on((item: Fused) => recencyOf(item.id), byCodePoint)), on(idOf, byCodePoint)),
  );
};

const scoreOf = (item: Fused): number => item.score;
const idOf = (item: Fused): string => item.id;
