// How vectors that could not be made are made good in the background (SPEC-0030 REQ-11): how many at a time, how long to wait
// after a failure, and when a changed dimension is believed. A state machine; its effects are the shell's.
import { type Duration, MINUTE, SECOND } from '../kernel/time.js';

/** Texts of one request. */
export const GAP_BATCH = 32;
export const FIRST_WAIT: Duration = SECOND;
export const LONGEST_WAIT: Duration = 5 * MINUTE;
/** How often it is looked for gaps when there were none. */
export const IDLE_WAIT: Duration = 30 * SECOND;
/** A model id that moved to another model answers with the new dimension each time; a broken answer does not. */
export const DIMENSION_WITNESSES = 3;

export interface FillState {
  readonly failures: number;
  /** Another dimension than the one in use, and how many answers in a row had it. */
  readonly seen?: { readonly dimension: number; readonly times: number };
}

export const FILL_START: FillState = { failures: 0 };

export type FillEvent =
  /** A batch was stored; there may be more. */
  | { readonly type: 'filled' }
  | { readonly type: 'nothing_missing' }
  | { readonly type: 'failed' }
  | { readonly type: 'dimension_changed'; readonly to: number };

export interface FillStep {
  readonly state: FillState;
  readonly wait: Duration;
  /** Take this dimension as the right one: everything is missing then. */
  readonly adopt?: number;
}

export const stepFilling = (state: FillState, event: FillEvent): FillStep => {
  switch (event.type) {
    case 'filled':
      return { state: FILL_START, wait: 0 };
    case 'nothing_missing':
      return { state: FILL_START, wait: IDLE_WAIT };
    case 'failed':
      return { state: { failures: state.failures + 1 }, wait: waitAfter(state.failures + 1) };
    case 'dimension_changed':
      return witness(state, event.to);
  }
};

const witness = (state: FillState, dimension: number): FillStep => {
  const times = state.seen?.dimension === dimension ? state.seen.times + 1 : 1;
  if (times >= DIMENSION_WITNESSES) return { state: FILL_START, wait: 0, adopt: dimension };
  return { state: { failures: state.failures + 1, seen: { dimension, times } }, wait: FIRST_WAIT };
};

const waitAfter = (failures: number): Duration => Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(failures - 1, 16));
