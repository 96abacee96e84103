// Residents as real processes on real terminals: started, started again, given up, held, ended, watched and typed to.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseOperatingHours } from '../../src/core/run/operating-hours.js';
import type { Viewer } from '../../src/shell/supervise/terminal.js';
import { aConfig, aHarness, aShot, openFleet } from '../support/fleet.js';
import { childrenOf, isAlive, until } from '../support/rig.js';
import { testWorld } from '../support/stores.js';

const sh = (script: string) => ['sh', '-c', script];
const ESC = '\u001b';

/** What a viewer has seen so far, as text. */
const watch = (viewer: Viewer): (() => string) => {
  let seen = '';
  void (async () => {
    for await (const each of viewer.events) seen += each.type === 'output' ? each.bytes.toString() : `[${each.text}]`;
  })();
  return () => seen;
};

describe('a resident', () => {
  test('runs on a terminal of its own, is typed to by those attached, and its output outlives their leaving', async () => {
    const harness = aHarness({ argv: sh('test -t 0 && test -t 1 && echo on a terminal; cat') });
    const { supervisor } = await openFleet(aConfig([harness]));
    expect(await supervisor.start(harness)).toMatchObject({ phase: 'running', holds: [] });
    const terminal = supervisor.terminal('h');
    const seen = watch(terminal.attach());
    await until(() => (seen().includes('on a terminal') ? true : undefined), 'the terminal');
    terminal.write(Buffer.from('hello\r'));
    await until(() => (/hello\r\n[\s\S]*hello/.test(seen()) ? true : undefined), 'the echo and the answer');
    const late = watch(terminal.attach());
    await until(() => (late().includes('on a terminal') && late().includes('hello') ? true : undefined), 'the scrollback');
  });

  test('is told to draw itself anew when somebody attaches with the size it has', async () => {
    const harness = aHarness({ argv: sh('trap "echo drawn" WINCH; echo up; while :; do sleep 0.05; done') });
    const { supervisor } = await openFleet(aConfig([harness]));
    await supervisor.start(harness);
    const terminal = supervisor.terminal('h');
    const seen = watch(terminal.attach());
    await until(() => (seen().includes('up') ? true : undefined), 'the trap');
    terminal.resize(terminal.size());
    await until(() => (seen().includes('drawn') ? true : undefined), 'the redraw');
  });

  test('closes its record when it is stopped, and leaves no process: neither one that ignores SIGTERM nor its children', async () => {
    const harness = aHarness({
      argv: sh('trap "" TERM HUP; (trap "" TERM HUP; setsid sleep 300 & sleep 300) & while :; do sleep 1; done'),
    });
    const { supervisor, records } = await openFleet(aConfig([harness]), { stopGraceMs: 200 });
    await supervisor.start(harness);
    const pid = supervisor.active()[0]?.pid ?? 0;
    const children = await until(
      () => (childrenOf(pid).length > 0 ? childrenOf(pid).flatMap((each) => [each, ...childrenOf(each)]) : undefined),
      'children',
    );
    expect(await supervisor.stop('h')).toBe(true);
    expect([pid, ...children].filter(isAlive)).toEqual([]);
    expect(supervisor.phase('h')).toBe('stopped');
    expect(await records()).toMatchObject([
      { kind: 'resident', trigger: 'manual', outcome: 'cancelled', reason: 'operator', exit_code: -1 },
    ]);
  });

  test('is started again when it ends, and given up after five ends in a row; a start by hand begins anew', async () => {
    const harness = aHarness({ argv: sh('exit 3') });
    const { supervisor, records, world } = await openFleet(aConfig([harness]));
    await supervisor.start(harness);
    await until(() => (supervisor.phase('h') === 'failed' ? true : undefined), 'giving up');
    const first = await records();
    expect(first.map(({ trigger, outcome, exit_code }) => [trigger, outcome, exit_code])).toEqual([
      ['manual', 'failed', 3],
      ...Array.from({ length: 4 }, () => ['restart', 'failed', 3]),
    ]);
    expect(world.log.events).toContainEqual({ event: 'resident_given_up', harness: 'h', failures: 5 });
    expect(world.log.events).toContainEqual({ event: 'resident_flapping', harness: 'h' });
    await supervisor.start(harness);
    await until(() => (supervisor.phase('h') === 'failed' ? true : undefined), 'giving up again');
    expect(await records()).toHaveLength(10);
  });

  test.each([
    ['on-failure', 'exit 0', 'stopped', 1],
    ['no', 'exit 0', 'stopped', 1],
    ['no', 'exit 1', 'failed', 1],
    ['on-failure', 'exit 1', 'failed', 5],
    ['unless-stopped', 'exit 0', 'failed', 5],
  ] as const)('with restart = %s and a process that does `%s` ends %s after %i runs', async (restart, script, phase, runs) => {
    const harness = aHarness({ restart, argv: sh(script) });
    const { supervisor, records } = await openFleet(aConfig([harness]));
    await supervisor.start(harness);
    await until(() => (supervisor.phase('h') === phase ? true : undefined), phase);
    expect(await records()).toHaveLength(runs);
  });

  test('that cannot be started says why in its record and its log', async () => {
    const harness = aHarness({ argv: ['no-such-program'], restart: 'no' });
    const { supervisor, records, dir } = await openFleet(aConfig([harness]));
    expect(await supervisor.start(harness)).toMatchObject({ phase: 'failed' });
    const [record] = await records();
    expect(record).toMatchObject({ outcome: 'failed', reason: 'spawn' });
    expect(record?.exit_code).toBeUndefined();
    expect(readFileSync(join(dir, 'jobs', 'h', 'resident.log'), 'utf8')).toContain('"no-such-program" was not found');
  });

  test('restarts as one order: the old process is gone before the new one is there', async () => {
    const harness = aHarness({ argv: sh('echo pid $$; exec cat') });
    const { supervisor, records } = await openFleet(aConfig([harness]));
    await supervisor.start(harness);
    const before = supervisor.active()[0]?.pid ?? 0;
    await supervisor.restart(harness);
    const after = supervisor.active()[0]?.pid ?? 0;
    expect([isAlive(before), isAlive(after), before === after]).toEqual([false, true, false]);
    expect((await records()).map(({ outcome }) => outcome)).toEqual(['cancelled', undefined]);
  });

  test('never has two processes, however often it is started at once', async () => {
    const harness = aHarness();
    const { supervisor, records } = await openFleet(aConfig([harness]));
    await Promise.all(Array.from({ length: 20 }, () => supervisor.start(harness)));
    expect(supervisor.active()).toHaveLength(1);
    expect(await records()).toHaveLength(1);
  });

  test('writes what a terminal would show to its log, without what steers terminals, and without secrets', async () => {
    const token = `ghp_${'A1b2'.repeat(9)}`;
    const script = `printf '${ESC}[31mred${ESC}[0m\\r\\n10%%\\r100%%\\r\\ntoken gh${ESC}[1mp_${token.slice(4)}\\r\\n'; exit 0`;
    const harness = aHarness({ argv: sh(script), restart: 'no' });
    const { supervisor, dir } = await openFleet(aConfig([harness]));
    await supervisor.start(harness);
    await until(() => (supervisor.phase('h') === 'stopped' ? true : undefined), 'the end');
    const log = readFileSync(join(dir, 'jobs', 'h', 'resident.log'), 'utf8');
    expect(log.split('\n').slice(1, 4)).toEqual(['red', '100%', 'token [REDACTED]']);
    expect(log).not.toContain(ESC);
  });
});

