// Schedules and overlaps with real runs: what fires, what is missed, what waits, and that no window is honoured twice.
import { describe, expect, test } from 'vitest';
import type { HarnessConfig } from '../../src/core/config/config.js';
import { formatInstant, HOUR, MINUTE, SECOND } from '../../src/core/kernel/time.js';
import { openScheduler } from '../../src/shell/sources/scheduler.js';
import { aConfig, aShot, openFleet, type TestFleet } from '../support/fleet.js';
import { until } from '../support/rig.js';
import { openTestStore, type TestStore, testWorld } from '../support/stores.js';

const NOON = Date.UTC(2026, 8, 28, 12, 0, 0);
const hourly = (overrides: Partial<HarnessConfig> = {}): HarnessConfig =>
  aShot('exit 0', { schedule: { kind: 'cron', pattern: '0 * * * *', zone: 'UTC' }, ...overrides });

/** A clock that tests set, the fleet under it, and its scheduler as a daemon would start it. */
const openScheduled = async (harness: HarnessConfig, { at = NOON, held }: { at?: number; held?: TestStore } = {}) => {
  const clock = { now: at };
  const fleet = await openFleet(aConfig([harness]), { world: testWorld(() => clock.now), ...(held === undefined ? {} : { held }) });
  const { cursors } = await fleet.held.store.write('readFleet', { since: '' });
  const scheduler = openScheduler(() => aConfig([harness]), cursors, { ...fleet, store: fleet.held.store });
  await scheduler.look();
  const lookAt = async (now: number): Promise<void> => {
    clock.now = now;
    await scheduler.look();
    await idle(fleet);
  };
  return { ...fleet, scheduler, lookAt, clock };
};

const idle = (fleet: TestFleet): Promise<true> =>
  until(() => (fleet.supervisor.active().length === 0 ? true : undefined), 'the runs to end');

const shown = (records: Awaited<ReturnType<TestFleet['records']>>) =>
  records.map(({ trigger, outcome, window, first_window, windows }) => [
    trigger,
    outcome,
    window?.slice(11, 16),
    ...(windows === undefined ? [] : [first_window?.slice(11, 16), windows]),
  ]);

