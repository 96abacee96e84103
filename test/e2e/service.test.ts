// The daemon as a service: what is written, what the manager is asked, what is never touched, and that what was written runs.
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runServiceInstall } from '../../src/cli/commands/service-install.js';
import { runServiceStatus } from '../../src/cli/commands/service-status.js';
import { runServiceUninstall } from '../../src/cli/commands/service-uninstall.js';
import { ownService } from '../../src/cli/own-service.js';
import type { Session } from '../../src/cli/session.js';
import { statePaths } from '../../src/shell/files/state-paths.js';
import { type FakeManagers, fakeManagers } from '../support/fake-managers.js';
import { CLI, makeRig, type Rig, until } from '../support/rig.js';

let rig: Rig;
let fakes: FakeManagers;
let unit: string;
let log: string;

beforeEach(() => {
  rig = makeRig();
  fakes = fakeManagers(rig.dir);
  unit = rig.path('xdg-config', 'systemd', 'user', 'harness.service');
  log = rig.path('state', 'harness', 'daemon.log');
});
afterEach(() => rig.dispose());

const withFakes = () => ({ PATH: [fakes.bin, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter) });
const service = (...args: readonly string[]) => rig.cliWith(withFakes(), 'service', ...args);
const state = async () => JSON.parse((await service('status', '--json')).stdout) as Record<string, unknown>;

