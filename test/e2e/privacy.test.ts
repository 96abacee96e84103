// What must not leave its place: texts stay out of the daemon's log and its files, and a supervised process stays out of what is
// for operators.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLI, makeRig, type Rig } from '../support/rig.js';
import { SCRIPTED_ADAPTER, scriptedHarness } from '../support/scripted.js';
import { verifies } from '../support/verifies.js';

/** The call is made by a process whose parents have ended: only its environment still tells where it comes from. */
const ORPHAN = '( ( "$0" "$1" reload; echo "exit $?" ) > orphan 2>&1 & ); until grep -q exit orphan 2>/dev/null; do sleep 0.05; done';

let rig: Rig;
let repo: string;

const command = (name: string, argv: readonly string[], more = 'restart = "no"'): string =>
  `[harness.${name}]\nharness = "command"\nworkdir = ${JSON.stringify(repo)}\nargv = ${JSON.stringify(argv)}\n${more}\n`;

beforeAll(async () => {
  rig = makeRig();
  repo = rig.repo('api');
  const told = [
    { init: true, note: 'canary-prompt' },
    { line: { type: 'assistant', message: { content: [{ type: 'text', text: 'canary-said' }] } } },
    {
      line: {
        type: 'assistant',
        message: { content: [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'canary-argument' } }] },
      },
    },
    { edit: 'canary-file.txt' },
    { stderr: 'canary-stderr\n' },
    { result: 'canary-result' },
  ];
  const node = process.execPath;
  const path = process.env['PATH'] ?? '';
  rig.configure(
    [
      SCRIPTED_ADAPTER,
      scriptedHarness('told', repo, told),
      command('triage', ['true', '{{prompt}}'], 'prompt = "triage"\nmemory_briefing = true'),
      command('insider', [node, CLI, 'reload']),
      command('insider-reader', [node, CLI, 'memory', 'status']),
      command('insider-bare', ['setsid', '-w', 'env', '-i', `PATH=${path}`, node, CLI, '--socket', rig.socket, 'reload']),
      command('insider-orphan', ['sh', '-c', ORPHAN, node, CLI]),
    ].join('\n'),
  );
  await rig.start();
});
afterAll(() => rig.dispose());

const filesUnder = (directory: string): readonly string[] =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesUnder(join(directory, entry.name)) : [join(directory, entry.name)],
  );
const holding = (text: string): readonly string[] =>
  filesUnder(rig.path('state')).filter((file) => readFileSync(file, 'latin1').includes(text));

describe('the daemon’s log', () => {
  verifies(['SPEC-0030/ERR/s5'], 'is structured lines without text of episodes, providers, briefings, queries or prompts', async () => {
    await rig.run('told');
    await rig.episodes(1);
    const { memory } = rig.daemon();
    const found = await memory.recall({ query: 'canary result canary-query', asHarness: 'told' });
    const { text: briefing } = await memory.getBriefing({ harness: 'told' });
    for (const text of [found.text, briefing]) expect(text).toContain('canary-result');
    await memory.recall({ query: `canary-query ${'x'.repeat(600)}`, asHarness: 'told' }).catch(() => undefined);
    await memory.recall({ query: 'canary-query', asHarness: 'nobody' }).catch(() => undefined);
    await memory.getEpisode({ episodeId: 'canary-query' }).catch(() => undefined);
    const lines = rig.log().trimEnd().split('\n');
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number), msg: expect.stringMatching(/^[a-z_]+$/) });
    expect(lines.filter((line) => line.includes('canary'))).toEqual([]);
    expect(lines.some((line) => line.includes('"episode_recorded"') && line.includes('"bytes"'))).toBe(true);
  });
});

describe('what is kept', () => {
  test('holds neither prompt nor tool arguments nor what the agent said on the way', () => {
    expect(holding('canary-prompt')).toEqual([]);
    for (const said of ['canary-said', 'canary-argument']) expect(holding(said).filter((file) => !file.includes('/jobs/'))).toEqual([]);
    expect(holding('canary-result').length).toBeGreaterThan(0);
  });

  verifies(['SPEC-0030/REQ-20/the-stored-prompt-is-unchanged'], 'of a briefed harness is its prompt as it was written', async () => {
    expect(await rig.run('triage')).toMatchObject({ outcome: 'success' });
    const described = await rig.json<{ prompt: string; memory_briefing: boolean }>('describe', 'triage');
    expect(described).toMatchObject({ prompt: 'triage', memory_briefing: true });
    expect(JSON.stringify(described)).not.toContain('MEMORY DATA');
  });

  test('lies in files that are nobody else’s to read', async () => {
    const open = [...filesUnder(rig.path('state')), rig.socket].filter((file) => (statSync(file).mode & 0o077) !== 0);
    expect(open).toEqual([]);
  });
});

describe('a supervised process', () => {
  const logOf = (harness: string): string => readFileSync(`${rig.jobs}/${harness}/1.log`, 'utf8');

  test('is refused a reload by whatever way it asks, and may read', async () => {
    for (const harness of ['insider', 'insider-bare']) {
      expect(await rig.run(harness)).toMatchObject({ outcome: 'failed', exit_code: 1 });
      expect(logOf(harness)).toContain('harness supervised: Reload is for operators');
    }
    expect(await rig.run('insider-reader')).toMatchObject({ outcome: 'success' });
    expect(logOf('insider-reader')).toContain('provider: builtin ready');
  });

  test.runIf(process.platform === 'linux')('is known by its environment when its parents are gone', async () => {
    await rig.run('insider-orphan');
    const said = readFileSync(join(repo, 'orphan'), 'utf8');
    expect(said).toContain('harness supervised: Reload is for operators');
    expect(said).toContain('exit 1');
  });

  test('keeps no operator from it', async () => {
    const { code, stdout } = await rig.cli('reload');
    expect([code, stdout]).toEqual([0, 'the configuration is in force\n']);
  });
});
