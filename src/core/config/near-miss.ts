// The known word an operator probably meant: at most two edits away, and nearer than a different word would be.
import { byCodePoint, byNumber, inTurn, on, sorted } from '../kernel/order.js';

const EDITS = 2;
const LONGEST = 40;

/** Undefined when nothing is near; ties go to the first by code point. */
export const nearMiss = (word: string, known: readonly string[]): string | undefined => {
  if (word.length > LONGEST) return undefined;
  const near = known
    .map((each) => ({ each, edits: editsBetween(word, each) }))
    .filter(({ each, edits }) => edits <= EDITS && edits * 2 < each.length);
  return sorted(
    near,
    inTurn(
      on((candidate) => candidate.edits, byNumber),
      on((candidate) => candidate.each, byCodePoint),
    ),
  )[0]?.each;
};

/** Insertions, deletions and replacements that turn one word into the other. */
const editsBetween = (left: string, right: string): number => {
  let row = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
};