describe.runIf(process.platform === 'linux')('with systemd', () => {
  test('install writes a private unit and starts it; uninstall stops it and leaves nothing', async () => {
    const installed = await service('install');
    expect(installed).toMatchObject({ code: 0, stdout: `wrote ${unit}\nthe daemon runs: harness service status\n` });
    expect(installed.stderr).toBe('the daemon stops when you log out, unless you say: loginctl enable-linger\n');
    expect(statSync(unit).mode & 0o777).toBe(0o600);
    expect(fakes.asked()).toEqual(['systemctl --user daemon-reload', 'systemctl --user enable --now harness.service']);
    expect(await state()).toMatchObject({ installed: true, up_to_date: true, enabled: true, active: 'active', linger: false });

    expect(await service('uninstall')).toMatchObject({ code: 0, stdout: `removed ${unit}\n`, stderr: '' });
    expect(fakes.asked().slice(2)).toEqual(['systemctl --user disable --now harness.service', 'systemctl --user daemon-reload']);
    expect([existsSync(unit), (await state())['installed']]).toEqual([false, false]);
    expect(await service('uninstall')).toMatchObject({ code: 0, stdout: `no service is installed: there is no ${unit}\n` });
  });

  test('install again changes nothing; with other settings it says how they take effect', async () => {
    await service('install');
    const before = readFileSync(unit, 'utf8');
    expect((await service('install')).stdout).toContain(`${unit} is up to date`);
    expect(readFileSync(unit, 'utf8')).toBe(before);
    writeFileSync(rig.path('linger'), '');
    const other = await rig.cliWith({ ...withFakes(), TZ: 'Asia/Tokyo' }, 'service', 'install');
    expect(other).toMatchObject({
      stdout: expect.stringContaining(`wrote ${unit}`),
      stderr: 'the daemon still runs as it was started; to restart it: systemctl --user restart harness.service\n',
    });
    expect(readFileSync(unit, 'utf8')).toContain('Environment=TZ=Asia/Tokyo');
    expect((await service('status')).stderr).toBe('');
    const moved = { ...withFakes(), HARNESS_CONFIG: rig.path('other.toml') };
    expect((await rig.cliWith(moved, 'service', 'status')).stderr).toBe('it would be written otherwise now: harness service install\n');
  });

  test('--no-start enables only', async () => {
    expect((await service('install', '--no-start')).stdout).toBe(`wrote ${unit}\nthe daemon was not started\n`);
    expect(fakes.asked().at(-1)).toBe('systemctl --user enable harness.service');
  });

  test('a unit of somebody else is replaced only by force, and never removed', async () => {
    mkdirSync(dirname(unit), { recursive: true });
    writeFileSync(unit, '[Service]\nExecStart=/bin/true\n');
    const refused = await service('install');
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toBe(
      `harness foreign service: ${unit} is there and was not written by Harness (harness service install --force)\n`,
    );
    expect((await service('uninstall')).code).toBe(1);
    expect(readFileSync(unit, 'utf8')).toBe('[Service]\nExecStart=/bin/true\n');
    expect([fakes.asked(), (await state())['foreign']]).toEqual([[], true]);
    expect((await service('install', '--force')).code).toBe(0);
    expect((await service('uninstall')).code).toBe(0);
  });

  test('without systemctl the unit is written all the same, with what to run', async () => {
    const lonely = fakeManagers(rig.path('lonely'), ['systemctl', 'loginctl']);
    const alone = { PATH: lonely.bin };
    const { code, stdout } = await rig.cliWith(alone, 'service', 'install');
    expect([code, stdout]).toEqual([
      0,
      `wrote ${unit}, but systemd did not take it up: systemctl was not found\nnext: systemctl --user daemon-reload && systemctl --user enable --now harness.service\n`,
    ]);
    expect((await rig.cliWith(alone, 'service', 'status')).stdout).toContain('state: unknown, not enabled');
    const wish = join(dirname(unit), 'default.target.wants', 'harness.service');
    mkdirSync(dirname(wish));
    symlinkSync(unit, wish);
    const removed = await rig.cliWith(alone, 'service', 'uninstall');
    expect(removed.stderr).toContain('if the daemon runs: systemctl --user stop harness.service');
    expect([existsSync(unit), existsSync(wish)]).toEqual([false, false]);
  });

  test('a variable that holds a credential is left out, and named', async () => {
    const proxies = { HTTPS_PROXY: 'http://ada:geheim@proxy.example:3128', NO_PROXY: 'localhost' };
    const { stderr } = await rig.cliWith({ ...withFakes(), ...proxies }, 'service', 'install');
    const text = readFileSync(unit, 'utf8');
    expect([text.includes('geheim'), text.includes('Environment=NO_PROXY=localhost')]).toEqual([false, true]);
    expect(stderr).toContain('HTTPS_PROXY carries a credential and was left out');
  });

  test('what was written runs, answers and logs', async () => {
    rig.configure('');
    await service('install');
    const line = /^ExecStart=(.*)$/m.exec(readFileSync(unit, 'utf8'))?.[1] ?? '';
    const daemon = await spawned(line.split(' '));
    try {
      const { daemon: answer } = (await state()) as { daemon: { pid: number } };
      expect(answer).toMatchObject({ answers: true, pid: daemon.pid });
      expect(statSync(log).mode & 0o777).toBe(0o600);
      const logs = await service('logs');
      expect(logs.stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ info {2}daemon_started version=.* pid=\d+$/m);
      expect((await service('logs', '--lines', '1', '--json')).stdout).toBe(`${readFileSync(log, 'utf8').trimEnd().split('\n').at(-1)}\n`);
    } finally {
      daemon.kill('SIGTERM');
      await new Promise((resolve) => daemon.once('exit', resolve));
    }
    expect((await service('logs', '-n', '1')).stdout).toMatch(/daemon_stopped\n$/);
  });

  /** The command line of the unit, in the environment that systemd would give it. */
  const spawned = async ([program = '', ...args]: readonly string[]): Promise<ChildProcess> => {
    const { HOME, XDG_STATE_HOME, XDG_CONFIG_HOME } = rig.env;
    const env = { HOME, XDG_STATE_HOME, XDG_CONFIG_HOME, PATH: process.env['PATH'] };
    const child = spawn(program, args, { env, stdio: 'ignore' });
    await until(() => (existsSync(log) && readFileSync(log, 'utf8').includes('daemon_started') ? true : undefined), 'the daemon');
    return child;
  };
});

