// Completion as a shell uses it: the printed script in a real shell, and what it asks of the program.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { complete } from '../../src/cli/completion/complete.js';
import { completionScript } from '../../src/cli/completion/scripts.js';
import { SHELLS } from '../../src/cli/completion/shells.js';
import { ALL_COMMANDS } from '../../src/cli/tree/all-commands.js';
import { CLI, makeRig, type Rig, until } from '../support/rig.js';

let rig: Rig;
let path: string;
beforeAll(() => {
  rig = makeRig();
  mkdirSync(rig.path('bin'));
  symlinkSync(CLI, rig.path('bin', 'harness'));
  path = [rig.path('bin'), process.env['PATH'] ?? ''].join(delimiter);
  rig.configure(
    ['nightly', 'night-watch', 'triage']
      .map((name) => `[harness.${name}]\nharness = "command"\nargv = ["true"]\nrestart = "no"\n`)
      .join(''),
  );
});
afterAll(() => rig.dispose());

const words = (...line: readonly string[]): readonly string[] => complete(ALL_COMMANDS, line).candidates.map(({ word }) => word);

describe('what may come next', () => {
  test.each<[readonly string[], readonly string[]]>([
    [['tri'], ['trigger']],
    [['l'], ['list', 'ls', 'logs']],
    [
      ['memory', ''],
      ['status', 'episodes', 'recall', 'briefing', 'provider'],
    ],
    [['memory', 'provider', 's'], ['schema']],
    [['--json', 'ser'], ['service']],
    [['--socket', '/x', 'ser'], ['service']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['runs', '--ou'], ['--outcome']],
    [['runs', '--outcome', 'failed', '--ou'], []],
    [['memory', 'recall', 'x', '--paths', 'a', '--pa'], ['--paths']],
    [
      ['service', 'install', '--'],
      ['--socket', '--config', '--json', '--help', '--version', '--no-start', '--force'],
    ],
    [['attach', 'x', '--read-only', '--re'], []],
    [['run', 'command', '--', '--na'], []],
    [['nothing', ''], []],
  ])('after %j is %j', (line, expected) => expect(words(...line)).toEqual(expected));

  test.each<[readonly string[], string | undefined]>([
    [['trigger', ''], 'harnesses'],
    [['memory', 'recall', 'x', '--as', ''], 'harnesses'],
    [['memory', 'recall', 'x', '--as='], 'harnesses'],
    [['run', ''], 'adapters'],
    [['down', ''], 'projects'],
    [['runs', '--outcome', ''], 'outcomes'],
    [['config', 'check', ''], 'files'],
    [['--config', ''], 'files'],
    [['store', 'restore', ''], 'files'],
    [['trigger', 'x', ''], undefined],
    [['runs', '--since', ''], undefined],
  ])('after %j come %s', (line, kind) => expect(complete(ALL_COMMANDS, line).kind).toBe(kind));
});

describe('bash', () => {
  /** What the script offers for a line whose last word is unfinished. */
  const offered = (...line: readonly string[]): readonly string[] => {
    const asked = `eval "$(harness completion bash)"; COMP_WORDS=(harness "$@"); COMP_CWORD=$#; _harness harness; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const env = { ...rig.env, PATH: path };
    const output = execFileSync('bash', ['--norc', '-c', asked, 'bash', ...line], { env, encoding: 'utf8' });
    return output.split('\n').filter((word) => word !== '');
  };

  test('completes commands, flags and values, and harnesses of the configuration while no daemon runs', () => {
    expect(offered('conf')).toEqual(['config']);
    expect(offered('config', '')).toEqual(['check', 'show']);
    expect(offered('runs', '--wi')).toEqual(['--wide']);
    expect(offered('runs', '--outcome', 'fai')).toEqual(['failed']);
    expect(offered('trigger', 'night')).toEqual(['nightly', 'night-watch']);
    expect(offered('run', 'co')).toEqual(['codex', 'command']);
  });

  test('is silent where there is nothing to say', () => {
    writeFileSync(rig.configFile, 'not = [toml');
    expect([offered('frobnicate', ''), offered('trigger', '')]).toEqual([[], []]);
    rig.configure('[harness.solo]\nharness = "command"\nargv = ["true"]\nrestart = "no"\n');
  });

  test('asks the daemon while it runs', async () => {
    await rig.start();
    const file = rig.write('empty.toml', '');
    // A busy machine may take longer than a finger on a key would wait.
    await until(() => (offered('trigger', '--config', file, '').includes('solo') ? true : undefined), 'the harness of the daemon');
    await rig.stop();
    expect(offered('trigger', '--config', file, '')).toEqual([]);
  });

  test('a key press in a terminal completes the line', () => {
    const typed = 'eval "$(harness completion bash)"\nharness conf\t --json\nexit\n';
    const env = { ...rig.env, PATH: path, PS1: '', TERM: 'dumb' };
    // `script` gives bash a terminal, so that it reads the tab as a key.
    const { stdout, error } = spawnSync('script', ['-qec', 'bash --norc --noprofile -i', '/dev/null'], {
      env,
      input: typed,
      encoding: 'utf8',
    });
    if (error !== undefined) return;
    expect(stdout).toContain('harness config  --json');
  });
});

test.each(SHELLS)('%s can read its script', (shell) => {
  const { status, stderr, error } = spawnSync(shell, ['-n'], { input: completionScript(shell), encoding: 'utf8' });
  if (error === undefined) expect([status, stderr]).toEqual([0, '']);
});

test('another shell is refused', async () => {
  expect((await rig.cli('completion', 'tcsh')).code).toBe(1);
});
