// One-shots as processes: environment, timeout, stop with grace, what they leave behind, and what the daemon does when it dies.
import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connect } from '../../src/shell/store/database.js';
import { isAlive, makeRig, type Rig, until } from '../support/rig.js';
import { SCRIPTED_ADAPTER, scriptedHarness } from '../support/scripted.js';
import { verifies } from '../support/verifies.js';

let rig: Rig;
let repo: string;
beforeEach(() => {
  rig = makeRig();
  repo = rig.repo('api');
});
afterEach(() => rig.dispose());

const configure = (...harnesses: readonly string[]): void => rig.configure([SCRIPTED_ADAPTER, ...harnesses].join('\n'));
const pidIn = (file: string): Promise<number> =>
  until(() => (existsSync(file) ? Number(readFileSync(file, 'utf8')) || undefined : undefined), file);

const skips = async (): Promise<Record<string, number>> =>
  (await rig.json<{ skipped: Record<string, number> }>('memory', 'status')).skipped;

const storedEvents = (file: string): true | undefined => {
  const db = connect(file, { readonly: true });
  try {
    return db.prepare('SELECT 1 FROM trace_event').get() === undefined ? undefined : true;
  } finally {
    db.close();
  }
};

describe('a run', () => {
  test('has exactly the variables of its run, which no env file can fake', async () => {
    const file = rig.path('env.json');
    const envFile = rig.write('secrets.env', 'HARNESS_RUN_ID=999\nHARNESS_EVENT_FILE=/etc/passwd\nexport KEEP="1"\nOTHER=2\n');
    configure(
      scriptedHarness(
        'a',
        repo,
        [{ init: true }, { environment: file }],
        `env_file = ${JSON.stringify(envFile)}\nsecrets_env = ["KEEP", "HARNESS_EVENT_FILE"]\nenv = { LITERAL = "x" }`,
      ),
    );
    await rig.start({ HARNESS_EVENT_FILE: '/daemon/own', HARNESS_RUN_SOURCE: 'webhook.x' });
    await rig.cli('trigger', 'a', '--wait');
    const env = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
    expect(env).toMatchObject({ HARNESS_RUN_ID: '1', HARNESS_RUN_TRIGGER: 'manual', HARNESS_NAME: 'a', KEEP: '1', LITERAL: 'x' });
    for (const absent of ['HARNESS_EVENT_FILE', 'HARNESS_RUN_SOURCE', 'HARNESS_BRIEF_FILE', 'HARNESS_PROMPT_FILE', 'OTHER'])
      expect(env).not.toHaveProperty(absent);
    expect(env['HARNESS_SPAWN_ID']).toMatch(/^[0-9a-f]{32}$/);
    expect(env['CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC']).toBe('1');
  });

  test('that outlives its timeout ends timed_out, with every process it started', async () => {
    const pidFile = rig.path('child.pid');
    configure(scriptedHarness('slow', repo, [{ init: true }, { spawn: 'detached', pid: pidFile }, { sleep: 60_000 }], 'timeout = "1s"'));
    await rig.start();
    expect((await rig.cli('trigger', 'slow', '--wait')).code).toBe(124);
    const [run] = await rig.runs();
    expect(run).toMatchObject({ outcome: 'timed_out', exit_code: -1 });
    const child = await pidIn(pidFile);
    await until(() => (isAlive(child) ? undefined : true), 'the detached child to die');
  });

  test('that ends by itself leaves no detached child either', async () => {
    const pidFile = rig.path('child.pid');
    configure(scriptedHarness('quick', repo, [{ init: true }, { spawn: 'detached', pid: pidFile }, { result: 'ok' }]));
    await rig.start();
    expect((await rig.cli('trigger', 'quick', '--wait')).code).toBe(0);
    expect(isAlive(await pidIn(pidFile))).toBe(false);
    expect(rig.log()).toContain('"run_survivors"');
  });

  test('that is stopped is cancelled by the operator; overlapping firings fold into one skip', async () => {
    const started = rig.path('started');
    configure(scriptedHarness('slow', repo, [{ init: true }, { touch: started }, { sleep: 60_000 }]));
    await rig.start();
    expect((await rig.cli('trigger', 'slow')).stdout).toContain('started run 1');
    await pidIn(started);
    for (let i = 0; i < 3; i += 1) expect((await rig.cli('trigger', 'slow', '--wait')).code).toBe(75);
    expect((await rig.cli('stop', 'slow')).stdout).toContain('stopped');
    const runs = await rig.runs();
    expect(runs.find((run) => run.run_id === 1)).toMatchObject({ outcome: 'cancelled', reason: 'operator' });
    expect(runs.find((run) => run.run_id === 2)).toMatchObject({ outcome: 'skipped', reason: 'overlap', coalesced: 3 });
    expect(runs).toHaveLength(2);
  });

  test('waits for a slot, and is cancelled there by a stop', async () => {
    const started = rig.path('started');
    rig.configure(
      [
        '[budget]\nmax_concurrent = 1\n',
        SCRIPTED_ADAPTER,
        scriptedHarness('one', repo, [{ init: true }, { touch: started }, { sleep: 60_000 }]),
        scriptedHarness('two', repo, [{ init: true }, { result: 'x' }]),
        scriptedHarness('three', repo, [{ init: true }, { result: 'x' }]),
      ].join('\n'),
    );
    await rig.start();
    await rig.cli('trigger', 'one');
    await pidIn(started);
    expect((await rig.cli('trigger', 'two')).stdout).toContain('queued');
    expect((await rig.cli('trigger', 'three')).stdout).toContain('queued');
    expect((await rig.cli('stop', 'two')).stdout).toContain('stopped');
    await rig.cli('stop', 'one');
    const runs = await until(async () => {
      const all = await rig.runs();
      return all.some((run) => run.harness === 'three' && run.outcome === 'success') ? all : undefined;
    }, 'the waiting firing to run');
    expect(runs.find((run) => run.harness === 'two')).toMatchObject({ outcome: 'cancelled', reason: 'operator' });
  });

  test('that waits for a slot is waited for by --wait, to its own end', async () => {
    const started = rig.path('started');
    rig.configure(
      [
        '[budget]\nmax_concurrent = 1\n',
        SCRIPTED_ADAPTER,
        scriptedHarness('one', repo, [{ init: true }, { touch: started }, { sleep: 60_000 }]),
        scriptedHarness('two', repo, [{ init: true }, { result: 'x' }, { exit: 7 }]),
      ].join('\n'),
    );
    await rig.start();
    await rig.cli('trigger', 'one');
    await pidIn(started);
    const waiting = rig.cli('trigger', 'two', '--wait');
    await until(async () => ((await rig.cli('list')).stdout.includes('waiting') ? true : undefined), 'the firing to wait');
    await rig.cli('stop', 'one');
    expect((await waiting).code).toBe(7);
  });

  test('whose file set is over keep_runs loses the oldest files, never its record', async () => {
    configure(scriptedHarness('often', repo, [{ init: true }, { result: 'x' }], 'keep_runs = 2'));
    await rig.start();
    for (let i = 0; i < 4; i += 1) await rig.cli('trigger', 'often', '--wait');
    const { runs } = await rig.json<{ runs: { run_id: number; log_pruned?: boolean }[] }>('runs', 'often');
    expect(runs.map((run) => [run.run_id, run.log_pruned ?? false])).toEqual([
      [4, false],
      [3, false],
      [2, true],
      [1, true],
    ]);
  });
});

