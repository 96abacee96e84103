// What must fail well, against a real daemon: each gives a named error or a counted, logged drop, and nothing recorded is lost.
import { readFileSync, renameSync, symlinkSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunRecord } from '../../src/core/run/record.js';
import { git, makeRig, type Rig } from '../support/rig.js';
import { SCRIPTED_ADAPTER, scriptedHarness } from '../support/scripted.js';

const MIB = 1_024 * 1_024;
const CANARY = 'canary-of-a-prompt';
const isRoot = process.getuid?.() === 0;

let rig: Rig;
let repo: string;
const logOf = (harness: string, run = 1): string => readFileSync(`${rig.jobs}/${harness}/${run}.log`, 'utf8');
const streamOf = (harness: string): string => readFileSync(`${rig.jobs}/${harness}/1.stream.jsonl`, 'utf8');
const episodeOf = async (harness: string, count = 1) => (await rig.episodes(count)).find((episode) => episode.harness === harness);
const logged = (event: string): readonly Record<string, unknown>[] =>
  rig
    .log()
    .split('\n')
    .filter((line) => line.includes(`"${event}"`))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const init = { init: true };
const done = { result: 'done' };
const BAD_STREAMS: Readonly<Record<string, readonly object[]>> = {
  'too-long-line': [init, { repeat: ['x'.repeat(1_024), 16 * 1_024] }, { raw: 'x\n' }, { edit: 'a.txt' }, done],
  binary: [init, { base64: Buffer.from(Array.from({ length: 512 }, (_, i) => (i * 37) % 256)).toString('base64') }, { raw: '\n' }, done],
  'invalid-utf8': [init, { base64: Buffer.from([0x22, 0xff, 0xc0, 0xed, 0xa0, 0x80, 0x22, 0x0a]).toString('base64') }, done],
  nesting: [
    init,
    { repeat: ['[', 200_000] },
    { repeat: [']', 200_000] },
    { raw: '\n' },
    { repeat: ['{"a":', 100_000] },
    { raw: '\n' },
    done,
  ],
  'cut-line': [init, { edit: 'a.txt' }, { raw: '{"type":"result","subtype":"success","resu' }, { exit: 0 }],
  'odd-values': [
    init,
    { line: { type: 'result', result: 7, usage: 'x', num_turns: 'many', total_cost_usd: null, modelUsage: [] } },
    { line: { type: 'assistant', message: { content: 'text', usage: { input_tokens: -1 } } } },
    { line: { type: { a: 1 }, session_id: 9 } },
    { raw: 'null\ntrue\n7\n"text"\n[]\n\n \r\n' },
    done,
  ],
  'odd-cwd': [{ init: '/tmp/\u0000x' }, done],
  'relative-cwd': [{ init: '.' }, done],
  'odd-session': [{ line: { type: 'system', subtype: 'init', cwd: '/', session_id: `s\u0000${'x'.repeat(400)}` } }, init, done],
};

