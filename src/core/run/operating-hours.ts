// When a harness may run (SPEC-0008): day and time ranges in a zone, such as `Mon-Fri 08:00-18:00 Europe/Oslo`.
import * as E from 'fp-ts/lib/Either.js';

/** Days count from Sunday = 0, times are minutes since midnight; a range whose end is not after its start ends the next day. */
export interface HoursRange {
  readonly days: readonly number[];
  readonly from: number;
  readonly to: number;
}

export interface OperatingHours {
  /** As written. */
  readonly text: string;
  readonly ranges: readonly HoursRange[];
  /** Without one it is the host's. */
  readonly zone?: string;
}

/** What the wall clock of a zone says. */
export interface WallClock {
  /** Sunday = 0. */
  readonly day: number;
  readonly minute: number;
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const DAY_MINUTES = 24 * 60;
const RANGE = /^(?:([A-Za-z]{3})(?:-([A-Za-z]{3}))?\s+)?(\d\d):(\d\d)-(\d\d):(\d\d)(?:\s+(\S+))?$/;
const MUST = 'must be ranges such as "Mon-Fri 08:00-18:00" or "Sat 10:00-14:00 Europe/Oslo", joined by commas';

/** Reads comma-joined ranges; a zone may stand after any of them and must be the same throughout. */
export const parseOperatingHours = (text: string): E.Either<string, OperatingHours> => {
  const parts = text.split(',').map((part) => RANGE.exec(part.trim()));
  const ranges: HoursRange[] = [];
  const zones = new Set<string>();
  for (const part of parts) {
    const range = part === null ? undefined : readRange(part);
    if (range === undefined) return E.left(MUST);
    ranges.push(range);
    if (part?.[7] !== undefined) zones.add(part[7]);
  }
  const [zone, other] = [...zones];
  if (other !== undefined) return E.left('must name one time zone only');
  return E.right({ text, ranges, ...(zone === undefined ? {} : { zone }) });
};

/** Whether the hours are open at this wall clock. */
export const isOpen = ({ ranges }: OperatingHours, clock: WallClock): boolean => ranges.some((range) => covers(range, clock));

const covers = ({ days, from, to }: HoursRange, { day, minute }: WallClock): boolean => {
  if (from < to) return days.includes(day) && minute >= from && minute < to;
  const yesterday = (day + 6) % 7;
  return (days.includes(day) && minute >= from) || (days.includes(yesterday) && minute < to);
};

const readRange = ([, first, last, fromHour, fromMinute, toHour, toMinute]: RegExpExecArray): HoursRange | undefined => {
  const days = readDays(first, last);
  const from = readTime(fromHour, fromMinute);
  const to = readTime(toHour, toMinute);
  if (days === undefined || from === undefined || to === undefined || from === DAY_MINUTES || from === to) return undefined;
  return { days, from, to };
};

const readDays = (first: string | undefined, last: string | undefined): readonly number[] | undefined => {
  if (first === undefined) return [0, 1, 2, 3, 4, 5, 6];
  const from = DAYS.indexOf(first.toLowerCase());
  const to = last === undefined ? from : DAYS.indexOf(last.toLowerCase());
  if (from < 0 || to < 0) return undefined;
  const count = ((to - from + 7) % 7) + 1;
  return Array.from({ length: count }, (_, index) => (from + index) % 7);
};

/** `24:00` is the end of a day. */
const readTime = (hour = '', minute = ''): number | undefined => {
  const minutes = Number(hour) * 60 + Number(minute);
  return Number(minute) < 60 && minutes <= DAY_MINUTES ? minutes : undefined;
};