describe('with launchd', () => {
  const said: string[] = [];
  const session = (): Session => ({
    paths: statePaths(rig.env),
    configFile: rig.configFile,
    json: false,
    color: false,
    print: (text) => said.push(text),
    notice: (text) => said.push(text),
  });
  const agent = () => ownService(session(), 'darwin', { env: { HOME: rig.path('home'), PATH: fakes.bin }, uid: 501 });

  test('install loads the agent, uninstall unloads and removes it', async () => {
    const file = rig.path('home', 'Library', 'LaunchAgents', 'harness.daemon.plist');
    runServiceInstall(session(), { start: true, force: false }, agent());
    expect(fakes.asked()).toEqual(['launchctl enable gui/501/harness.daemon', `launchctl bootstrap gui/501 ${file}`]);
    expect(readFileSync(file, 'utf8')).toContain(`<string>${log}</string>`);
    await runServiceStatus(session(), agent());
    expect(said.splice(0).join('\n')).toContain('state: running, enabled');
    runServiceInstall(session(), { start: true, force: false }, agent());
    expect(fakes.asked().length).toBe(2);
    runServiceUninstall(session(), agent());
    expect([fakes.asked().at(-1), existsSync(file)]).toEqual(['launchctl bootout gui/501/harness.daemon', false]);
  });
});

describe('its log', () => {
  test('is followed across the files it is set aside in', async () => {
    mkdirSync(dirname(log), { recursive: true });
    const entry = (n: number): string => `${JSON.stringify({ level: 30, time: '2026-09-30T10:00:00.000Z', n, msg: 'tick' })}\n`;
    writeFileSync(`${log}.1`, entry(1) + entry(2));
    writeFileSync(log, entry(3));
    expect((await service('logs', '-n', '2')).stdout).toBe('2026-09-30 10:00:00Z info  tick n=2\n2026-09-30 10:00:00Z info  tick n=3\n');
    const seen: string[] = [];
    const follower = spawn(process.execPath, [CLI, 'service', 'logs', '-f', '-n', '1'], { env: rig.env });
    follower.stdout.on('data', (chunk: Buffer) => seen.push(chunk.toString()));
    const numbers = (): string => [...seen.join('').matchAll(/n=(\d+)/g)].map((match) => match[1]).join(' ');
    await until(() => (numbers() === '3' ? true : undefined), 'the last line');
    appendFileSync(log, entry(4));
    renameSync(log, `${log}.1`);
    appendFileSync(`${log}.1`, entry(5));
    writeFileSync(log, entry(6));
    await until(() => (numbers() === '3 4 5 6' ? true : undefined), 'the lines of both files');
    follower.kill('SIGINT');
    expect(await new Promise((resolve) => follower.once('exit', resolve))).toBe(0);
  });

  test('text in a field cannot steer a terminal, and what is no entry is shown', async () => {
    mkdirSync(dirname(log), { recursive: true });
    const time = '2026-09-30T10:00:00.000Z';
    writeFileSync(log, `${JSON.stringify({ level: 50, time, error: 'a\u001b[2J b\nc', msg: 'rpc_failed' })}\nnot JSON \u001b[1m\n`);
    expect((await service('logs')).stdout).toBe('2026-09-30 10:00:00Z error rpc_failed error="a\\u001b[2J b\\nc"\nnot JSON [1m\n');
  });

  test('names what cannot be opened, and what is not there', async () => {
    rig.configure('');
    expect((await rig.cli('daemon', '--log-file', rig.dir)).stderr).toBe(
      `harness log unwritable: the log file ${rig.dir} cannot be opened: it is no regular file\n`,
    );
    expect((await service('logs')).stderr).toContain(`there is no ${log} yet`);
  });

  test('tells why a daemon did not start', async () => {
    rig.configure('[harness.x]\nharness = "nothing"\n');
    expect((await rig.cli('daemon', '--log-file', log)).code).toBe(1);
    expect((await service('logs')).stdout).toMatch(/error daemon_refused code=config_invalid error=".*harness\.toml:/);
  });
});

test('a signal that comes as early as it can stops the daemon in order', async () => {
  rig.configure('[harness.watch]\nharness = "command"\nargv = ["sleep", "600"]\nenabled = true\n');
  await rig.start();
  await rig.stop();
  expect(rig.log()).toContain('"daemon_stopped"');
  expect(existsSync(`${rig.store}-wal`)).toBe(false);
});