beforeAll(async () => {
  rig = makeRig();
  repo = rig.repo('api');
  const detached = rig.repo('detached');
  git(detached, 'checkout', '-q', '--detach');
  rig.repo('nowhere', { remote: '' });
  symlinkSync(repo, rig.path('link'));
  rig.repo('vanishing');
  const vanishing = rig.write('prompt.md', JSON.stringify([init, done]));
  const withNul = rig.write('nul.md', `${CANARY} \u0000 ${CANARY}`);
  const envWithNul = rig.write('nul.env', `SECRET=${CANARY}\u0000x\n`);
  const first = [init, { edit: 'first.txt' }, { result: 'recorded before' }];
  rig.configure(
    [
      SCRIPTED_ADAPTER,
      `[adapter.absent]\nextends = "scripted"\nexecutable = "/no/such/agent"\n`,
      `[adapter.forbidden]\nextends = "scripted"\nexecutable = ${JSON.stringify(rig.write('not-executable', 'x', 0o600))}\n`,
      scriptedHarness('first', repo, first),
      scriptedHarness('constructor', repo, [init, done]),
      ...Object.entries(BAD_STREAMS).map(([name, steps]) => scriptedHarness(name, repo, steps)),
      scriptedHarness('no-remote', rig.path('nowhere'), [init, { result: 'of no remote' }]),
      scriptedHarness('detached', detached, [init, done]),
      scriptedHarness('linked', rig.path('link'), [
        { init: rig.path('link') },
        { edit: `${rig.path('link')}/by-link.txt` },
        { edit: `${repo}/by-real.txt` },
        { edit: 'relative.txt' },
        { edit: rig.path('outside.txt') },
        done,
      ]),
      scriptedHarness('vanished-workdir', rig.path('vanishing'), [init, done]),
      scriptedHarness('too-long-prompt', repo, [{ result: CANARY.repeat(10_000) }]),
      `[harness.absent]\nharness = "absent"\nprompt = "x"\nworkdir = ${JSON.stringify(repo)}\n`,
      `[harness.forbidden]\nharness = "forbidden"\nprompt = "x"\nworkdir = ${JSON.stringify(repo)}\n`,
      `[harness.vanished-prompt]\nharness = "scripted"\nprompt_file = ${JSON.stringify(vanishing)}\nworkdir = ${JSON.stringify(repo)}\n`,
      `[harness.nul-prompt]\nharness = "scripted"\nprompt_file = ${JSON.stringify(withNul)}\nworkdir = ${JSON.stringify(repo)}\n`,
      scriptedHarness('nul-env', repo, [init, done], `env_file = ${JSON.stringify(envWithNul)}`),
      `[harness.root]\nharness = "claude-code"\nprompt = "x"\nauto_accept = true\nworkdir = ${JSON.stringify(repo)}\n`,
    ].join('\n'),
  );
  await rig.start({ IS_SANDBOX: undefined });
  expect(await rig.run('first')).toMatchObject({ outcome: 'success' });
  await rig.episodes(1);
});

afterAll(async () => {
  await rig.dispose();
});

describe('a start that cannot be', () => {
  const failed = { run_id: 1, outcome: 'failed', reason: 'spawn' };
  const expectNamed = async (harness: string, ...words: readonly string[]): Promise<RunRecord> => {
    const record = await rig.run(harness);
    expect(record).toMatchObject(failed);
    expect(record).not.toHaveProperty('exit_code');
    for (const text of [logOf(harness), JSON.stringify(logged('run_spawn_failed').find((line) => line['harness'] === harness))])
      for (const word of words) expect(text).toContain(word);
    return record;
  };

  test('for want of an executable names it', () => expectNamed('absent', '/no/such/agent', 'not found').then(() => undefined));
  test('for want of the right to execute names it', () =>
    expectNamed('forbidden', 'not-executable', 'may not be executed').then(() => undefined));
  test('because the prompt is over the argument limit says what to do', async () => {
    await expectNamed('too-long-prompt', 'too-long-prompt', 'argument limit', 'stdin');
  });
  test('because the workdir vanished names it', async () => {
    renameSync(rig.path('vanishing'), rig.path('vanished'));
    await expectNamed('vanished-workdir', rig.path('vanishing'), 'does not exist');
  });
  test('because the prompt file vanished names harness and file', async () => {
    renameSync(rig.path('prompt.md'), rig.path('gone.md'));
    await expectNamed('vanished-prompt', 'vanished-prompt', rig.path('prompt.md'));
    renameSync(rig.path('gone.md'), rig.path('prompt.md'));
  });
  test('because a prompt or variable holds a NUL says so, and shows neither', async () => {
    await expectNamed('nul-prompt', 'NUL');
    await expectNamed('nul-env', 'NUL', 'SECRET');
    for (const text of [rig.log(), logOf('nul-prompt'), logOf('nul-env')]) expect(text).not.toContain(CANARY);
  });
  test.runIf(isRoot)('as root, of claude with auto_accept and no sandbox mark, says which mark', async () => {
    await expectNamed('root', 'root', 'IS_SANDBOX=1');
  });
  test('leaves no episode, and the reason is counted', async () => {
    const { skipped } = await rig.daemon().memory.status({});
    expect(Number(skipped['no_process'])).toBeGreaterThanOrEqual(7);
  });
});

