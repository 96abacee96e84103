// The chances of a campaign: one seed, one sequence.

export interface Dice {
  /** A whole number from 0 to one below the bound. */
  readonly roll: (bound: number) => number;
  readonly pick: <A>(from: readonly A[]) => A;
}

export const seededDice = (seed: number): Dice => {
  let state = (seed * 2_654_435_761) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const roll = (bound: number): number => Math.floor(next() * bound);
  return {
    roll,
    pick: <A>(from: readonly A[]): A => {
      const picked = from[roll(from.length)];
      if (picked === undefined) throw new Error('nothing to pick from');
      return picked;
    },
  };
};