describe('a schedule', () => {
  test('fires once per window, and not at all when it is first seen', async () => {
    const { lookAt, records, scheduler } = await openScheduled(hourly());
    expect(scheduler.next(hourly())).toBe(NOON + HOUR);
    await lookAt(NOON + HOUR);
    await lookAt(NOON + HOUR + 30 * SECOND);
    await lookAt(NOON + 2 * HOUR + 5);
    expect(shown(await records())).toEqual([
      ['schedule', 'success', '13:00'],
      ['schedule', 'success', '14:00'],
    ]);
    await scheduler.close();
  });

  test('records what nobody evaluated as missed, in one record', async () => {
    const { lookAt, records, scheduler } = await openScheduled(hourly());
    await lookAt(NOON + 4 * HOUR + 10 * MINUTE);
    await lookAt(NOON + 5 * HOUR);
    expect(shown(await records())).toEqual([
      ['schedule', 'missed', '16:00', '13:00', 4],
      ['schedule', 'success', '17:00'],
    ]);
    await scheduler.close();
  });

  test('with catch_up makes all of them good by one run', async () => {
    const { lookAt, records, scheduler } = await openScheduled(hourly({ catch_up: true }));
    await lookAt(NOON + 4 * HOUR + 10 * MINUTE);
    expect(shown(await records())).toEqual([['catch_up', 'success', '16:00', '13:00', 4]]);
    await scheduler.close();
  });

  test('goes on over a restart of the daemon where it stood, and over a crash between a run and its cursor', async () => {
    const held = openTestStore();
    const first = await openScheduled(hourly(), { held: { ...held, close: async () => undefined } });
    await first.lookAt(NOON + HOUR);
    await first.scheduler.close();
    // As if the daemon had died before the cursor moved.
    await held.store.write('writeScheduleCursor', {
      harness: 'h',
      schedule: JSON.stringify(hourly().schedule),
      at: formatInstant(NOON),
    });
    const second = await openScheduled(hourly(), { held, at: NOON + HOUR + 10 * SECOND });
    await second.lookAt(NOON + 3 * HOUR);
    expect(shown(await second.records())).toEqual([
      ['schedule', 'success', '13:00'],
      ['schedule', 'missed', '14:00', '14:00', 1],
      ['schedule', 'success', '15:00'],
    ]);
    await second.scheduler.close();
  });

  test('of another text misses nothing: it begins when it is seen', async () => {
    const held = openTestStore();
    const first = await openScheduled(hourly(), { held: { ...held, close: async () => undefined } });
    await first.scheduler.close();
    const changed = hourly({ schedule: { kind: 'cron', pattern: '30 * * * *', zone: 'UTC' } });
    const second = await openScheduled(changed, { held, at: NOON + 10 * HOUR });
    await second.lookAt(NOON + 10 * HOUR + 30 * MINUTE);
    expect(shown(await second.records())).toEqual([['schedule', 'success', '22:30']]);
    await second.scheduler.close();
  });

  test('a clock that jumps an hour ahead misses the windows between; one that jumps back fires none again', async () => {
    const quarter = hourly({ schedule: { kind: 'cron', pattern: '*/15 * * * *', zone: 'UTC' } });
    const { lookAt, records, scheduler } = await openScheduled(quarter);
    await lookAt(NOON + 15 * MINUTE);
    await lookAt(NOON + 80 * MINUTE);
    await lookAt(NOON + 20 * MINUTE);
    await lookAt(NOON + 30 * MINUTE);
    await lookAt(NOON + 75 * MINUTE);
    await lookAt(NOON + 90 * MINUTE);
    expect(shown(await records())).toEqual([
      ['schedule', 'success', '12:15'],
      ['schedule', 'missed', '13:15', '12:30', 4],
      ['schedule', 'success', '13:30'],
    ]);
    await scheduler.close();
  });

  test('a cursor from a clock that was years ahead is thrown away', async () => {
    const { lookAt, records, scheduler, clock } = await openScheduled(hourly(), { at: NOON + 9_000 * HOUR });
    clock.now = NOON;
    await lookAt(NOON + HOUR);
    await lookAt(NOON + 2 * HOUR);
    expect((await records()).at(-1)).toMatchObject({ outcome: 'success', window: formatInstant(NOON + 2 * HOUR) });
    await scheduler.close();
  });

  test('every so often counts from its last window', async () => {
    const often = hourly({ schedule: { kind: 'every', period: 10 * MINUTE } });
    const { lookAt, records, scheduler } = await openScheduled(often);
    await lookAt(NOON + 10 * MINUTE + 2);
    await lookAt(NOON + 20 * MINUTE);
    expect((await records()).map(({ window }) => window)).toEqual([NOON + 10 * MINUTE, NOON + 20 * MINUTE].map(formatInstant));
    await scheduler.close();
  });

  test('every so often goes on after a clock that went back', async () => {
    const often = hourly({ schedule: { kind: 'every', period: 10 * MINUTE } });
    const { lookAt, records, scheduler } = await openScheduled(often);
    await lookAt(NOON + 10 * MINUTE);
    await lookAt(NOON - HOUR);
    expect(scheduler.next(often)).toBe(NOON - HOUR + 10 * MINUTE);
    await lookAt(NOON - HOUR + 10 * MINUTE);
    expect(await records()).toHaveLength(2);
    await scheduler.close();
  });

  test('looks that come together decide a window once', async () => {
    const { scheduler, clock, records } = await openScheduled(hourly());
    clock.now = NOON + HOUR;
    await Promise.all([scheduler.look(), scheduler.look(), scheduler.look()]);
    expect((await records()).filter(({ outcome }) => outcome !== 'skipped')).toHaveLength(1);
    expect(await records()).toHaveLength(1);
    await scheduler.close();
  });

  test('follows its zone over a change of clocks', async () => {
    const nightly = hourly({ schedule: { kind: 'cron', pattern: '30 3 * * *', zone: 'Europe/Oslo' } });
    const { scheduler, clock } = await openScheduled(nightly, { at: Date.UTC(2026, 9, 24, 12) });
    expect(scheduler.next(nightly)).toBe(Date.UTC(2026, 9, 25, 2, 30));
    clock.now = Date.UTC(2026, 9, 23, 12);
    expect(scheduler.next(nightly)).toBe(Date.UTC(2026, 9, 25, 2, 30));
    clock.now = Date.UTC(2026, 9, 22, 12);
    await scheduler.close();
  });
});

