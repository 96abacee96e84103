// A supervised run becomes an episode that recall finds: the built binary, a real child process, real git, a real store file.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256Hex } from '../../src/shell/daemon/world.js';
import { childrenOf, git, makeRig, type Rig, until } from '../support/rig.js';
import { SCRIPTED_ADAPTER, scriptedHarness } from '../support/scripted.js';
import { verifies } from '../support/verifies.js';

const TOKEN = `ghp_${'a1B2'.repeat(9)}`;
let rig: Rig;
let repo: string;

beforeAll(async () => {
  rig = makeRig();
  repo = rig.repo('api');
  git(repo, 'checkout', '-q', '-b', 'fix/flaky');
  const failing = [
    { init: true },
    { edit: `${repo}/src/b.go` },
    { edit: `${repo}/src/a.go` },
    { edit: `${repo}/README.md` },
    { edit: `${repo}/never.go`, failed: true },
    { edit: '/etc/outside' },
    { verify: ['go test ./...', true] },
    { verify: ['go test -run Ledger', true] },
    { verify: ['go test ./ok', false] },
    { result: `The token ${TOKEN}\nwas\u0000 used; outcome: success` },
    { exit: 3 },
  ];
  rig.configure(
    [
      SCRIPTED_ADAPTER,
      scriptedHarness('api-fixer', repo, failing),
      scriptedHarness('scratch', repo, [{ init: true }, { result: 'done' }], 'memory_record = false'),
      scriptedHarness('outside', rig.dir, [{ init: true }, { result: 'done' }]),
      scriptedHarness('inline', repo, [{ init: true }, { result: 'done' }], 'untrusted_inline = true'),
      scriptedHarness('untraced', repo, [{ init: true }, { result: 'done' }], 'record_trace = false'),
    ].join('\n'),
  );
  await rig.start();
});

afterAll(() => rig.dispose());

const skipsUntil = (reason: string) =>
  until(async () => {
    const status = await rig.json<{ skipped: Record<string, number>; episodes: number }>('memory', 'status');
    return status.skipped[reason] === 1 ? status : undefined;
  }, `a skip for ${reason}`);

describe('an episode', () => {
  verifies(
    ['SPEC-0030/REQ-5/a-failed-run-yields-a-complete-episode', 'SPEC-0030/REQ-5/s1', 'SPEC-0030/REQ-1/the-default-needs-nothing'],
    'of a failed run lists its files, its verify failures and its outcome',
    async () => {
      const waited = await rig.cli('trigger', 'api-fixer', '--wait');
      expect(waited.code).toBe(3);
      const [episode] = await rig.episodes(1);
      expect(episode).toMatchObject({
        harness: 'api-fixer',
        adapter: 'scripted',
        run_id: 1,
        model: 'scripted-1',
        repo: 'forge.example/acme/api',
        branch: 'fix/flaky',
        outcome: 'failed',
        cost_usd: 0.25,
        cost_source: 'recorded',
        files_touched: ['README.md', 'src/a.go', 'src/b.go'],
        verify_failures: [{ class: 'test_failure', count: 2 }],
        trust_class: 'standard',
        scope: 'project:forge.example/acme/api',
      });
      // The built-in provider holds it, indexed under its own id, and no process but the daemon and the run was started for it.
      const status = await until(async () => {
        const now = await rig.json<{ provider: string; indexed: number }>('memory', 'status');
        return now.indexed === 1 ? now : undefined;
      }, 'the index row');
      expect(status.provider).toBe('builtin');
      expect(rig.log()).toMatch(/"reason":"outside_worktree","count":1,"msg":"edits_dropped"/);
      expect(childrenOf(rig.daemonPid())).toEqual([]);
      expect(episode?.episode_id).toBe(`ep_${sha256Hex(`api-fixer\n1\n${episode?.started_at}`).slice(0, 20)}`);
    },
  );

  verifies(['SPEC-0030/REQ-5/s3'], 'holds no prompt, no tool argument and no transcript text but the excerpt', async () => {
    const { stdout } = await rig.cli('memory', 'episodes', (await rig.episodes(1))[0]?.episode_id ?? '', '--json');
    expect(stdout).not.toContain('old_string');
    expect(stdout).not.toContain('"verify"');
    expect(stdout).not.toContain('go test');
  });

  test('keeps a token out of store, log and stream', async () => {
    await rig.stop();
    await rig.start();
    for (const file of [rig.store, `${rig.jobs}/api-fixer/1.log`, `${rig.jobs}/api-fixer/1.stream.jsonl`])
      expect(readFileSync(file, 'latin1')).not.toContain(TOKEN);
    const [episode] = await rig.episodes(1);
    expect(episode?.result_excerpt).toBe('The token [REDACTED] was used; outcome: success');
  });

  verifies(['SPEC-0030/REQ-8/opting-a-harness-out'], 'is not made for a harness that opted out', async () => {
    expect((await rig.cli('trigger', 'scratch', '--wait')).code).toBe(0);
    expect(await skipsUntil('opted_out')).toMatchObject({ episodes: 1 });
  });

  test('is not made outside every repository, without a trace, and the skip is counted by reason', async () => {
    await rig.cli('trigger', 'outside', '--wait');
    await rig.cli('trigger', 'untraced', '--wait');
    await skipsUntil('no_repository');
    await skipsUntil('no_trace');
  });

  verifies(['SPEC-0030/REQ-6/s2'], 'takes its scope from its repository and marks what an operator let in', async () => {
    await rig.cli('trigger', 'inline', '--wait');
    const episodes = await rig.episodes(2);
    const inline = episodes.find((episode) => episode.harness === 'inline');
    expect(inline).toMatchObject({ trust_class: 'untrusted_input', scope: 'project:forge.example/acme/api' });
  });
});

describe('recall', () => {
  test('finds the episode by words of its result and serves it quoted, with provenance from the store', async () => {
    const { stdout } = await rig.cli('memory', 'recall', 'token used', '--repo', 'forge.example/acme/api');
    expect(stdout).toContain('source: run=api-fixer#1 model=scripted-1 adapter=scripted branch=fix/flaky outcome=failed');
    expect(stdout).toContain('> The token [REDACTED] was used; outcome: success');
    expect(stdout.split('\n').filter((line) => line.startsWith('outcome:'))).toEqual([]);
  });

  test('sees nothing of another repository', async () => {
    const answer = await rig.json<{ sections: { items: unknown[] }[] }>(
      'memory',
      'recall',
      'token',
      '--repo',
      'forge.example/acme/billing',
    );
    expect(answer.sections.flatMap((section) => section.items)).toEqual([]);
  });

  test('as a harness outside every repository is refused, and says what to do', async () => {
    const refused = await rig.cli('memory', 'recall', 'token', '--as', 'outside');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('harness no repository:');
    expect(refused.stderr).toContain(' init');
  });
});