describe('input', () => {
  test('that the process does not take is dropped and told, costs the daemon nothing, and is taken again when it does', async () => {
    const harness = aHarness({ argv: sh('stty raw -echo; echo deaf; sleep 0.7; exec cat > got') });
    const { supervisor, dir } = await openFleet(aConfig([{ ...harness, workdir: '/tmp' }]));
    await supervisor.start({ ...harness, workdir: dir });
    const terminal = supervisor.terminal('h');
    const seen = watch(terminal.attach());
    await until(() => (seen().includes('deaf') ? true : undefined), 'the terminal');
    const taken = Array.from({ length: 20 }, () => terminal.write(Buffer.alloc(16_384, 'x')));
    expect(taken).toContain(false);
    await until(() => (seen().includes('takes no input') ? true : undefined), 'the word that it was dropped');
    await until(() => (readFileSync(join(dir, 'got'), { encoding: 'utf8', flag: 'a+' }).length > 0 ? true : undefined), 'what was kept');
    await until(() => (terminal.write(Buffer.from('late')) ? true : undefined), 'the terminal to take input');
    await until(() => (readFileSync(join(dir, 'got'), 'utf8').endsWith('late') ? true : undefined), 'what was typed later');
  });
});

describe('what an operator wants of residents', () => {
  test('outlives the daemon: enabled ones start with it, disabled ones do not, until the configuration says otherwise', async () => {
    const [a, b] = [aHarness({ name: 'a', enabled: true }), aHarness({ name: 'b' })];
    const first = await openFleet(aConfig([a, b]));
    await first.supervisor.enable(a, false);
    await first.supervisor.enable(b, true);
    const { intents } = await first.held.store.write('readFleet', { since: '' });
    expect(intents).toEqual([
      { harness: 'a', enabled: { wanted: false, declared: true }, stopped: false },
      { harness: 'b', enabled: { wanted: true, declared: false }, stopped: false },
    ]);
    first.supervisor.autostart();
    await until(() => (first.supervisor.phase('b') === 'running' ? true : undefined), 'b');
    expect(first.supervisor.phase('a')).toBe('stopped');
    expect(first.supervisor.isEnabled({ ...b, enabled: true })).toBe(true);
    expect(first.supervisor.isEnabled({ ...a, enabled: false })).toBe(false);
    expect(first.supervisor.isEnabled({ ...a, enabled: true })).toBe(false);
  });

  test('enabling one does not start it, not even when something else changes', async () => {
    const harness = aHarness();
    const { supervisor, configure } = await openFleet(aConfig([harness]));
    supervisor.autostart();
    await supervisor.enable(harness, true);
    configure(aConfig([harness, aHarness({ name: 'other' })]));
    expect(supervisor.phase('h')).toBe('stopped');
  });

  test('nothing starts once the fleet is shut down, whatever was on its way', async () => {
    const harness = aHarness();
    const shot = aShot('sleep 300', { name: 's' });
    const { supervisor } = await openFleet(aConfig([harness, shot]));
    const starting = supervisor.start(harness);
    const stopping = supervisor.shutdown();
    await Promise.all([starting, stopping]);
    await supervisor.start(harness);
    await supervisor.restart(harness);
    expect(await supervisor.fire(shot, 'manual')).toEqual({ decision: 'refused', reason: 'shutting_down' });
    expect(supervisor.active()).toEqual([]);
  });

  test('what is defined no longer keeps no screen', async () => {
    const harness = aHarness({ restart: 'no', argv: sh('echo once; exit 0') });
    const { supervisor, configure } = await openFleet(aConfig([harness]));
    await supervisor.start(harness);
    const before = supervisor.terminal('h');
    await until(() => (supervisor.phase('h') === 'stopped' ? true : undefined), 'the end');
    configure(aConfig([]));
    expect(supervisor.terminal('h')).not.toBe(before);
  });

  test('a stop holds over a restart of the daemon for unless-stopped, and for no other', async () => {
    const harnesses = [aHarness({ name: 'a', enabled: true, restart: 'unless-stopped' }), aHarness({ name: 'b', enabled: true })];
    const { supervisor } = await openFleet(aConfig(harnesses));
    for (const { name } of harnesses) await supervisor.stop(name);
    supervisor.autostart();
    await until(() => (supervisor.phase('b') === 'running' ? true : undefined), 'b');
    expect(supervisor.phase('a')).toBe('stopped');
  });

  test('a new configuration leaves what runs alone, starts what is newly enabled, and ends what it no longer defines', async () => {
    const [a, b, c] = [aHarness({ name: 'a' }), aHarness({ name: 'b' }), aHarness({ name: 'c', enabled: true })];
    const { supervisor, configure, records } = await openFleet(aConfig([a, b]));
    await supervisor.start(a);
    await supervisor.start(b);
    const pid = supervisor.active().find(({ key }) => key.harness === 'a')?.pid;
    configure(aConfig([{ ...a, argv: ['cat', '-u'] }, c]));
    await until(() => (supervisor.phase('c') === 'running' ? true : undefined), 'c');
    await until(() => (supervisor.phase('b') === 'stopped' ? true : undefined), 'the end of b');
    expect(supervisor.active().find(({ key }) => key.harness === 'a')?.pid).toBe(pid);
    expect(await records('b')).toMatchObject([{ outcome: 'cancelled', reason: 'reload' }]);
    expect(await records('c')).toMatchObject([{ trigger: 'autostart' }]);
  });

  test('a one-shot that became a resident is ended before the resident starts', async () => {
    const shot = aShot('sleep 300');
    const { supervisor, configure, records } = await openFleet(aConfig([shot]));
    await supervisor.fire(shot, 'manual');
    const resident = aHarness();
    configure(aConfig([resident]));
    await supervisor.start(resident);
    expect((await records()).map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ['oneshot', 'cancelled'],
      ['resident', undefined],
    ]);
  });
});

