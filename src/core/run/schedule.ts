// What a `schedule` says (SPEC-0008): every so often, or by a cron pattern in a zone. Which instants a pattern names is the
// shell's to compute; whether it names any at all decides whether the configuration loads.
import * as E from 'fp-ts/lib/Either.js';
import { type Duration, formatDuration, parseDuration, SECOND } from '../kernel/time.js';

export type Schedule =
  | { readonly kind: 'every'; readonly period: Duration }
  /** Five or six fields, or a nickname such as `@daily`; without a zone it is the host's. */
  | { readonly kind: 'cron'; readonly pattern: string; readonly zone?: string };

/** More often than this is a busy loop, not a schedule. */
export const SHORTEST_PERIOD: Duration = SECOND;

const ZONED = /^(?:CRON_TZ|TZ)=(\S+)\s+(.*)$/s;
const EVERY = /^@every\s+(\S+)$/;

/** Reads `@every DURATION`, or a cron pattern with an optional `CRON_TZ=ZONE` before it. */
export const parseSchedule = (text: string): E.Either<string, Schedule> => {
  const trimmed = text.trim();
  const every = EVERY.exec(trimmed)?.[1];
  if (every !== undefined) return parseEvery(every);
  const [, zone, rest] = ZONED.exec(trimmed) ?? [];
  const pattern = (rest ?? trimmed).trim();
  if (pattern.startsWith('@every')) return E.left('must have one duration and no zone beside "@every", such as "@every 15m"');
  if (pattern === '') return E.left('must be a cron pattern such as "0 6 * * 1-5", or "@every 15m"');
  return E.right({ kind: 'cron', pattern, ...(zone === undefined ? {} : { zone }) });
};

const parseEvery = (text: string): E.Either<string, Schedule> => {
  const period = parseDuration(text);
  if (E.isLeft(period)) return E.left('must name a duration after "@every", such as "@every 15m"');
  if (period.right < SHORTEST_PERIOD) return E.left('must leave at least 1s between its windows');
  return E.right({ kind: 'every', period: period.right });
};

/** As an operator would write it. */
export const scheduleText = (schedule: Schedule): string => {
  if (schedule.kind === 'every') return `@every ${formatDuration(schedule.period)}`;
  return schedule.zone === undefined ? schedule.pattern : `CRON_TZ=${schedule.zone} ${schedule.pattern}`;
};