describe('a stream', () => {
  test('with a line over 16 MiB loses that line alone: marked in the file, counted in the log, and the run has its episode', async () => {
    expect(await rig.run('too-long-line')).toMatchObject({ outcome: 'success' });
    expect(streamOf('too-long-line')).toContain(
      JSON.stringify({ harness: 'line_dropped', stream: 'stdout', bytes: 16 * MIB + 1, limit: 16 * MIB }),
    );
    expect(streamOf('too-long-line').length).toBeLessThan(MIB);
    expect(logged('trace_dropped')).toContainEqual(
      expect.objectContaining({ harness: 'too-long-line', reason: 'line_too_long', count: 1 }),
    );
    expect(await episodeOf('too-long-line', 2)).toMatchObject({ files_touched: ['a.txt'], result_excerpt: 'done' });
  });

  test.each(['binary', 'invalid-utf8', 'nesting'])('of %s is read on behind it, and what is no JSON is counted', async (harness) => {
    expect(await rig.run(harness)).toMatchObject({ outcome: 'success' });
    expect(logged('trace_dropped')).toContainEqual(expect.objectContaining({ harness, reason: 'not_json' }));
    await expect.poll(() => episodeOf(harness), { timeout: 20_000 }).toMatchObject({ result_excerpt: 'done' });
  });

  test('that is cut in a line keeps what came before it', async () => {
    expect(await rig.run('cut-line')).toMatchObject({ outcome: 'success' });
    expect(logged('trace_dropped')).toContainEqual(expect.objectContaining({ harness: 'cut-line', reason: 'not_json', count: 1 }));
    await expect.poll(() => episodeOf('cut-line'), { timeout: 20_000 }).toMatchObject({ files_touched: ['a.txt'] });
  });

  test('of values in the wrong places ends in an episode all the same', async () => {
    expect(await rig.run('odd-values')).toMatchObject({ outcome: 'success' });
    await expect.poll(() => episodeOf('odd-values'), { timeout: 20_000 }).toMatchObject({ result_excerpt: 'done' });
  });

  test('that names a cwd no process can have, or a session of no name, ends no daemon', async () => {
    for (const harness of ['odd-cwd', 'relative-cwd', 'odd-session']) expect(await rig.run(harness)).toMatchObject({ outcome: 'success' });
    expect([logged('daemon_fault'), logged('trace_fault')]).toEqual([[], []]);
    await expect.poll(() => rig.daemon().control.daemonInfo({})).toMatchObject({ activeRuns: 0 });
  });
});

describe('a workdir', () => {
  test('of a repository without a remote has a local key, its episode, and recalls by it', async () => {
    await rig.run('no-remote');
    await expect
      .poll(() => episodeOf('no-remote'), { timeout: 20_000 })
      .toMatchObject({ repo: expect.stringMatching(/^local\/[0-9a-f]{12}\/nowhere$/) });
    const { text } = await rig.daemon().memory.recall({ query: 'remote', asHarness: 'no-remote' });
    expect(text).toContain('> of no remote');
    const elsewhere = await rig.daemon().memory.recall({ query: 'remote', repo: 'forge.example/acme/api' });
    expect(elsewhere.text).not.toContain('of no remote');
  });

  test('with a detached HEAD gives no branch', async () => {
    await rig.run('detached');
    await expect.poll(() => episodeOf('detached'), { timeout: 20_000 }).toBeDefined();
    expect(await episodeOf('detached')).not.toHaveProperty('branch');
  });

  test('that is a symlink still gives paths relative to the repository', async () => {
    await rig.run('linked');
    await expect
      .poll(() => episodeOf('linked'), { timeout: 20_000 })
      .toMatchObject({ repo: 'forge.example/acme/api', files_touched: ['by-link.txt', 'by-real.txt', 'relative.txt'] });
  });
});

