// Laws of the texts that say when: schedules and operating hours; and of the names of projects.

import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, test } from 'vitest';
import { projectName } from '../../src/core/config/project-name.js';
import { formatDuration } from '../../src/core/kernel/time.js';
import { isOpen, type OperatingHours, parseOperatingHours } from '../../src/core/run/operating-hours.js';
import { parseSchedule, scheduleText } from '../../src/core/run/schedule.js';

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const day = fc.nat({ max: 6 });
const minute = fc.nat({ max: 1_439 });
const clock = (at: number): string => `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`;

const read = (text: string): OperatingHours => {
  const hours = parseOperatingHours(text);
  if (E.isLeft(hours)) throw new Error(hours.left);
  return hours.right;
};

describe('operating hours', () => {
  test('are open from the first minute to before the last, on the days they name', () => {
    fc.assert(
      fc.property(day, minute, minute, day, minute, (on, from, to, at, now) => {
        fc.pre(from < to);
        const hours = read(`${DAYS[on]} ${clock(from)}-${clock(to)}`);
        expect(isOpen(hours, { day: at, minute: now })).toBe(at === on && now >= from && now < to);
      }),
    );
  });

  test('that end before they begin end on the next day', () => {
    fc.assert(
      fc.property(day, minute, minute, day, minute, (on, from, to, at, now) => {
        fc.pre(from > to);
        const hours = read(`${DAYS[on]} ${clock(from)}-${clock(to)}`);
        const evening = at === on && now >= from;
        const morning = at === (on + 1) % 7 && now < to;
        expect(isOpen(hours, { day: at, minute: now })).toBe(evening || morning);
      }),
    );
  });

  test('of several ranges are open when one of them is, and a range of days goes round the week', () => {
    fc.assert(
      fc.property(day, day, minute, (first, last, now) => {
        const range = `${DAYS[first]}-${DAYS[last]} 00:00-24:00`;
        const days = Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, index) => (first + index) % 7);
        for (let at = 0; at < 7; at += 1) {
          expect(isOpen(read(range), { day: at, minute: now })).toBe(days.includes(at));
          expect(isOpen(read(`${range}, ${DAYS[(last + 1) % 7]} 08:00-09:00`), { day: at, minute: now })).toBe(
            days.includes(at) || (at === (last + 1) % 7 && now >= 480 && now < 540),
          );
        }
      }),
    );
  });

  test('never fail otherwise than by saying what they must be', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[A-Za-z]{0,3}-?[A-Za-z]{0,3} ?\d{0,2}:?\d{0,2}-\d{0,2}:\d{0,2}/)), (text) => {
        const hours = parseOperatingHours(text);
        if (E.isRight(hours)) expect(hours.right.ranges.length).toBeGreaterThan(0);
        else expect(hours.left).toMatch(/^must /);
      }),
    );
    expect(read('08:00-18:00 Europe/Oslo')).toMatchObject({
      zone: 'Europe/Oslo',
      ranges: [{ days: [0, 1, 2, 3, 4, 5, 6], from: 480, to: 1_080 }],
    });
  });
});

describe('a schedule', () => {
  test('of a period reads back as that period', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: 40 * 86_400_000 }), (period) => {
        expect(parseSchedule(`@every ${formatDuration(period)}`)).toEqual(E.right({ kind: 'every', period }));
        expect(scheduleText({ kind: 'every', period })).toBe(`@every ${formatDuration(period)}`);
      }),
    );
  });

  test('of a pattern keeps it, and takes the zone before it', () => {
    expect(parseSchedule('0 6 * * 1-5')).toEqual(E.right({ kind: 'cron', pattern: '0 6 * * 1-5' }));
    expect(parseSchedule('CRON_TZ=Europe/Oslo @daily')).toEqual(E.right({ kind: 'cron', pattern: '@daily', zone: 'Europe/Oslo' }));
    for (const text of ['0 6 * * 1-5', 'CRON_TZ=Europe/Oslo @daily']) {
      const schedule = parseSchedule(text);
      expect(E.isRight(schedule) && scheduleText(schedule.right)).toBe(text);
    }
    expect(parseSchedule('  TZ=UTC   0 6 * * *  ')).toEqual(E.right({ kind: 'cron', pattern: '0 6 * * *', zone: 'UTC' }));
  });
});

test('the name of a project is one word of a path, or none', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const name = projectName(text);
      if (name !== undefined) {
        expect(name).toMatch(/^[a-z0-9._-]{1,64}$/);
        expect(['.', '..', 'scratch']).not.toContain(name);
        expect(projectName(name)).toBe(name);
      }
    }),
  );
  expect(['My  API!', 'ÆØ', '..', 'Scratch', 'a.b_c', '-x-'].map(projectName)).toEqual([
    'my-api',
    undefined,
    undefined,
    undefined,
    'a.b_c',
    'x',
  ]);
});
