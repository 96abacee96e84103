// The only comparators of the core. Strings compare by code point, never by locale or UTF-16 unit,
// so that the same store gives the same bytes on every machine (SPEC-0030 REQ-14).

export type Comparator<A> = (left: A, right: A) => number;

/** Code-point order, which equals the byte order of the UTF-8 encodings. */
export const byCodePoint: Comparator<string> = (left, right) => {
  const shared = Math.min(left.length, right.length);
  for (let i = 0; i < shared; i += 1) {
    const a = left.charCodeAt(i);
    const b = right.charCodeAt(i);
    if (a !== b) return liftSurrogate(a) - liftSurrogate(b);
  }
  return left.length - right.length;
};

export const byNumber: Comparator<number> = (left, right) => (left < right ? -1 : left > right ? 1 : 0);

export const descending =
  <A>(comparator: Comparator<A>): Comparator<A> =>
  (left, right) =>
    comparator(right, left);

/** Compares by a part of the value. */
export const on = <A, B>(part: (value: A) => B, comparator: Comparator<B>): Comparator<A> => {
  return (left, right) => comparator(part(left), part(right));
};

/** The first comparator that tells the two apart decides. */
export const inTurn =
  <A>(...comparators: readonly Comparator<A>[]): Comparator<A> =>
  (left, right) => {
    for (const comparator of comparators) {
      const verdict = comparator(left, right);
      if (verdict !== 0) return verdict;
    }
    return 0;
  };

/** A sorted copy. */
export const sorted = <A>(values: Iterable<A>, comparator: Comparator<A>): A[] => [...values].sort(comparator);

/** A sorted copy without repeats, by code point. */
export const sortedDistinct = (values: Iterable<string>): string[] => sorted(new Set(values), byCodePoint);

/** Moves surrogates above the rest of the basic plane, where UTF-8 sorts them. */
const liftSurrogate = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x2000 : unit >= 0xe000 ? unit - 0x800 : unit);
