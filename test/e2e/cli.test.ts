// The command line as programs and people use it: exit codes, where errors go, what is refused in which words, what works offline.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderFailure } from '../../src/cli/render/failure.js';
import { PROVIDER_SCHEMAS } from '../../src/core/provider/contract.js';
import { makeRig, type Rig } from '../support/rig.js';
import { SCRIPTED_ADAPTER, scriptedHarness } from '../support/scripted.js';

const ESCAPE = '\u001b';
let rig: Rig;
let repo: string;

beforeAll(() => {
  rig = makeRig();
  repo = rig.repo('api');
  rig.configure(
    [
      SCRIPTED_ADAPTER,
      scriptedHarness('good', repo, [{ init: true }, { stderr: 'said aside\n' }, { result: 'it went well' }]),
      scriptedHarness('bad', repo, [{ init: true }, { result: 'it did not' }, { exit: 7 }]),
    ].join('\n'),
  );
});
afterAll(() => rig.dispose());

/** A refusal: exit code 1, nothing on standard output, one line on standard error. */
const refused = async (...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await rig.cli(...args);
  expect([args, code, stdout]).toEqual([args, 1, '']);
  expect(stderr).toMatch(/^harness [^\n]+\n$/);
  return stderr.trimEnd();
};

describe('without a daemon', () => {
  test('an error is one plain line, and with --json an object on standard error', async () => {
    expect(await refused('status')).toBe(`harness no daemon: no daemon answers on ${rig.socket} (harness daemon)`);
    const { code, stdout, stderr } = await rig.cliWith({ NO_COLOR: undefined, FORCE_COLOR: '1' }, '--json', 'list');
    expect([code, stdout]).toEqual([1, '']);
    const message = `no daemon answers on ${rig.socket}`;
    expect(JSON.parse(stderr)).toEqual({ error: { code: 'no_daemon', message, hint: 'harness daemon' } });
    expect(stderr).not.toContain(ESCAPE);
  });

  test('a store that is not there is named', async () => {
    expect(await refused('runs')).toContain(`there is no store at ${rig.store} yet`);
    expect(await refused('logs', 'good')).toContain('harness no log: "good" has no log');
  });

  const MISUSES: readonly (readonly [readonly string[], string])[] = [
    [['rusn'], 'harness usage: unknown command "rusn": did you mean "runs"? (harness --help)'],
    [['memory', 'recal', 'x'], 'harness usage: unknown command "memory recal x": did you mean "recall"? (harness --help)'],
    [['frobnicate'], 'harness usage: Unknown command: frobnicate (harness --help)'],
    [[], 'harness usage: name a command (harness --help)'],
    [['memory'], 'harness usage: name a command: status, episodes, recall, briefing or provider (harness --help)'],
    [['status', '--frobnicate'], 'harness usage: Unknown argument: frobnicate (harness --help)'],
    [['trigger'], 'harness usage: an argument is missing (harness --help)'],
    [['runs', '--outcome', 'failed', '--outcome', 'success'], 'harness usage: --outcome is given more than once'],
    [['runs', '--limit', 'many'], 'harness invalid argument: --limit must be a whole number of at least 1'],
    [['runs', '--limit', '0'], 'harness invalid argument: --limit must be a whole number of at least 1'],
    [['logs', 'good', '--run', '1.5'], 'harness invalid argument: --run must be a whole number of at least 0'],
  ];
  test('what cannot be meant is refused in words that say what can', async () => {
    expect(await Promise.all(MISUSES.map(([args]) => refused(...args)))).toEqual(MISUSES.map(([, line]) => line));
  });

  test('init writes a file that loads, and never writes over one', async () => {
    const file = rig.path('fresh', 'harness.toml');
    const fresh = { HARNESS_CONFIG: file };
    expect(await rig.cliWith(fresh, 'init')).toMatchObject({ code: 0, stdout: expect.stringContaining(`wrote ${file}`), stderr: '' });
    expect(await rig.cliWith(fresh, 'config', 'check')).toMatchObject({ code: 0, stdout: `${file}: ok, 0 harnesses\n`, stderr: '' });
    writeFileSync(file, '# mine\n');
    const again = await rig.cliWith(fresh, 'init');
    expect([again.code, again.stdout, readFileSync(file, 'utf8')]).toEqual([1, '', '# mine\n']);
    expect(again.stderr).toContain(file);
  });

  test('config check answers with an exit code, and every error with its line', async () => {
    const file = rig.write('wrong.toml', '[harness.a]\nharness = "codex"\nprompt = "x"\nmax_turns = 3\ntimeout = "soon"\n');
    expect(await rig.cli('config', 'check')).toMatchObject({ code: 0, stdout: `${rig.configFile}: ok, 2 harnesses\n` });
    const { code, stdout, stderr } = await rig.cli('config', 'check', file, '--json');
    const { error } = JSON.parse(stderr) as { error: { code: string; message: string } };
    expect([code, stdout, error.code]).toEqual([1, '', 'config_invalid']);
    expect(error.message.split('\n').map((line) => line.slice(0, `${file}:N`.length))).toEqual([`${file}:4`, `${file}:5`]);
    expect(await refused('config', 'check', rig.path('nowhere.toml'))).toContain(rig.path('nowhere.toml'));
  });

  test('config show tells the line of each value, or that it is the default', async () => {
    const file = rig.write('shown.toml', '[memory.episodes]\n\nretention = "30d"\n');
    const shown = JSON.parse((await rig.cli('--config', file, 'config', 'show', '--json')).stdout) as {
      values: { table: string; key: string; value: string; at?: { file: string; line: number } }[];
    };
    const entryOf = (key: string) => shown.values.find((value) => value.table === 'memory.episodes' && value.key === key);
    expect(entryOf('retention')).toMatchObject({ at: { file, line: 3 } });
    expect(entryOf('provider_timeout')).not.toHaveProperty('at');
    const { stdout } = await rig.cli('--config', file, 'config', 'show');
    expect(stdout).toMatch(new RegExp(`\\[memory\\.episodes\\] +retention +"30d" +${file}:3`));
  });

  test('the provider schema is printed as it is checked', async () => {
    expect(JSON.parse((await rig.cli('memory', 'provider', 'schema')).stdout)).toEqual({ contract: 1, tools: PROVIDER_SCHEMAS });
  });
});

