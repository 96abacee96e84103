// The doctor through the command line, of a host in good health and of one that is not: the whole table, and the object behind it.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CheckRow } from '../../src/core/doctor/report.js';
import { fakeManagers } from '../support/fake-managers.js';
import { goldenCases } from '../support/golden.js';
import { makeRig, type Rig, until } from '../support/rig.js';
import { SCRIPTED_ADAPTER, scriptedHarness } from '../support/scripted.js';

let rig: Rig;
let bin: string;
beforeEach(() => {
  rig = makeRig();
  bin = fakeManagers(rig.dir).bin;
  writeFileSync(rig.path('linger'), '');
});
afterEach(() => rig.dispose());

/** Its home is the rig's own directory, so that the table is as wide on every machine. */
const world = (): NodeJS.ProcessEnv => ({
  HOME: rig.dir,
  IS_SANDBOX: undefined,
  PATH: [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
});
const doctor = (...args: readonly string[]) => rig.cliWith(world(), 'doctor', ...args);
const rows = async (): Promise<readonly CheckRow[]> => (JSON.parse((await doctor('--json')).stdout) as { checks: CheckRow[] }).checks;
const client = (name: string, says: string): void => {
  const file = `${bin}/${name}`;
  writeFileSync(file, `#!/bin/sh\n${says}\n`);
  chmodSync(file, 0o755);
};

/** What differs from one host, and one moment, to the next. */
const scrub = (text: string): string =>
  text
    .replaceAll(rig.dir, '/home/ada')
    .replaceAll(dirname(process.execPath), '/usr/bin')
    .replaceAll(process.versions.node, '20.20.2')
    .replace(/\d+\.\d+\.\d+, pid \d+, up \d+ s/, '0.1.0, pid 4242, up 2 s')
    .replace(/version \d+, \d+\.\d [KM]iB, checked \d+ s ago/, 'version 5, 1.0 MiB, checked 2 s ago')
    .replace(/harness \d+\.\d+\.\d+$/m, 'harness 0.1.0')
    .replace(/next (\S+) at \S+Z/, 'next $1 at 2026-09-30T22:00:00Z');
const goldens = goldenCases('doctor');

describe('in good health', () => {
  test.runIf(process.platform === 'linux')('every row is a pass, and the exit code 0', async () => {
    client('claude', 'echo "2.1.332 (Claude Code)"');
    rig.write('triage.env', 'ANTHROPIC_API_KEY=x\n');
    rig.configure(
      `[harness.triage]\nharness = "claude-code"\nworkdir = ${JSON.stringify(rig.repo('api'))}\nenv_file = ${JSON.stringify(rig.path('triage.env'))}\nprompt = "Find a flaky test."\nschedule = "0 22 * * *"\n`,
    );
    await rig.start(world());
    expect((await rig.cliWith(world(), 'service', 'install')).code).toBe(0);
    const { code, stdout, stderr } = await doctor();
    expect([code, stdout]).toEqual([0, '']);
    goldens.hold('healthy-host', 'report.txt', scrub(stderr));

    const { summary, settings, checks } = JSON.parse((await doctor('--json')).stdout) as Record<string, Record<string, unknown>>;
    expect(summary).toEqual({ passed: 9, warned: 0, failed: 0 });
    expect(checks).toContainEqual({ status: 'ok', name: 'claude-code', detail: `2.1.332, ${bin}/claude` });
    expect(settings).toMatchObject({
      socket: { value: rig.socket, source: 'env' },
      config: { value: rig.configFile, source: 'env' },
      'memory.provider': { value: '"builtin"', source: 'default' },
    });
  });

  test('settings tell the flag from the variable, and both from the file', async () => {
    rig.write('other.toml', '[memory.episodes]\nretention = "30d"\n');
    const { stdout } = await doctor('--json', '--config', rig.path('other.toml'));
    const { settings } = JSON.parse(stdout) as { settings: Record<string, unknown> };
    expect(settings['config']).toEqual({ value: rig.path('other.toml'), source: 'flag' });
    expect(settings['memory.episodes.retention']).toEqual({ value: '"30d"', source: 'file' });
    expect(settings['memory.episodes.excerpt_chars']).toMatchObject({ source: 'default' });
  });
});

describe('in bad health', () => {
  const broken = (): string => {
    mkdirSync(rig.path('loose'));
    rig.write('open.env', 'KEY=x\n', 0o644);
    const quoted = (path: string): string => JSON.stringify(rig.path(path));
    return [
      SCRIPTED_ADAPTER,
      scriptedHarness(
        'loose',
        rig.path('loose'),
        [{ init: true }, { result: 'done' }],
        `env_file = [${quoted('open.env')}, ${quoted('none.env')}]`,
      ),
      `[harness.slash]\nharness = "claude-code"\nworkdir = ${quoted('gone')}\nprompt = " /compact now"\nuntrusted_inline = true\nbriefing_max_chars = 600\nmemory_briefing = true\n`,
      '[harness.review]\nharness = "codex"\nprompt = "Review."\n',
      '[harness.make]\nharness = "command"\nargv = ["mkae"]\nrestart = "no"\n',
      '[harness.watch]\nharness = "command"\nargv = ["false"]\nenabled = true\nrestart_delay = "10ms"\n',
    ].join('\n');
  };

  test('every finding is a row with what to do, and the exit code 1', async () => {
    client('claude', 'echo "2.0.9 (Claude Code)"');
    rig.configure(broken());
    await rig.start(world());
    for (let n = 0; n < 5; n += 1) await rig.run('loose');
    const state = async () => (await rig.daemon().control.list({})).harnesses.find(({ name }) => name === 'watch')?.state;
    await until(async () => ((await state()) === 'failed' ? true : undefined), 'the resident to be given up');
    rig.configure('[harness.x]\nharness = "nothing"\n');
    expect((await rig.cli('reload')).code).toBe(1);
    chmodSync(rig.path('state', 'harness'), 0o755);
    const { code, stdout, stderr } = await doctor();
    expect([code, stdout]).toEqual([1, '']);
    goldens.hold('broken-host', 'report.txt', scrub(stderr));
  });

  test('with the daemon down, what files and configuration show', async () => {
    rig.configure(broken());
    const { code, stderr } = await doctor();
    expect(code).toBe(1);
    goldens.hold('daemon-down', 'report.txt', scrub(stderr));
    await rig.start(world());
    await rig.stop();
    writeFileSync(rig.store, 'garbage'.repeat(1_000));
    expect(await rows()).toContainEqual(
      expect.objectContaining({ status: 'error', name: 'store', detail: expect.stringContaining('is damaged') }),
    );
    rmSync(rig.configFile);
    expect((await rows())[1]).toEqual({ status: 'error', name: 'config', detail: `there is no ${rig.configFile}`, hint: 'harness init' });
  });

  test('a client that does not answer is not waited for', async () => {
    client('claude', 'exec sleep 600');
    client('codex', 'echo broken pipe >&2; exit 3');
    rig.configure('[harness.a]\nharness = "claude-code"\nprompt = "x"\n[harness.b]\nharness = "codex"\nprompt = "x"\n');
    const told = (await rows()).filter(({ name }) => ['claude-code', 'codex'].includes(name)).map(({ status, detail }) => [status, detail]);
    expect(told).toEqual([
      ['warn', `${bin}/claude does not tell its version: no answer within 5 s`],
      ['warn', `${bin}/codex does not tell its version: broken pipe`],
    ]);
  });

  test.runIf(process.getuid?.() === 0)('as root, a harness that its client would refuse to start', async () => {
    client('claude', 'echo 2.1.332');
    const file = rig.write('s.env', 'IS_SANDBOX=1\n');
    const harness = (name: string, more: string): string =>
      `[harness.${name}]\nharness = "claude-code"\nprompt = "x"\nauto_accept = true\n${more}\n`;
    rig.configure(harness('refused', '') + harness('marked', `env_file = ${JSON.stringify(file)}`));
    const told = (await rows()).filter(({ name }) => name === 'sandbox');
    expect(told.map(({ status, detail }) => [status, detail])).toEqual([
      ['error', 'refused: claude refuses auto_accept as root, so no run can start'],
    ]);
  });

  test.runIf(process.platform === 'linux')('a service that stopped, and one that ends at logout', async () => {
    rmSync(rig.path('linger'));
    rig.configure('');
    await rig.cliWith(world(), 'service', 'install');
    rmSync(rig.path('active'));
    const told = (await rows()).filter(({ name }) => ['service', 'linger', 'daemon'].includes(name));
    expect(told.map(({ status, name, hint }) => [status, name, hint])).toEqual([
      ['error', 'daemon', 'systemctl --user restart harness.service'],
      ['warn', 'service', 'systemctl --user restart harness.service'],
      ['warn', 'linger', 'loginctl enable-linger'],
    ]);
  });
});