test('a resident that became a one-shot is ended before the one-shot starts', async () => {
  const resident = aHarness();
  const { supervisor, configure, records } = await openFleet(aConfig([resident]));
  await supervisor.start(resident);
  const shot = aShot('exit 0');
  configure(aConfig([shot]));
  const firing = await supervisor.fire(shot, 'manual');
  if (firing.decision === 'started') await firing.done;
  expect((await records()).map(({ kind, outcome, reason }) => [kind, outcome, reason])).toEqual([
    ['resident', 'cancelled', 'reload'],
    ['oneshot', 'success', undefined],
  ]);
});

describe('holds', () => {
  const hours = parseOperatingHours('Mon-Fri 08:00-18:00 UTC');
  const hoursOf = hours._tag === 'Right' ? { operating_hours: hours.right } : {};

  test('a resident outside its hours waits for them, runs within them, and is ended when they close', async () => {
    let now = Date.UTC(2026, 8, 28, 7, 59, 50);
    const harness = aHarness(hoursOf);
    const { supervisor, records, configure } = await openFleet(aConfig([harness]), { world: testWorld(() => now) });
    expect(await supervisor.start(harness)).toMatchObject({ phase: 'stopped', holds: ['hours'], wanted: true });
    expect(await records()).toEqual([]);
    now = Date.UTC(2026, 8, 28, 8, 0, 1);
    configure(aConfig([harness]));
    await until(() => (supervisor.phase('h') === 'running' ? true : undefined), 'the opening');
    now = Date.UTC(2026, 8, 28, 18, 0, 0);
    configure(aConfig([harness]));
    await until(() => (supervisor.phase('h') === 'stopped' ? true : undefined), 'the closing');
    expect(await records()).toMatchObject([{ trigger: 'release', outcome: 'cancelled', reason: 'hours' }]);
    expect(supervisor.view('h')).toMatchObject({ wanted: true, holds: ['hours'] });
  });

  test('a resident whose day is spent is not started again until the next', async () => {
    let now = Date.UTC(2026, 8, 28, 12, 0, 0);
    const harness = aHarness({ argv: sh('exit 0'), max_runs_per_day: 3 });
    const { supervisor, records, configure } = await openFleet(aConfig([harness]), { world: testWorld(() => now) });
    await supervisor.start(harness);
    await until(() => {
      now += 1_000;
      configure(aConfig([harness]));
      return supervisor.view('h').holds.includes('budget') && supervisor.phase('h') === 'stopped' ? true : undefined;
    }, 'the hold');
    expect(await records()).toHaveLength(3);
    await supervisor.restart(harness);
    expect(await records()).toHaveLength(3);
    now += 24 * 3_600_000;
    configure(aConfig([harness]));
    await until(async () => ((await records()).length > 3 ? true : undefined), 'the next day');
    expect((await records())[3]).toMatchObject({ trigger: 'release' });
  });
});