describe('a firing while its harness runs', () => {
  const busy = (overrides: Partial<HarnessConfig>): HarnessConfig => aShot('sleep 300', overrides);

  test('is skipped and counted once per run', async () => {
    const harness = busy({ on_overlap: 'skip' });
    const { supervisor, records } = await openFleet(aConfig([harness]));
    await supervisor.fire(harness, 'manual');
    for (let count = 0; count < 3; count += 1)
      expect(await supervisor.fire(harness, 'manual')).toMatchObject({ decision: 'skipped', reason: 'overlap', run_id: 2 });
    await supervisor.stop('h');
    expect(await records()).toMatchObject([{ outcome: 'cancelled' }, { outcome: 'skipped', reason: 'overlap', coalesced: 3 }]);
  });

  test('is queued: one waits and starts when the run has ended, a second is skipped', async () => {
    const harness = aShot('sleep 0.2', { on_overlap: 'queue' });
    const { supervisor, records } = await openFleet(aConfig([harness]));
    await supervisor.fire(harness, 'manual');
    const queued = await supervisor.fire(harness, 'schedule', { window: formatInstant(NOON) });
    expect(queued.decision).toBe('queued');
    expect(await supervisor.fire(harness, 'manual')).toMatchObject({ decision: 'skipped', reason: 'overlap' });
    const last = queued.decision === 'queued' ? await queued.done : {};
    expect(last).toMatchObject({ outcome: 'success' });
    expect((await records()).map(({ trigger, outcome }) => [trigger, outcome])).toEqual([
      ['manual', 'success'],
      ['manual', 'skipped'],
      ['schedule', 'success'],
    ]);
  });

  test('held back is cancelled by a stop and interrupted by a shutdown', async () => {
    const harness = busy({ on_overlap: 'queue' });
    const { supervisor, records } = await openFleet(aConfig([harness]));
    await supervisor.fire(harness, 'manual');
    await supervisor.fire(harness, 'manual');
    await supervisor.stop('h');
    await supervisor.fire(harness, 'manual');
    await supervisor.fire(harness, 'manual');
    await supervisor.shutdown();
    expect((await records()).map(({ outcome, reason }) => [outcome, reason]).sort()).toEqual([
      ['cancelled', 'operator'],
      ['cancelled', 'operator'],
      ['interrupted', 'shutdown'],
      ['interrupted', 'shutdown'],
    ]);
  });

  test('replaces it: the old run ends first, recorded as replaced', async () => {
    const harness = busy({ on_overlap: 'replace' });
    const { supervisor, records } = await openFleet(aConfig([harness]));
    await supervisor.fire(harness, 'manual');
    await supervisor.fire(harness, 'schedule');
    const second = await until(() => supervisor.active().find(({ key }) => key.run_id === 2), 'the second run');
    expect(second.key.harness).toBe('h');
    const [first] = await records();
    expect(first).toMatchObject({ outcome: 'replaced' });
    expect(first?.reason).toBeUndefined();
  });

  test('of a harness that left the configuration while it waited is cancelled by the reload', async () => {
    const harness = busy({ on_overlap: 'queue' });
    const { supervisor, configure, records } = await openFleet(aConfig([harness]));
    await supervisor.fire(harness, 'manual');
    const queued = await supervisor.fire(harness, 'manual');
    configure(aConfig([]));
    expect(queued.decision === 'queued' ? await queued.done : {}).toMatchObject({ outcome: 'cancelled', reason: 'reload' });
    expect((await records()).filter(({ outcome }) => outcome === undefined)).toHaveLength(1);
  });
});

