// Which keys name schedules and zones, so that the shell can ask the platform about them before the configuration is decided.
import * as E from 'fp-ts/lib/Either.js';
import { parseOperatingHours } from '../run/operating-hours.js';
import { parseSchedule } from '../run/schedule.js';
import { isTable, type TomlTable } from './source.js';

/** Cron patterns of the file as written, each with its meaning, without repeats. */
export const namedCrons = (tables: TomlTable): ReadonlyMap<string, { readonly pattern: string; readonly zone?: string }> =>
  new Map(
    valuesOf(tables, 'schedule').flatMap((text) => {
      const schedule = parseSchedule(text);
      return E.isRight(schedule) && schedule.right.kind === 'cron' ? [[text, schedule.right]] : [];
    }),
  );

/** The zones of operating hours. */
export const namedZones = (tables: TomlTable): readonly string[] =>
  valuesOf(tables, 'operating_hours').flatMap((text) => {
    const hours = parseOperatingHours(text);
    return E.isRight(hours) && hours.right.zone !== undefined ? [hours.right.zone] : [];
  });

/** In `[harness.x]` and in `[x]`. */
const valuesOf = (tables: TomlTable, key: string): readonly string[] =>
  Object.values(tables)
    .filter(isTable)
    .flatMap((table) => [table, ...Object.values(table).filter(isTable)])
    .flatMap((table) => (Object.hasOwn(table, key) && typeof table[key] === 'string' ? [table[key]] : []));
