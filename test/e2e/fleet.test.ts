// A fleet as an operator has it: residents under a real daemon, attached to from a real terminal, projects, the scratchpad,
// schedules and drop-ins, through the CLI.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type IPty, spawn } from 'node-pty';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunRecord } from '../../src/core/run/record.js';
import { CLI, isAlive, makeRig, type Rig, until } from '../support/rig.js';
import { verifies } from '../support/verifies.js';

let rig: Rig;
beforeEach(() => {
  rig = makeRig();
});
afterEach(() => rig.dispose());

const rows = async () => (await rig.daemon().control.list({})).harnesses;
const stateOf = async (name: string): Promise<string | undefined> => (await rows()).find((row) => row.name === name)?.state;
const inState = (name: string, state: string): Promise<true> =>
  until(async () => ((await stateOf(name)) === state ? true : undefined), `${name} to be ${state}`);
const pidOf = async (harness: string): Promise<number> => Number((await rig.daemon().control.describe({ harness })).pid);

const ECHO = `
[harness.echo]
harness = "command"
argv = ["sh", "-c", "echo ready; exec cat"]
enabled = true
restart_delay = "20ms"
`;

/** The CLI on a terminal of its own. */
const terminal = (...args: readonly string[]): { readonly pty: IPty; readonly seen: () => string; readonly code: Promise<number> } => {
  const pty = spawn(process.execPath, [CLI, ...args], { cols: 90, rows: 30, env: { ...rig.env } });
  let text = '';
  pty.onData((data) => {
    text += data;
  });
  return { pty, seen: () => text.replace(/\r+\n/g, '\n'), code: new Promise((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode))) };
};

const sees = ({ seen }: { readonly seen: () => string }, what: string): Promise<true> =>
  until(() => (seen().includes(what) ? true : undefined), `"${what}" on the terminal, which shows ${JSON.stringify(seen().slice(-400))}`);