describe('slots and budgets', () => {
  test('a quota group bounds its members and no one else', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => aShot('sleep 300', { name, ...(name === 'c' ? {} : { quota_group: 'g' }) })) as [
      HarnessConfig,
      HarnessConfig,
      HarnessConfig,
    ];
    const { supervisor } = await openFleet(aConfig([a, b, c], { budget: { groups: { g: { max_concurrent: 1 } } } }));
    const decisions = [];
    for (const harness of [a, b, c]) decisions.push((await supervisor.fire(harness, 'manual')).decision);
    expect(decisions).toEqual(['started', 'queued', 'started']);
    await supervisor.stop('a');
    await until(() => (supervisor.phase('b') === 'running' ? true : undefined), 'b');
  });

  test('a spent day skips further starts, unless an operator says so', async () => {
    const harness = aShot('exit 0', { max_runs_per_day: 1 });
    const { supervisor, records } = await openFleet(aConfig([harness]));
    const first = await supervisor.fire(harness, 'schedule');
    if (first.decision === 'started') await first.done;
    expect(await supervisor.fire(harness, 'schedule')).toMatchObject({ decision: 'skipped', reason: 'budget' });
    const over = await supervisor.fire(harness, 'manual', { override: true });
    if (over.decision === 'started') await over.done;
    expect(await records()).toMatchObject([
      { outcome: 'success' },
      { outcome: 'skipped', reason: 'budget' },
      { outcome: 'success', override: true },
    ]);
  });

  test('a budgeted harness does not start while the ledger cannot count it', async () => {
    const harness = aShot('exit 0', { max_runs_per_day: 5 });
    const held = openTestStore();
    let broken = false;
    const store = {
      ...held.store,
      write: ((name: never, args: never) =>
        broken && name === ('appendLines' as never)
          ? Promise.reject(new Error('disk full'))
          : held.store.write(name, args)) as typeof held.store.write,
    };
    const { supervisor, journal } = await openFleet(aConfig([harness]), { held: { ...held, store } });
    broken = true;
    await journal.append('decided', { harness: 'x', run_id: 1 }, { outcome: 'skipped', reason: 'overlap' });
    expect(await supervisor.fire(harness, 'manual')).toEqual({ decision: 'refused', reason: 'ledger_unavailable' });
    broken = false;
    await journal.drain(2_000);
    expect(await supervisor.fire(harness, 'manual')).toMatchObject({ decision: 'started' });
  });
});

describe('a one-shot with restart = on-failure', () => {
  test('starts again within its run until it succeeds', async () => {
    const harness = aShot('test -e flag && exit 0; touch flag; exit 4', { restart: 'on-failure' });
    const held = openTestStore();
    const { supervisor, records } = await openFleet(aConfig([harness]), { held });
    const firing = await supervisor.fire({ ...harness, workdir: held.dir }, 'manual');
    if (firing.decision === 'started') await firing.done;
    expect(await records()).toMatchObject([{ run_id: 1, outcome: 'success', exit_code: 0 }]);
  });

  test('is given up after five failures, and can be stopped while it waits', async () => {
    const harness = aShot('exit 4', { restart: 'on-failure' });
    const slow = aShot('exit 4', { name: 's', restart: 'on-failure', restart_delay: 30_000 });
    const { supervisor, records } = await openFleet(aConfig([harness, slow]));
    const firing = await supervisor.fire(harness, 'manual');
    if (firing.decision === 'started') await firing.done;
    expect(await records('h')).toMatchObject([{ outcome: 'failed', exit_code: 4 }]);
    await supervisor.fire(slow, 'manual');
    await supervisor.stop('s');
    expect(await records('s')).toMatchObject([{ outcome: 'cancelled', reason: 'operator' }]);
  });
});
