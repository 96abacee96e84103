// When a process that ended is started again, and how long to wait before (SPEC-0003).
import { type Duration, MINUTE, SECOND } from '../kernel/time.js';

export const RESTARTS = ['always', 'unless-stopped', 'on-failure', 'no'] as const;
export type Restart = (typeof RESTARTS)[number];

/** The wait doubles with each failure in a row, up to here. */
export const LONGEST_DELAY: Duration = 30 * SECOND;
/** That many failures in a row, and it is left alone. */
export const GIVE_UP_AFTER = 5;
/** A process that ran this long has not failed to start: its failures are forgotten. */
export const STABLE_AFTER: Duration = 5 * MINUTE;
/** That many ends within the window are flapping. */
export const FLAPPING_EXITS = 3;
export const FLAPPING_WINDOW: Duration = 10 * SECOND;

/** Whether an end by itself is followed by another start. */
export const startsAgain = (restart: Restart, succeeded: boolean): boolean => {
  switch (restart) {
    case 'always':
    case 'unless-stopped':
      return true;
    case 'on-failure':
      return !succeeded;
    case 'no':
      return false;
  }
};

/** How long to wait after that many failures in a row; one is the first. */
export const restartDelay = (base: Duration, failures: number): Duration =>
  Math.min(LONGEST_DELAY, base * 2 ** Math.min(Math.max(failures - 1, 0), 16));
