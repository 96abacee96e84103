// Faults that must cost no more than themselves: a stream that names an impossible place, a prompt no process can be given, files
// that cannot be removed.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeRig, type Rig, until } from '../support/rig.js';
import { SCRIPTED_ADAPTER, scriptedHarness } from '../support/scripted.js';

let rig: Rig;
let repo: string;
beforeEach(() => {
  rig = makeRig();
  repo = rig.repo('api');
});
afterEach(() => rig.dispose());

describe('the daemon lives on', () => {
  test('when a stream names a directory that cannot be', async () => {
    const impossible = ['/a\u0000b', `/${'x'.repeat(5_000)}`, 'relative', '/does/not/exist'];
    rig.configure(
      [SCRIPTED_ADAPTER, ...impossible.map((cwd, index) => scriptedHarness(`h${index}`, repo, [{ init: cwd }, { result: 'done' }]))].join(
        '\n',
      ),
    );
    await rig.start();
    for (const [index] of impossible.entries()) expect((await rig.cli('trigger', `h${index}`, '--wait')).code).toBe(0);
    const episodes = await rig.episodes(3);
    expect(episodes.map((episode) => episode.harness).sort()).toEqual(['h0', 'h1', 'h2']);
    expect(rig.log()).toContain('"git_failed"');
  });

  test('when a prompt holds a NUL, and no log quotes it', async () => {
    const canary = 'CANARY-prompt-quokka';
    const prompt = rig.write('prompt.md', `${canary}\u0000more`);
    rig.configure(
      `[harness.a]\nharness = "command"\nworkdir = ${JSON.stringify(repo)}\nprompt_file = ${JSON.stringify(prompt)}\nargv = ["echo", "{{prompt}}"]\n`,
    );
    await rig.start();
    expect((await rig.cli('trigger', 'a', '--wait')).code).toBe(1);
    expect((await rig.runs())[0]).toMatchObject({ outcome: 'failed', reason: 'spawn' });
    const log = (await rig.cli('logs', 'a')).stdout;
    expect(log).toContain('NUL');
    expect(log + rig.log()).not.toContain(canary);
    expect(readFileSync(rig.store, 'latin1')).not.toContain(canary);
  });

  test('when a harness is removed while it runs: it can be seen, read and stopped', async () => {
    const started = rig.path('started');
    rig.configure([SCRIPTED_ADAPTER, scriptedHarness('gone', repo, [{ init: true }, { touch: started }, { sleep: 60_000 }])].join('\n'));
    await rig.start();
    await rig.cli('trigger', 'gone');
    await until(() => (existsSync(started) ? true : undefined), 'the run to start');
    rig.configure(SCRIPTED_ADAPTER);
    await rig.cli('reload');
    expect((await rig.cli('list')).stdout).toMatch(/gone +\(removed\)/);
    expect((await rig.cli('logs', 'gone')).code).toBe(0);
    expect((await rig.cli('stop', 'gone')).stdout).toContain('stopped');
    expect((await rig.cli('trigger', 'gone')).stderr).toContain('no harness "gone"');
  });

  test('when its socket is removed: it listens again', async () => {
    rig.configure(SCRIPTED_ADAPTER);
    await rig.start();
    rmSync(rig.socket);
    expect((await rig.cli('status')).code).toBe(1);
    await until(() => (existsSync(rig.socket) ? true : undefined), 'the socket to come back');
    expect((await rig.cli('status')).code).toBe(0);
    await rig.stop();
    expect(existsSync(rig.socket)).toBe(false);
  });

  test('not when its store is removed: it stops in order and says why', async () => {
    rig.configure(SCRIPTED_ADAPTER);
    const daemon = await rig.start();
    const exited = new Promise((resolve) => daemon.once('exit', resolve));
    rmSync(rig.store);
    expect(await exited).toBe(1);
    expect(rig.log()).toContain('was removed or replaced under the daemon');
  });

  test('when old files cannot be removed, and the harness can run again', async () => {
    rig.configure([SCRIPTED_ADAPTER, scriptedHarness('a', repo, [{ init: true }, { result: 'done' }], 'keep_runs = 1')].join('\n'));
    await rig.start();
    await rig.cli('trigger', 'a', '--wait');
    mkdirSync(join(rig.jobs, 'a', '1.prompt'));
    expect((await rig.cli('trigger', 'a', '--wait')).code).toBe(0);
    expect((await rig.cli('trigger', 'a', '--wait')).code).toBe(0);
    expect(rig.log()).toContain('"files_not_pruned"');
    expect((await rig.cli('list')).stdout).toContain('stopped');
  });
});
