// What the platform says of a cron pattern and of a time zone.
import { Cron } from 'croner';
import type { ScheduleFact } from '../../core/config/source.js';

const NICKNAMES = ['@hourly', '@daily', '@weekly', '@monthly', '@yearly', '@annually'];

/** Whether a pattern is one, and names an instant that comes. */
export const scheduleFact = ({ pattern, zone }: { readonly pattern: string; readonly zone?: string }): ScheduleFact => {
  if (zone !== undefined && !isKnownZone(zone)) return 'unknown_zone';
  // The library also takes a date, which fires once; a schedule does not.
  if (pattern.startsWith('@') && !NICKNAMES.includes(pattern)) return { invalid: `the nicknames are ${NICKNAMES.join(', ')}` };
  if (!pattern.startsWith('@') && ![5, 6].includes(pattern.split(/\s+/).length)) return { invalid: 'it has five or six fields' };
  try {
    const cron = new Cron(pattern, { paused: true, ...(zone === undefined ? {} : { timezone: zone }) });
    return cron.nextRun() === null ? 'never_fires' : 'fires';
  } catch (error) {
    return { invalid: (error as Error).message.replace(/^CronPattern: /, '') };
  }
};

export const isKnownZone = (zone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone }).format(0) !== '';
  } catch {
    return false;
  }
};