describe('a resident', () => {
  test('starts with the daemon, is stopped and started by hand, and leaves nothing when the daemon stops', async () => {
    rig.configure(ECHO);
    await rig.start();
    await inState('echo', 'running');
    const first = await pidOf('echo');
    expect((await rig.cli('stop', 'echo')).stdout).toBe('echo: stopped\n');
    expect(isAlive(first)).toBe(false);
    expect((await rig.cli('start', 'echo')).stdout).toMatch(/^echo: running, run 2, pid \d+\n$/);
    expect((await rig.cli('restart', 'echo')).stdout).toMatch(/^echo: running, run 3, pid \d+\n$/);
    const last = await pidOf('echo');
    await rig.stop();
    expect(isAlive(last)).toBe(false);
    expect((await rig.cli('runs', 'echo', '--json')).stdout).toContain('"reason":"shutdown"');
  });

  test('is ended by the next daemon when its own was killed, closed as a crash, and started again', async () => {
    // Losing its terminal ends a process that does not expect it.
    rig.configure(ECHO.replace('echo ready; exec cat', "trap '' HUP; exec sleep 600"));
    await rig.start();
    await inState('echo', 'running');
    const before = await pidOf('echo');
    await rig.stop('SIGKILL');
    expect(isAlive(before)).toBe(true);
    await rig.start();
    await inState('echo', 'running');
    expect(isAlive(before)).toBe(false);
    const [second, first] = await rig.runs('echo');
    expect(first).toMatchObject({ kind: 'resident', trigger: 'autostart', outcome: 'interrupted', reason: 'daemon_crash' });
    expect(first?.ended_at).toBeUndefined();
    expect(second).toMatchObject({ trigger: 'autostart', outcome: 'running' });
  });

  test('is seen and typed to by whoever attaches, until the detach key; read-only takes no key', async () => {
    rig.configure(ECHO);
    await rig.start();
    await inState('echo', 'running');
    const reader = terminal('attach', 'echo', '--read-only');
    const writer = terminal('attach', 'echo');
    await sees(writer, 'ready');
    await sees(reader, 'ready');
    reader.pty.write('not heard\r');
    writer.pty.write('heard\r');
    await sees(reader, 'heard\nheard');
    writer.pty.write('\u001d');
    reader.pty.write('\u001d');
    expect(await writer.code).toBe(0);
    expect(await reader.code).toBe(0);
    expect(writer.seen()).toContain('detached from echo; it goes on');
    expect(reader.seen()).not.toContain('not heard\nnot heard');
    expect(await stateOf('echo')).toBe('running');
    expect((await rig.cli('logs', 'echo')).stdout).not.toContain('not heard');
  });

  test('takes the size of the terminal that attaches, and tells it when it ends and begins again', async () => {
    rig.configure(
      '[harness.size]\nharness = "command"\nargv = ["sh", "-c", "stty size; read line; stty size; exit 1"]\nrestart_delay = "1s"\n',
    );
    await rig.start();
    await rig.cli('start', 'size');
    const viewer = terminal('attach', 'size');
    await sees(viewer, '40 120');
    viewer.pty.write('\r');
    await sees(viewer, '30 90');
    await sees(viewer, 'size: exit code 1');
    await sees(viewer, 'size: running');
    viewer.pty.write('\u001d');
    expect(await viewer.code).toBe(0);
  });

  test('that flaps is shown as degraded and given up; a hand-made start tells what went wrong', async () => {
    rig.configure('[harness.bad]\nharness = "command"\nargv = ["sh", "-c", "echo why; exit 9"]\nrestart_delay = "10ms"\n');
    await rig.start();
    await rig.cli('start', 'bad');
    await inState('bad', 'failed');
    expect((await rig.runs('bad')).map(({ exit_code }) => exit_code)).toEqual([9, 9, 9, 9, 9]);
    expect((await rig.cli('logs', 'bad')).stdout).toContain('why');
    rig.configure('[harness.bad]\nharness = "command"\nargv = ["/no/such/program"]\nrestart = "on-failure"\n');
    await rig.cli('reload');
    const failed = await rig.cli('start', 'bad');
    expect([failed.code, failed.stderr]).toEqual([1, 'harness start failed: bad: restarting (harness logs bad)\n']);
  });

  test('is enabled and disabled over the configuration, and that outlives the daemon', async () => {
    rig.configure(ECHO);
    await rig.start();
    await inState('echo', 'running');
    expect((await rig.cli('disable', 'echo', '--now')).stdout).toBe('echo: no longer starts with the daemon (stopped now)\n');
    await rig.stop();
    await rig.start();
    expect((await rows())[0]).toMatchObject({ state: 'stopped', enabled: false, kind: 'resident' });
    expect((await rig.cli('enable', 'echo', '--now')).stdout).toBe('echo: starts with the daemon (running now)\n');
  });

  test('outside its hours is held, and says so', async () => {
    const day = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][(new Date().getUTCDay() + 3) % 7];
    rig.configure(`${ECHO}operating_hours = "${day} 08:00-09:00 UTC"\n`);
    await rig.start();
    expect((await rig.cli('start', 'echo')).stdout).toBe('echo: held: outside its operating hours; it starts when that ends\n');
    expect((await rows())[0]).toMatchObject({ state: 'stopped', holds: ['hours'] });
  });
});

test('a daemon on a copy of a store that is in use ends nothing of the daemon it was copied from', async () => {
  rig.configure(ECHO);
  await rig.start();
  await inState('echo', 'running');
  const pid = await pidOf('echo');
  const copy = rig.path('copy.db');
  expect((await rig.cli('store', 'backup', copy)).code).toBe(0);
  const other = makeRig();
  try {
    other.configure('');
    expect((await other.cli('store', 'restore', copy, '--yes')).code).toBe(0);
    await other.start();
    expect((await other.runs('echo'))[0]).toMatchObject({ outcome: 'interrupted', reason: 'daemon_crash' });
  } finally {
    await other.dispose();
  }
  expect([isAlive(pid), await stateOf('echo')]).toEqual([true, 'running']);
});

test('a daemon that finds its socket taken has started nothing', async () => {
  const holder = createServer().listen(rig.socket);
  rig.configure(`${ECHO}[harness.tick]\nharness = "command"\nargv = ["true"]\nschedule = "* * * * * *"\n`);
  await expect(rig.start()).rejects.toThrow('socket');
  expect(rig.log()).not.toContain('run_started');
  await new Promise((resolve) => holder.close(resolve));
  await rig.start();
  await until(async () => ((await rig.runs('tick')).length > 0 ? true : undefined), 'the first firing');
  await rig.stop();
  const again = createServer().listen(rig.socket);
  await expect(rig.start()).rejects.toThrow('socket');
  expect(rig.log()).not.toContain('run_started');
  await new Promise((resolve) => again.close(resolve));
});

