// When a harness runs by itself (SPEC-0008): a schedule must name a window that comes, and hours a zone that is known.
import type { ConfigError } from './errors.js';
import { quoted } from './errors.js';
import { errorAt, has } from './section.js';
import type { HarnessDraft } from './tables/harness.js';

export const checkSchedule = (draft: HarnessDraft): readonly ConfigError[] => [
  ...checkWindows(draft),
  ...checkZone(draft),
  ...checkCompany(draft),
];

const checkWindows = ({ section, values }: HarnessDraft): readonly ConfigError[] => {
  const { schedule: text } = section.table;
  if (values.schedule?.kind !== 'cron' || typeof text !== 'string') return [];
  const fact = section.source.schedules.get(text);
  if (fact === undefined || fact === 'fires') return [];
  if (fact === 'never_fires') return [errorAt(section, 'invalid_value', 'schedule', 'names no day that ever comes: it would never fire')];
  if (fact === 'unknown_zone')
    return [
      errorAt(
        section,
        'invalid_value',
        'schedule',
        `names the time zone ${quoted(values.schedule.zone ?? '')}, which this host does not know`,
      ),
    ];
  return [errorAt(section, 'invalid_value', 'schedule', `must be a cron pattern such as "0 6 * * 1-5", or "@every 15m": ${fact.invalid}`)];
};

const checkZone = ({ section, values }: HarnessDraft): readonly ConfigError[] => {
  const zone = values.operating_hours?.zone;
  return zone === undefined || section.source.zones.get(zone) !== false
    ? []
    : [errorAt(section, 'invalid_value', 'operating_hours', `names the time zone ${quoted(zone)}, which this host does not know`)];
};

const checkCompany = ({ section }: HarnessDraft): readonly ConfigError[] => [
  ...(has(section, 'catch_up') && !has(section, 'schedule') ? [errorAt(section, 'conflict', 'catch_up', 'needs "schedule"')] : []),
  ...(has(section, 'operating_hours') && has(section, 'schedule')
    ? [errorAt(section, 'conflict', 'operating_hours', 'is excluded by "schedule": write the hours into the pattern')]
    : []),
];