describe('a failure on a terminal', () => {
  const failure = { code: 'no_daemon', message: 'no daemon answers', hint: 'harness daemon' };
  test.each([
    [{ json: false, terminal: true, color: true }, `${ESCAPE}[31m✖${ESCAPE}[0m harness no daemon: no daemon answers\n  → harness daemon`],
    [{ json: false, terminal: true, color: false }, '✖ harness no daemon: no daemon answers\n  → harness daemon'],
    [{ json: false, terminal: false, color: false }, 'harness no daemon: no daemon answers (harness daemon)'],
    [{ json: true, terminal: true, color: true }, '{"error":{"code":"no_daemon","message":"no daemon answers","hint":"harness daemon"}}'],
  ])('with %j is %j', (style, text) => expect(renderFailure(failure, style)).toBe(text));
});

describe('with a daemon', () => {
  beforeAll(async () => {
    await rig.start();
    await rig.run('good');
    await rig.episodes(1);
  });

  test('trigger --wait exits with the run’s code, and prints its record as JSON', async () => {
    const { code, stdout, stderr } = await rig.cli('trigger', 'bad', '--wait', '--json');
    expect([code, stderr]).toEqual([7, '']);
    expect(JSON.parse(stdout)).toMatchObject({ harness: 'bad', run_id: 1, outcome: 'failed', exit_code: 7 });
    await rig.episodes(2);
  });

  test('a name that is not known is refused with those that are', async () => {
    expect(await refused('trigger', 'godo')).toBe('harness unknown harness: no harness "godo" (known: good, bad)');
    expect(await refused('memory', 'episodes', 'ep_none')).toContain('no episode "ep_none"');
    expect(await refused('runs', '--outcome', 'fine')).toContain('outcome "fine" is none of: success, failed, timed_out');
  });

  test('--since takes durations and instants, however far back', async () => {
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
    const forms: readonly (readonly [string, number])[] = [
      ['2h45m', 2],
      ['7d', 2],
      ['99999999999h', 2],
      ['0s', 0],
      [hourAgo, 2],
      ['2100-01-01T00:00:00+12:45', 0],
    ];
    const found = await Promise.all(forms.map(([since]) => rig.json<{ runs: unknown[] }>('runs', '--since', since)));
    expect(found.map(({ runs }) => runs.length)).toEqual(forms.map(([, count]) => count));
  });

  test('--since refuses what is neither', async () => {
    const wrong = ['yesterday', '-5s', '2026-02-30T00:00:00Z'];
    expect(await Promise.all(wrong.map((since) => refused('runs', `--since=${since}`)))).toEqual(
      wrong.map((since) => `harness invalid argument: --since ${since} is neither a duration (2h45m, 7d) nor an RFC 3339 instant`),
    );
  });

  test('an empty result is no failure', async () => {
    expect(await rig.cli('runs', '--since', '0s')).toEqual({ code: 0, stdout: 'no run is recorded\n', stderr: '' });
  });

  describe('memory recall', () => {
    const REPO = ['--repo', 'forge.example/acme/api'] as const;
    test('finds, and with --json gives the structured document', async () => {
      const { code, stdout } = await rig.cli('memory', 'recall', 'went well', ...REPO);
      expect([code, stdout]).toEqual([0, expect.stringContaining('> it went well')]);
      const answer = await rig.json<{ wrapper: number; sections: { items: unknown[] }[] }>(
        'memory',
        'recall',
        'went well',
        '--as',
        'good',
        '--limit',
        '0',
      );
      expect([answer.wrapper, answer.sections[1]?.items.length]).toEqual([1, 1]);
    });

    const OUT_OF_BOUNDS: readonly (readonly [readonly string[], string])[] = [
      [['x'.repeat(513), ...REPO], 'query has more than 512 characters'],
      [['x', ...REPO, '--limit', '21'], 'limit must be a whole number from 1 to 20'],
      [['x', ...REPO, '--limit', '-1'], '--limit must be a whole number of at least 0'],
      [['x', ...REPO, '--paths', ...Array.from({ length: 21 }, (_, i) => `p${i}`)], 'at most 20 paths may be given, these are 21'],
      [['x', ...REPO, '--paths', 'ok.ts', '../out.ts'], 'paths[1] must be relative to the repository and stay inside it'],
      [['x', ...REPO, '--paths', '/etc/passwd'], 'paths[0] must be relative to the repository and stay inside it'],
      [['x'], 'say where to recall: --repo HOST/OWNER/NAME, or --as HARNESS'],
      [['x', ...REPO, '--as', 'good'], '--repo and --as exclude each other: give one'],
      [['x', '--repo', 'foo'], '"foo" names no repository: write host/owner/name, or its remote'],
    ];
    test('refuses arguments out of their bounds, naming each', async () => {
      const said = await Promise.all(OUT_OF_BOUNDS.map(([args]) => refused('memory', 'recall', ...args)));
      for (const [index, [, sentence]] of OUT_OF_BOUNDS.entries()) expect(said[index]).toContain(`harness invalid argument: ${sentence}`);
    });

    test('takes 512 characters and 20 paths', async () => {
      const paths = Array.from({ length: 20 }, (_, i) => `p${i}`);
      expect((await rig.cli('memory', 'recall', '😀'.repeat(512), ...REPO, '--paths', ...paths)).code).toBe(0);
    });
  });

  test('tables carry no escape and fit 80 columns', async () => {
    const commands = [['list'], ['runs'], ['memory', 'episodes'], ['status'], ['memory', 'status']];
    const shown = await Promise.all(commands.map((args) => rig.cliWith({ NO_COLOR: undefined, FORCE_COLOR: '1' }, ...args)));
    for (const [index, { code, stdout }] of shown.entries()) {
      expect([code, stdout.includes(ESCAPE)]).toEqual([0, false]);
      if (commands[index]?.at(-1) !== 'status') for (const line of stdout.split('\n')) expect([...line].length).toBeLessThanOrEqual(80);
    }
  });
});

