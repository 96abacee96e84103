// The instants that a schedule names, by croner for cron patterns and by counting for periods.
import { Cron } from 'croner';
import type { Schedule } from '../../core/run/schedule.js';

/** Windows are counted up to here; more are told as this many. */
const COUNT_MAX = 1_000;

/** The first window after an instant; undefined when the pattern names no more. */
export const nextWindow = (schedule: Schedule, after: number): number | undefined =>
  schedule.kind === 'every' ? after + schedule.period : cronOf(schedule).nextRun(new Date(after))?.getTime();

/** The windows after `from` up to `now`. Past the limit the newest count, since the last one is what a run honours. */
export const windowsBetween = (schedule: Schedule, from: number, now: number): readonly number[] => {
  if (schedule.kind === 'every') {
    const count = Math.max(0, Math.floor((now - from) / schedule.period));
    const skipped = Math.max(0, count - COUNT_MAX);
    return Array.from({ length: count - skipped }, (_, index) => from + (skipped + index + 1) * schedule.period);
  }
  const cron = cronOf(schedule);
  const found: number[] = [];
  for (let at = cron.nextRun(new Date(from)); at !== null && at.getTime() <= now && found.length < COUNT_MAX; at = cron.nextRun(at))
    found.push(at.getTime());
  const last = cron.previousRuns(1, new Date(now + 1))[0]?.getTime();
  return last !== undefined && found.length === COUNT_MAX && last > (found[found.length - 1] ?? 0) ? [...found, last] : found;
};

const crons = new Map<string, Cron>();

const cronOf = ({ pattern, zone }: Extract<Schedule, { kind: 'cron' }>): Cron => {
  const name = `${zone ?? ''} ${pattern}`;
  const known = crons.get(name);
  if (known !== undefined) return known;
  const cron = new Cron(pattern, { paused: true, ...(zone === undefined ? {} : { timezone: zone }) });
  crons.set(name, cron);
  return cron;
};
