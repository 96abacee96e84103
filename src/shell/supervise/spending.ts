// Keeps the day's count of runs and dollars, from what the store holds at boot and what has happened since.
import type { Config, HarnessConfig } from '../../core/config/config.js';
import { addSpent, type DayTally, isBudgeted, onDay, type SpendCap, type Spent, spentCap } from '../../core/run/spend.js';
import type { World } from '../daemon/world.js';

export interface Spending {
  /** The cap that keeps this harness from starting now, or undefined. */
  readonly capOf: (harness: HarnessConfig) => SpendCap | undefined;
  readonly isBudgeted: (harness: HarnessConfig) => boolean;
  readonly admitted: (harness: string) => void;
  /** A run's cost belongs to the day it started on. */
  readonly paid: (harness: string, startedAt: number, costUsd: number | undefined) => void;
}

/** `soFar` is what the store holds of today. */
export const trackSpending = (config: () => Config, soFar: Readonly<Record<string, Spent>>, world: World): Spending => {
  const today = (): string => world.wallClock(world.now()).date;
  let tally: DayTally = { day: today(), harnesses: soFar };
  const current = (): DayTally => {
    tally = onDay(tally, today());
    return tally;
  };
  return {
    capOf: (harness) => spentCap(current(), harness.name, harness, config().budget),
    isBudgeted: (harness) => isBudgeted(harness, config().budget),
    admitted: (harness) => {
      tally = addSpent(current(), harness, { runs: 1 });
    },
    paid: (harness, startedAt, cost) => {
      if (world.wallClock(startedAt).date === today()) tally = addSpent(current(), harness, { cost_usd: cost ?? 0 });
    },
  };
};