describe('a command harness', () => {
  test.each([
    ['argv', 'argv = ["sh", "-c", "printf %s \\"$1\\" > out", "sh", "{{prompt}}"]'],
    ['stdin', 'argv = ["sh", "-c", "cat > out"]\nprompt_delivery = "stdin"'],
    [
      'file',
      'argv = ["sh", "-c", "cat \\"$1\\" > out; test \\"$1\\" = \\"$HARNESS_PROMPT_FILE\\"", "sh", "{{prompt_file}}"]\nprompt_delivery = "file"',
    ],
  ])('gets its prompt byte for byte by %s', async (_mode, lines) => {
    const prompt = '  {{prompt}} $HOME "quoted" \n\t-- ä\n';
    rig.configure(`[harness.tool]\nharness = "command"\nworkdir = ${JSON.stringify(repo)}\nprompt = ${JSON.stringify(prompt)}\n${lines}\n`);
    await rig.start();
    const waited = await rig.cli('trigger', 'tool', '--wait');
    expect(waited.stdout).toContain('success');
    expect(readFileSync(`${repo}/out`, 'utf8')).toBe(prompt);
    await until(async () => ((await skips()).no_session === 1 ? true : undefined), 'the skip to be counted');
  });
});

describe('the daemon', () => {
  test('that is stopped closes every record, ends every process and forgets nothing', async () => {
    const started = rig.path('started');
    configure(scriptedHarness('slow', repo, [{ init: true }, { edit: `${repo}/a.txt` }, { touch: started }, { sleep: 60_000 }]));
    await rig.start();
    await rig.cli('trigger', 'slow');
    const pid = await pidIn(started);
    await rig.stop('SIGTERM');
    expect(isAlive(pid)).toBe(false);
    const { stdout, stderr } = await rig.cli('runs', '--json');
    expect(stderr).toContain('the daemon is down');
    expect((JSON.parse(stdout) as { runs: object[] }).runs[0]).toMatchObject({ outcome: 'interrupted', reason: 'shutdown' });
    await rig.start();
    expect((await rig.episodes(1))[0]).toMatchObject({ outcome: 'interrupted', files_touched: ['a.txt'] });
  });

  verifies(
    ['SPEC-0030/REQ-9/s1'],
    'that is killed repairs the record at its next boot, kills the survivor, and its store holds episode and index row',
    async () => {
      const started = rig.path('started');
      configure(scriptedHarness('slow', repo, [{ init: true }, { edit: `${repo}/a.txt` }, { touch: started }, { sleep: 60_000 }]));
      await rig.start();
      await rig.cli('trigger', 'slow');
      const pid = await pidIn(started);
      await until(() => storedEvents(rig.store), 'the edit to be stored');
      await rig.stop('SIGKILL');
      expect(isAlive(pid)).toBe(true);
      expect((await rig.json<{ runs: object[] }>('runs')).runs[0]).toMatchObject({ outcome: 'running?' });
      await rig.start();
      await until(() => (isAlive(pid) ? undefined : true), 'the survivor to die');
      const [run] = await rig.runs();
      expect(run).toMatchObject({ outcome: 'interrupted', reason: 'daemon_crash' });
      expect(run?.ended_at).toBeUndefined();
      const [episode] = await rig.episodes(1);
      expect(episode).toMatchObject({
        outcome: 'interrupted',
        reason: 'daemon_crash',
        files_touched: ['a.txt'],
        repo: 'forge.example/acme/api',
      });
      expect((await rig.cli('logs', 'slow')).stdout).toContain('the daemon went down under this run');
      expect((await rig.cli('trigger', 'slow')).stdout).toContain('started run 2');
      await rig.stop('SIGTERM');
      const db = connect(rig.store, { readonly: true });
      const rows = db
        .prepare('SELECT provider, provider_id, episode_id, scope, forgotten_at FROM episode_index ORDER BY recorded_at')
        .all();
      db.close();
      expect(rows[0]).toEqual({
        provider: 'builtin',
        provider_id: episode?.episode_id,
        episode_id: episode?.episode_id,
        scope: 'project:forge.example/acme/api',
        forgotten_at: null,
      });
    },
  );

  test('is one per state directory, and says so', async () => {
    configure(scriptedHarness('a', repo, []));
    await rig.start();
    const second = await rig.cli('--socket', rig.path('other.sock'), 'daemon');
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/^harness state in use: another daemon \(pid \d+\) uses /);
  });
});