describe('with the daemon down again', () => {
  beforeAll(() => rig.stop());

  test('runs and logs read the files, and say so aside', async () => {
    const runs = await rig.cli('runs', '--json');
    expect(runs).toMatchObject({ code: 0, stderr: 'the daemon is down: reading the store\n' });
    const shown = (JSON.parse(runs.stdout) as { runs: { harness: string; outcome: string }[] }).runs;
    expect(shown.map(({ harness, outcome }) => [harness, outcome])).toEqual([
      ['bad', 'failed'],
      ['good', 'success'],
    ]);
    const failed = await rig.json<{ runs: { harness: string }[] }>('runs', 'bad', '--outcome', 'failed', '--limit', '1');
    expect(failed.runs.map(({ harness }) => harness)).toEqual(['bad']);
    expect(await refused('runs', '--outcome', 'fine')).toContain('outcome "fine" is none of: success');
    const logs = await rig.cli('logs', 'good');
    expect(logs).toMatchObject({ code: 0, stderr: 'the daemon is down: reading the file\n' });
    expect(logs.stdout).toContain('said aside');
    expect((await rig.cli('logs', 'good', '--stream')).stdout.split('\n')[0]).toMatch(/^\{.*"subtype":"init"/);
    expect(await refused('logs', 'good', '--run', '9')).toContain('has no log of run 9');
  });
});

describe('docs/cli.md', () => {
  const page = join(import.meta.dirname, '../../docs/cli.md');

  const helpOf = async (command: readonly string[]): Promise<string> => {
    // The locale and width of who asks must not show.
    const odd = { LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', COLUMNS: '40' };
    const { code, stdout } = await rig.cliWith(odd, ...command, '--help');
    expect([command, code]).toEqual([command, 0]);
    return stdout.trimEnd();
  };

  /** Every command below the given one, each before its own. */
  const allBelow = async (command: readonly string[]): Promise<readonly (readonly [string, string])[]> => {
    const help = await helpOf(command);
    const prefix = ['harness', ...command].join(' ');
    const names = [...help.matchAll(/^ {2}harness ((?:[a-z]+ ?)+)/gm)].map((match) => (match[1] ?? '').trim().split(' '));
    const below = await Promise.all(names.filter((name) => name.length > command.length).map(allBelow));
    return [[prefix, help], ...below.flat()];
  };

  test('is the help of every command', async () => {
    const sections = (await allBelow([])).map(([name, help]) => `## ${name}\n\n\`\`\`\n${help}\n\`\`\`\n`);
    const text = `# Commands\n\nGenerated from the program's own \`--help\`. Data goes to standard output, notices and errors to standard error. Exit codes: 0
success, 1 failure; \`trigger --wait\` exits with the run's own code, 124 when it timed out, 75 when it was skipped. Flags win over
\`HARNESS_SOCKET\` and \`HARNESS_CONFIG\`, which win over the defaults.\n\n${sections.join('\n')}`;
    if (process.env['BLESS'] === '1') writeFileSync(page, text);
    expect(sections.length).toBeGreaterThan(15);
    expect(existsSync(page) && readFileSync(page, 'utf8')).toBe(text);
  });
});
