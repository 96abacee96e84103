// Residents that do not stay up, and schedules.

import { byNumber, on, sorted } from '../kernel/order.js';
import { shellLine } from '../kernel/shell-line.js';
import { formatInstantShort } from '../kernel/time.js';
import type { DaemonFacts, ResidentFact, ScheduleFact } from './facts.js';
import { type CheckRow, counted, error, ok, warn } from './report.js';

export const checkLives = ({ residents, schedules }: DaemonFacts): readonly CheckRow[] => [
  ...residents.flatMap(checkResident),
  ...checkSchedules(schedules),
];

const checkResident = ({ harness, phase, failures }: ResidentFact): readonly CheckRow[] => {
  const look = shellLine(['harness', 'logs', harness]);
  switch (phase) {
    case 'failed':
      return [
        error(
          'resident',
          `${harness}: given up after ${counted(failures, 'failure')}`,
          `${look}; ${shellLine(['harness', 'start', harness])}`,
        ),
      ];
    case 'degraded':
      return [warn('resident', `${harness}: it keeps ending and is started again`, look)];
    case 'restarting':
      return failures === 0 ? [] : [warn('resident', `${harness}: ${counted(failures, 'failure')} in a row, it is started again`, look)];
    case 'stopped':
    case 'starting':
    case 'running':
    case 'stopping':
      return [];
  }
};

const checkSchedules = (schedules: readonly ScheduleFact[]): readonly CheckRow[] => {
  if (schedules.length === 0) return [];
  const due = schedules.flatMap(({ harness, next }) => (next === undefined ? [] : [{ harness, next }]));
  const [first] = sorted(
    due,
    on(({ next }) => next, byNumber),
  );
  const when = first === undefined ? 'none is due any more' : `next ${first.harness} at ${formatInstantShort(first.next)}`;
  return [
    ok('schedules', `${counted(schedules.length, 'harness', 'harnesses')}, ${when}`),
    ...schedules.flatMap(({ harness, missed_24h }) =>
      missed_24h === 0
        ? []
        : [
            warn(
              'schedules',
              `${harness}: ${counted(missed_24h, 'window')} missed in the last 24 h`,
              shellLine(['harness', 'runs', harness, '--outcome', 'missed']),
            ),
          ],
    ),
  ];
};
