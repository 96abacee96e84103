// Which of a schedule's windows are honoured, made good or missed (SPEC-0008). No window is decided twice, and none is forgotten:
// everything up to the cursor has been decided.
import { DAY, type Duration, type Instant, MINUTE } from '../kernel/time.js';

/** A window found later than this was not evaluated in time: the daemon was down, the host asleep, or the clock jumped. */
export const WINDOW_GRACE: Duration = MINUTE;
/** A cursor further in the future than this comes from a clock that was wrong. */
export const CURSOR_LEAD: Duration = DAY;

export interface ScheduleCursor {
  /** The schedule as it was when the cursor was written: another schedule starts anew. */
  readonly schedule: string;
  readonly at: Instant;
}

/** The windows after the cursor up to now. */
export interface DueWindows {
  readonly first: Instant;
  readonly last: Instant;
  /** The last one that is already late; absent when all are in time. */
  readonly late?: { readonly last: Instant; readonly count: number };
}

export type WindowDecision =
  /** In time; what came before it and is not made good is missed. */
  | { readonly type: 'fire'; readonly trigger: 'schedule'; readonly window: Instant }
  | {
      readonly type: 'fire';
      readonly trigger: 'catch_up';
      readonly window: Instant;
      readonly first_window: Instant;
      readonly windows: number;
    }
  | { readonly type: 'missed'; readonly window: Instant; readonly first_window: Instant; readonly windows: number };

/**
 * Where to count windows from; a new or changed schedule has missed nothing. Windows of a pattern have names, so after a clock that
 * went back those already decided are waited out; a period has none, and counts from now.
 */
export const countFrom = (cursor: ScheduleCursor | undefined, schedule: string, now: Instant, periodic: boolean): Instant => {
  if (cursor === undefined || cursor.schedule !== schedule) return now;
  return cursor.at > now + (periodic ? 0 : CURSOR_LEAD) ? now : cursor.at;
};

/** The windows that are due, in order, by whether they are still in time; undefined when there are none. */
export const sortDueWindows = (windows: readonly Instant[], now: Instant): DueWindows | undefined => {
  const [first] = windows;
  const last = windows.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const late = windows.filter((at) => at < now - WINDOW_GRACE);
  const lastLate = late.at(-1);
  return { first, last, ...(lastLate === undefined ? {} : { late: { last: lastLate, count: late.length } }) };
};

/** What becomes of the windows that are due. With catch-up one run makes all of them good. */
export const decideWindows = ({ first, last, late }: DueWindows, catchUp: boolean): readonly WindowDecision[] => {
  const inTime = late === undefined || late.last < last;
  if (late === undefined) return [{ type: 'fire', trigger: 'schedule', window: last }];
  const behind = { first_window: first, windows: late.count };
  if (catchUp) return [{ type: 'fire', trigger: 'catch_up', window: inTime ? last : late.last, ...behind }];
  const missed: WindowDecision = { type: 'missed', window: late.last, ...behind };
  return inTime ? [missed, { type: 'fire', trigger: 'schedule', window: last }] : [missed];
};