describe('the daemon', () => {
  test('runs a harness that is called as a property of every object', async () => {
    expect(await rig.run('constructor')).toMatchObject({ run_id: 1, outcome: 'success' });
    const { harnesses } = await rig.daemon().control.list({});
    expect(harnesses.find(({ name }) => name === 'constructor')).toMatchObject({ state: 'stopped', lastRunId: 1n });
  });

  test('with a broken file goes on with its last good configuration, and says so', async () => {
    const good = readFileSync(rig.configFile, 'utf8');
    rig.configure(`${good}\n[harness.new]\nharness = "scripted"\nprompt = "x\n`);
    const line = good.split('\n').length + 3;
    const reload = await rig.cli('reload');
    expect([reload.code, reload.stdout]).toEqual([1, '']);
    expect(reload.stderr).toContain(`harness config invalid: ${rig.configFile}:${line}`);
    const status = await rig.cli('status');
    expect(status.stderr).toContain(`the last reload was refused, an older configuration is in force:\n${rig.configFile}:${line}`);
    rig.configure(good.replace('[harness.first]', '[harness.first]\nwordkir = "x"'));
    expect((await rig.cli('reload')).stderr).toMatch(/unknown key "wordkir".*workdir/s);
    expect(await rig.run('first')).toMatchObject({ run_id: 2, outcome: 'success' });
    rig.configure(good);
    expect((await rig.cli('reload')).code).toBe(0);
    expect((await rig.cli('status')).stderr).toBe('');
  });

  test('has lost nothing that was recorded before', async () => {
    await rig.stop();
    await rig.start();
    expect(await episodeOf('first')).toMatchObject({ result_excerpt: 'recorded before', files_touched: ['first.txt'] });
    const runs = await rig.daemon().control.runs({ harness: 'first', limit: 10 });
    expect(runs.runs.map(({ recordJson }) => (JSON.parse(recordJson) as RunRecord).run_id)).toEqual([2, 1]);
  });
});

describe('a daemon does not start', () => {
  test.each([
    ['a syntax error', 'x = ', /harness config invalid: .*harness\.toml:1/],
    [
      'an unknown key',
      '[harness.a]\nharness = "codex"\nprompt = "x"\nmodle = "y"\n',
      /harness\.toml:4: unknown key "modle" in \[harness\.a\]: did you mean "model"\?/,
    ],
    ['an unknown table', '[harnes.a]\nprompt = "x"\n', /harness\.toml:1: .*harnes/],
  ])('with %s, and names file and line', async (_what, toml, message) => {
    const file = rig.write('broken/harness.toml', toml);
    const { code, stdout, stderr } = await rig.cli('--config', file, 'daemon');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
  });

  test('on a socket that is in use, or whose path is too long, and names it', async () => {
    const state = { XDG_STATE_HOME: rig.path('other-state') };
    const inUse = await rig.cliWith(state, 'daemon');
    expect([inUse.code, inUse.stderr]).toEqual([
      1,
      expect.stringContaining(`harness socket in use: another daemon answers on ${rig.socket}`),
    ]);
    const long = rig.path('s'.repeat(110));
    const tooLong = await rig.cliWith(state, '--socket', long, 'daemon');
    expect([tooLong.code, tooLong.stderr]).toEqual([
      1,
      expect.stringContaining(`harness socket path too long: socket path ${long} is longer than 103 bytes`),
    ]);
  });

  test('beside another on the same state', async () => {
    const second = await rig.cli('--socket', rig.path('other.sock'), 'daemon');
    expect([second.code, second.stderr]).toEqual([1, expect.stringMatching(/^harness state in use: another daemon \(pid \d+\) uses /)]);
    expect((await rig.daemon().control.daemonInfo({})).pid).toBeGreaterThan(0n);
  });
});
