// Seeded choices, so that a corpus is the same on every machine without being stored.

export interface Dice {
  /** 0 to `below` - 1. */
  readonly below: (limit: number) => number;
  readonly between: (low: number, high: number) => number;
  readonly pick: <A>(choices: readonly A[]) => A;
  readonly text: (alphabet: string, length: number) => string;
}

export const DIGITS = '0123456789';
export const LOWER = 'abcdefghijklmnopqrstuvwxyz';
export const UPPER = LOWER.toUpperCase();
export const ALNUM = DIGITS + LOWER + UPPER;
export const HEX = '0123456789abcdef';

/** The mulberry32 generator. */
export const diceOf = (seed: number): Dice => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const pick = <A>(choices: readonly A[]): A => choices[below(choices.length)] as A;
  return {
    below,
    between: (low, high) => low + below(high - low + 1),
    pick,
    text: (alphabet, length) => Array.from({ length }, () => alphabet.charAt(below(alphabet.length))).join(''),
  };
};