test('a command works from a directory that is no more', () => {
  const gone = rig.path('gone');
  mkdirSync(gone);
  const said = spawnSync('sh', ['-c', 'cd "$1" && rmdir "$1" && "$2" "$3" --version', 'sh', gone, process.execPath, CLI], {
    env: rig.env,
    encoding: 'utf8',
  });
  expect([said.status, said.stderr]).toEqual([0, '']);
});

test('a one-shot has no terminal: it cannot be attached to, restarted or enabled, and each refusal names what can be done', async () => {
  rig.configure('[harness.shot]\nharness = "command"\nargv = ["sleep", "60"]\nrestart = "no"\n');
  await rig.start();
  await rig.cli('trigger', 'shot');
  const refusals = await Promise.all([rig.cli('attach', 'shot'), rig.cli('restart', 'shot'), rig.cli('enable', 'shot')]);
  expect(refusals.map(({ code }) => code)).toEqual([1, 1, 1]);
  const deaf = spawnSync(process.execPath, [CLI, 'attach', 'shot'], { env: rig.env, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  expect([deaf.status, deaf.stderr]).toEqual([1, refusals[0]?.stderr]);
  const described = await rig.cli('describe', 'shot');
  expect(described.stdout).toContain('\ntimeout: 1h\n');
  expect(refusals[0]?.stderr).toContain('it has no terminal, and takes no input (harness logs shot --follow)');
  expect(refusals[1]?.stderr).toContain('(harness trigger shot)');
});

describe('projects', () => {
  const project = (text: string): string => {
    mkdirSync(rig.path('src', 'api', 'deep'), { recursive: true });
    writeFileSync(rig.path('src', 'api', 'harness.toml'), text);
    return rig.path('src', 'api', 'deep');
  };
  const PAIR = '[harness.pair]\nharness = "command"\nargv = ["sh", "-c", "pwd; exec cat"]\n';
  const SHOT = '[harness.check]\nharness = "command"\nargv = ["true"]\nrestart = "no"\n';

  test('are brought up from their file, run in their directory, come back with the daemon, and are taken away', async () => {
    rig.configure('');
    await rig.start();
    const place = project(PAIR + SHOT);
    expect((await rig.cli('up', place)).stdout).toBe(`api is up from ${rig.path('src/api/harness.toml')}: api/pair, api/check\n`);
    await inState('api/pair', 'running');
    expect(await rig.run('api/check')).toMatchObject({ outcome: 'success', harness: 'api/check' });
    expect((await rig.cli('logs', 'api/pair')).stdout).toContain(rig.path('src/api'));
    await rig.stop();
    await rig.start();
    await inState('api/pair', 'running');
    const pid = await pidOf('api/pair');
    expect((await rig.cli('down', 'api')).stdout).toBe('api is down: api/pair, api/check\n');
    expect([isAlive(pid), await rows()]).toEqual([false, []]);
    const again = await rig.cli('down', 'api');
    expect(again.stderr).toBe('harness unknown project: no project "api" is up (harness up)\n');
  });

  test('replace what they had as a whole or not at all, and keep their name to themselves', async () => {
    rig.configure('');
    await rig.start();
    const place = project(PAIR + SHOT);
    await rig.cli('up', place);
    await inState('api/pair', 'running');
    project(`${SHOT}\n[harness.more]\nharness = "command"\nargv = ["true"]\nschedule = "@daily"\n`);
    const refused = await rig.cli('up', place);
    expect(refused.stderr).toContain('harness.toml:9: harness "more": "schedule" is global-only');
    expect((await rows()).map(({ name }) => name)).toEqual(['api/pair', 'api/check']);
    project(SHOT);
    expect((await rig.cli('up', place)).stdout).toContain('no longer there: api/pair');
    await until(async () => ((await rig.runs('api/pair'))[0]?.reason === 'reload' ? true : undefined), 'the end of what is gone');
    mkdirSync(rig.path('other', 'api'), { recursive: true });
    writeFileSync(rig.path('other', 'api', 'harness.toml'), SHOT);
    expect((await rig.cli('up', rig.path('other/api'))).stderr).toContain(`the project "api" is up from ${rig.path('src/api')}`);
    const down = spawnSync(process.execPath, [CLI, 'down'], { cwd: rig.path('other/api'), env: rig.env, encoding: 'utf8' });
    expect([down.status, down.stderr]).toEqual([1, expect.stringContaining(`is up from ${rig.path('src/api')}, not from`)]);
    expect((await rows()).map(({ name }) => name)).toEqual(['api/check']);
  });

  verifies(
    ['SPEC-0030/REQ-16/a-project-file-cannot-turn-it-on'],
    'that set memory_briefing are refused by harness up, which names the key as global-only',
    async () => {
      rig.configure('');
      await rig.start();
      for (const value of ['true', 'false']) {
        const place = project(`${PAIR}memory_briefing = ${value}\n`);
        const refused = await rig.cli('up', place);
        expect(refused.code).toBe(1);
        expect(refused.stderr).toContain(
          `harness.toml:4: harness "pair": "memory_briefing" is global-only: set it in the daemon's harness.toml`,
        );
      }
      expect(await rows()).toEqual([]);
    },
  );

  test('that cannot be loaded again are told, and are back after a reload once they can', async () => {
    rig.configure('[adapter.mine]\nextends = "claude-code"\nexecutable = "cat"\n');
    await rig.start();
    const place = project('[harness.pair]\nharness = "mine"\n');
    await rig.cli('up', place);
    await inState('api/pair', 'running');
    await rig.stop();
    rig.configure('');
    await rig.start();
    expect(await rows()).toEqual([]);
    expect((await rig.cli('status')).stderr).toContain(
      'projects that cannot be loaded again:\napi: harness "pair": "harness" = "mine" names no adapter',
    );
    rig.configure('[adapter.mine]\nextends = "claude-code"\nexecutable = "cat"\n');
    await rig.cli('reload');
    await inState('api/pair', 'running');
    const pid = await pidOf('api/pair');
    rig.configure('');
    await rig.cli('reload');
    expect((await rig.cli('status')).stderr).toContain('names no adapter');
    expect([await stateOf('api/pair'), await pidOf('api/pair')]).toEqual(['running', pid]);
  });

  test('are refused over the wire under names that no file could have, and one name is taken once', async () => {
    rig.configure('');
    await rig.start();
    const { control } = rig.daemon();
    const definitionJson = JSON.stringify({ harness: 'command', argv: ['true'], restart: 'no' });
    const up = (name: string, root = '/p', names: readonly string[] = ['one']): Promise<string> =>
      control.projectUp({ name, root, harnesses: names.map((each) => ({ name: each, definitionJson })) }).then(
        () => 'up',
        (error: Error) => error.message,
      );
    for (const name of ['../../escape', '', 'scratch', 'A B', 'p/q', '..'])
      expect(await up(name)).toContain('cannot be the name of a project');
    expect(await up('p', 'relative')).toContain('must be an absolute path');
    expect(await up('p', '/p', ['one', 'one'])).toContain('defines "one" twice');
    expect(await rows()).toEqual([]);
    const both = await Promise.all([up('p', '/a'), up('p', '/b')]);
    expect(both[0]).toBe('up');
    expect(both[1]).toContain('the project "p" is up from /a');
  });

  test('that went down were not stopped by anybody: what restarts unless it was stopped is there again when they come up', async () => {
    rig.configure('');
    await rig.start();
    const place = project(`${PAIR}restart = "unless-stopped"\n`);
    await rig.cli('up', place);
    await inState('api/pair', 'running');
    await rig.cli('down', 'api');
    await rig.cli('up', place);
    await inState('api/pair', 'running');
  });

  test('cannot say over the wire what their file may not say: the daemon checks again, and registers nothing', async () => {
    rig.configure('');
    await rig.start();
    const definitions = {
      good: { harness: 'command', argv: ['true'] },
      bad: { harness: 'command', argv: ['true'], env: {}, loadout: '', later: 1, workdir: 'here' },
    };
    const harnesses = Object.entries(definitions).map(([name, definition]) => ({ name, definitionJson: JSON.stringify(definition) }));
    const { control } = rig.daemon();
    const refusal = await control.projectUp({ name: 'p', root: '/p', harnesses }).then(String, (error: Error) => error.message);
    expect(refusal).toContain('harness "bad": "env" is global-only');
    expect(refusal).toContain('harness "bad": "loadout" is global-only');
    expect(refusal).toContain('harness "bad": "workdir" must be an absolute path here');
    expect(refusal).not.toContain('later');
    expect(await rows()).toEqual([]);
  });
});

describe('the scratchpad', () => {
  test('runs a command to its end, a client on a terminal, and forgets both on request', async () => {
    rig.configure('[adapter.fake]\nextends = "claude-code"\nexecutable = "cat"\n');
    await rig.start();
    const shot = await rig.cli('run', 'command', '--workdir', rig.dir, '--', 'sh', '-c', 'echo hi in $PWD');
    expect(shot.stdout).toBe('scratch/command: running\n');
    await inState('scratch/command', 'stopped');
    expect((await rig.cli('logs', 'scratch/command')).stdout).toContain(`hi in ${rig.dir}`);
    const client = terminal('run', 'fake', '--name', 'mine');
    await sees(client, 'attached to scratch/mine');
    client.pty.write('typed\r');
    await sees(client, 'typed\ntyped');
    client.pty.write('\u0004');
    await sees(client, 'exit code 0');
    client.pty.write('\u001d');
    expect(await client.code).toBe(0);
    expect((await rig.cli('remove', 'scratch/mine')).code).toBe(0);
    expect((await rows()).map(({ name }) => name)).toEqual(['scratch/command']);
    expect(await rig.runs('scratch/mine')).toHaveLength(1);
  });

  test('gives each run a free name, and refuses what it does not know', async () => {
    rig.configure('');
    await rig.start();
    expect((await rig.cli('run', 'command', '--', 'sleep', '60')).stdout).toBe('scratch/command: running\n');
    expect((await rig.cli('run', 'command', '--', 'sleep', '60')).stdout).toBe('scratch/command-2: running\n');
    expect((await rig.cli('run', 'vim')).stderr).toContain('"harness" = "vim" names no adapter');
    expect((await rig.cli('remove', 'scratch/command')).stderr).toContain('"scratch/command" runs (harness stop scratch/command)');
  });
});

test('a schedule fires, is listed with its next window, and queues what overlaps', async () => {
  rig.configure('[harness.tick]\nharness = "command"\nargv = ["true"]\nschedule = "* * * * * *"\non_overlap = "queue"\n');
  await rig.start();
  await until(async () => ((await rig.runs('tick')).length >= 2 ? true : undefined), 'two firings');
  const runs: readonly RunRecord[] = await rig.runs('tick');
  expect(runs.every(({ trigger, outcome }) => trigger === 'schedule' && (outcome as string) !== 'failed')).toBe(true);
  expect(new Set(runs.map(({ window }) => window)).size).toBe(runs.length);
  expect((await rows())[0]?.nextAt).toMatch(/^20/);
  expect((await rig.cli('list')).stdout).toMatch(/tick .* next 20/);
});

describe('drop-ins', () => {
  test('are part of the configuration; a reload that they break changes nothing and says why', async () => {
    mkdirSync(rig.path('harness.d'));
    rig.configure('[server]\nharness_d = "harness.d"\n[harness.one]\nharness = "command"\nargv = ["true"]\nrestart = "no"\n');
    writeFileSync(rig.path('harness.d', 'two.toml'), '[harness.two]\nharness = "command"\nargv = ["true"]\nrestart = "no"\n');
    await rig.start();
    expect((await rows()).map(({ name }) => name)).toEqual(['one', 'two']);
    expect((await rig.cli('config', 'show')).stdout).toMatch(/\[harness\.two\] +argv +\["true"\] +\S*two\.toml:3/);
    renameSync(rig.path('harness.d'), rig.path('gone'));
    const reload = await rig.cli('reload');
    expect([reload.code, reload.stderr]).toEqual([1, expect.stringContaining('which does not exist')]);
    expect((await rows()).map(({ name }) => name)).toEqual(['one', 'two']);
    expect((await rig.cli('status')).stderr).toContain('"harness_d" names');
    expect(await rig.run('two')).toMatchObject({ outcome: 'success' });
    renameSync(rig.path('gone'), rig.path('harness.d'));
    expect((await rig.cli('reload')).code).toBe(0);
  });
});

test('the log of a resident is one file for all its runs, private, and read with the daemon down', async () => {
  rig.configure(ECHO);
  await rig.start();
  await inState('echo', 'running');
  await until(async () => ((await rig.cli('logs', 'echo')).stdout.includes('ready') ? true : undefined), 'the first line');
  await rig.stop();
  const log = readFileSync(join(rig.jobs, 'echo', 'resident.log'), 'utf8');
  expect(log).toMatch(/^harness: run 1 started \(autostart, pid \d+\)\nready\n/);
  expect((await rig.cli('logs', 'echo')).stdout).toBe(log);
});
