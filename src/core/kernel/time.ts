// Instants are milliseconds since the epoch; their one spelling is RFC 3339 UTC with nine fractional digits,
// so text order is time order and an episode id has one possible input.
import * as E from 'fp-ts/lib/Either.js';

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number;
/** Milliseconds. */
export type Duration = number;

export const SECOND: Duration = 1_000;
export const MINUTE: Duration = 60 * SECOND;
export const HOUR: Duration = 60 * MINUTE;
export const DAY: Duration = 24 * HOUR;

/** `2026-09-30T14:03:07.123000000Z`: fixed width. */
export const formatInstant = (at: Instant): string => `${new Date(at).toISOString().slice(0, -1)}000000Z`;

/** `2026-09-30T14:03:07Z`, or with milliseconds where they are not zero; for people. */
export const formatInstantShort = (at: Instant): string => new Date(at).toISOString().replace(/\.000Z$/, 'Z');

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Reads an RFC 3339 instant of any precision; finer than a millisecond is cut. A day that no calendar has is refused. */
export const parseInstant = (text: string): Instant | undefined => {
  const [, year, month, day] = RFC3339.exec(text) ?? [];
  // The platform reads February 30th as March 2nd.
  if (year === undefined || Number(day) > daysIn(Number(year), Number(month))) return undefined;
  const at = Date.parse(
    text
      .replace(/(\.\d{3})\d+/, '$1')
      .replace(' ', 'T')
      .toUpperCase(),
  );
  return Number.isNaN(at) ? undefined : at;
};

const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

const UNITS: Readonly<Record<string, Duration>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: SECOND, m: MINUTE, h: HOUR };
const GO_DURATION = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/;
const GO_PART = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g;

/** Reads Go syntax (`300ms`, `2h45m`) or whole days (`90d`); negatives are refused. */
export const parseDuration = (text: string): E.Either<string, Duration> => {
  const days = /^(\d{1,6})d$/.exec(text);
  if (days?.[1] !== undefined) return E.right(Number(days[1]) * DAY);
  if (text === '0') return E.right(0);
  if (!GO_DURATION.test(text)) return E.left(`"${text}" is not a duration (write 300ms, 2h45m or 90d)`);
  let total = 0;
  for (const part of text.matchAll(GO_PART)) total += Number(part[1]) * (UNITS[part[2] ?? ''] ?? 0);
  return E.right(Math.round(total));
};

/** `90d`, `2h45m`, `1m30s`, `250ms`: the shortest spelling that parseDuration reads back. */
export const formatDuration = (duration: Duration): string => {
  if (duration === 0) return '0s';
  if (duration >= DAY && duration % DAY === 0) return `${duration / DAY}d`;
  const hours = Math.floor(duration / HOUR);
  const minutes = Math.floor((duration % HOUR) / MINUTE);
  const seconds = Math.floor((duration % MINUTE) / SECOND);
  const rest = Math.round(duration % SECOND);
  const parts = [hours ? `${hours}h` : '', minutes ? `${minutes}m` : '', seconds ? `${seconds}s` : '', rest ? `${rest}ms` : ''];
  return parts.join('');
};
