// Episodes of runs that no stream tells of, through the real daemon: residents, and commands and prompts of clients that only keep
// transcripts, in a repository, with a secret on the way.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { makeRig, type Rig, until } from '../support/rig.js';
import { SCRIPTED_ADAPTER, scriptedHarness } from '../support/scripted.js';
import { verifies } from '../support/verifies.js';

const AGENT = join(import.meta.dirname, '..', 'support', 'transcript-agent.mjs');
const TOKEN = `ghp_${'aB3d'.repeat(9)}`;

let rig: Rig;
beforeEach(() => {
  rig = makeRig();
});
afterEach(() => rig.dispose());

const quoted = (value: unknown): string => JSON.stringify(value);
const argsOf = (family: string, steps: readonly object[]): string => quoted([AGENT, family, JSON.stringify(steps)]);

const adapter = (family: string): string => `[adapter.${family}]\nexecutable = ${quoted(process.execPath)}\n`;

const resident = (family: string, workdir: string, steps: readonly object[], name = 'worker'): string =>
  `[harness.${name}]\nharness = "${family}"\nworkdir = ${quoted(workdir)}\nargs = ${argsOf(family, steps)}\nrestart = "no"\n`;

const work = (repo: string, more: readonly object[] = []): readonly object[] => [
  { session: 's1' },
  { user: `The token is ${TOKEN}.` },
  { edit: 'a.txt' },
  { edit: join(repo, 'docs/b.md') },
  { edit: `notes-${TOKEN}.txt` },
  { run: [`PASSWORD=${TOKEN} npm test`, true] },
  { say: `Done, with ${TOKEN}.` },
  ...more,
];

/** Everything that Harness keeps. */
const kept = (directory: string): string =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

describe.each(['claude-code', 'codex', 'crush'])('%s', (family) => {
  verifies(
    ['SPEC-0030/REQ-8/s1', 'SPEC-0030/REQ-5/s1'],
    'a resident that worked in a repository has an episode when it is stopped, with the files it touched and no secret',
    async () => {
      const repo = rig.repo('api', { branch: 'fix/add' });
      rig.configure(`${adapter(family)}${resident(family, repo, work(repo, [{ touch: rig.path('done') }, { stay: true }]))}`);
      await rig.start();
      expect((await rig.cli('start', 'worker')).code).toBe(0);
      await until(() => (existsSync(rig.path('done')) ? true : undefined), 'the work');
      expect((await rig.cli('stop', 'worker')).code).toBe(0);
      const [episode] = await rig.episodes(1);
      expect(episode).toMatchObject({
        harness: 'worker',
        adapter: family,
        repo: 'forge.example/acme/api',
        branch: 'fix/add',
        outcome: 'cancelled',
        reason: 'operator',
        model: 'scripted-1',
        files_touched: ['a.txt', 'docs/b.md', 'notes-[REDACTED].txt'],
        verify_failures: [{ class: 'test_failure', count: 1 }],
      });
      // A transcript has no result.
      expect(episode).not.toHaveProperty('result_excerpt');
      const [run] = await rig.runs();
      expect(run).toMatchObject({ kind: 'resident', sessions: [{ id: 's1', adapter: family }] });
      await rig.stop();
      expect(kept(rig.path('state'))).not.toContain(TOKEN);
      expect(rig.log()).not.toContain(TOKEN);
    },
  );

  verifies(['SPEC-0030/REQ-8/s1'], 'a command that says whose transcripts it keeps has an episode', async () => {
    const repo = rig.repo('api');
    const argv = `[${quoted(process.execPath)}, ${argsOf(family, work(repo)).slice(1)}`;
    rig.configure(
      `[harness.worker]\nharness = "command"\ntranscripts = "${family}"\nworkdir = ${quoted(repo)}\nargv = ${argv}\nrestart = "no"\nschedule = "0 0 1 1 *"\n`,
    );
    await rig.start();
    expect(await rig.run('worker')).toMatchObject({ kind: 'oneshot', outcome: 'success', sessions: [{ id: 's1', adapter: family }] });
    const [episode] = await rig.episodes(1);
    expect(episode).toMatchObject({ repo: 'forge.example/acme/api', files_touched: ['a.txt', 'docs/b.md', 'notes-[REDACTED].txt'] });
    await rig.stop();
    expect(kept(rig.path('state'))).not.toContain(TOKEN);
  });
});

describe('crush', () => {
  verifies(['SPEC-0030/REQ-8/s1'], 'a prompt run has an episode from its database', async () => {
    const repo = rig.repo('api');
    rig.configure(`[adapter.crush]
executable = ${quoted(process.execPath)}
one_shot = [${quoted(AGENT)}, "crush", "{{prompt}}"]

[harness.worker]
harness = "crush"
workdir = ${quoted(repo)}
prompt = ${quoted(JSON.stringify(work(repo, [{ cost: 0.5 }])))}
`);
    await rig.start();
    const run = await rig.run('worker');
    expect(run).toMatchObject({ outcome: 'success', cost_source: 'recorded', sessions: [{ id: 's1', adapter: 'crush' }] });
    expect(run.cost_usd).toBeCloseTo(0.54);
    const [episode] = await rig.episodes(1);
    expect(episode).toMatchObject({
      adapter: 'crush',
      files_touched: ['a.txt', 'docs/b.md', 'notes-[REDACTED].txt'],
      cost_source: 'recorded',
    });
  });
});

describe('a resident and a one-shot of one client in one directory', () => {
  verifies(['SPEC-0030/REQ-8/s1'], 'have each their own session: the one-shot says which is its', async () => {
    const repo = rig.repo('api');
    // The one-shot streams, and keeps a transcript as well.
    const shot = [{ init: true }, { edit: 'by-shot.txt' }, { transcript: 'by-shot.txt' }, { result: 'Shot.' }];
    rig.configure(
      `${SCRIPTED_ADAPTER}${adapter('claude-code')}${resident('claude-code', repo, work(repo, [{ touch: rig.path('done') }, { await: rig.path('never') }]), 'resident')}` +
        scriptedHarness('shot', repo, shot),
    );
    await rig.start();
    await rig.cli('start', 'resident');
    await until(() => (existsSync(rig.path('done')) ? true : undefined), 'the work');
    // Within two seconds of one another nobody could tell whose the resident's session is.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    const run = await rig.run('shot');
    await rig.cli('stop', 'resident');
    const episodes = await rig.episodes(2);
    const filesOf = (harness: string) => episodes.find((each) => each.harness === harness)?.files_touched;
    expect(filesOf('shot')).toEqual(['by-shot.txt']);
    expect(filesOf('resident')).toEqual(['a.txt', 'docs/b.md', 'notes-[REDACTED].txt']);
    const [sessions] = (await rig.runs('resident')).map(({ sessions }) => sessions?.map(({ id }) => id));
    expect(sessions).toEqual(['s1']);
    expect(run.sessions?.[0]?.id).not.toBe('s1');
    expect(rig.log()).not.toContain('session_ambiguous');
  });
});
