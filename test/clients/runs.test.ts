// The real agent CLIs under the daemon, against a scripted model: what the ledger, the trace and the episode then say.
import { describe, expect, test } from 'vitest';
import { claude, codex } from '../support/model-server/calls.mjs';
import type { Script, Turn } from '../support/model-server/main.mjs';
import { until } from '../support/rig.js';
import { type Client, servers, startClientRig, survivors } from './support.js';

const CLIENTS: readonly Client[] = ['claude-code', 'codex'];
const TOKEN = `ghp_${'Zz09'.repeat(9)}`;
const RESULT = `Fixed add(); one test still fails. I saw ${TOKEN} in the log.`;

const CALC_FIX = '*** Update File: calc.js\n@@\n-exports.add = (a, b) => a - b;\n+exports.add = (a, b) => a + b;';
const NEW_NOTES = '*** Add File: docs/add.md\n+# add';

/** Edits two files, fails a test command, ends with a result. */
const editing = (client: Client, repo: string): Script => {
  const turns: Record<Client, readonly Turn[]> = {
    'claude-code': [
      [claude.read(`${repo}/calc.js`)],
      [claude.edit(`${repo}/calc.js`, 'a - b', 'a + b'), claude.write(`${repo}/docs/add.md`, '# add\n')],
      [claude.bash('npm test')],
      { say: RESULT },
    ],
    codex: [[codex.exec('cat calc.js')], [codex.patch(CALC_FIX, NEW_NOTES)], [codex.exec('npm test')], { say: RESULT }],
  };
  return turns[client];
};

const serving = (client: Client): Script =>
  client === 'codex' ? [[codex.exec('npm run serve')], { say: 'never' }] : [[claude.bash('npm run serve')], { say: 'never' }];

describe.each(CLIENTS)('%s', (client) => {
  test('a run that edits two files, fails a test and ends with a result', async () => {
    const { rig, close } = await startClientRig(client, (path) => editing(client, path));
    try {
      const waited = await rig.cli('trigger', 'worker', '--wait');
      expect(waited.stderr + waited.stdout).toContain('success');
      const [run] = await rig.runs();
      expect(run).toMatchObject({ outcome: 'success', exit_code: 0, kind: 'oneshot', trigger: 'manual' });
      expect(run?.sessions).toHaveLength(1);
      expect(run?.sessions?.[0]?.adapter).toBe(client);
      expect(run?.tokens?.output).toBeGreaterThan(0);
      expect(run?.model_calls).toBeGreaterThan(2);
      const [episode] = await rig.episodes(1);
      expect(episode).toMatchObject({
        adapter: client,
        repo: 'forge.example/acme/api',
        branch: 'fix/add',
        outcome: 'success',
        files_touched: ['calc.js', 'docs/add.md'],
        verify_failures: [{ class: 'test_failure', count: 1 }],
        result_excerpt: 'Fixed add(); one test still fails. I saw [REDACTED] in the log.',
        cost_source: client === 'codex' ? 'unknown' : 'recorded',
      });
      expect(episode?.model).toMatch(client === 'codex' ? /^gpt-/ : /^claude-/);
      const recalled = await rig.cli('memory', 'recall', 'add test fails', '--as', 'worker');
      expect(recalled.stdout).toContain('> Fixed add(); one test still fails.');
      expect(recalled.stdout).toContain('edited calc.js, add.md');
      expect(survivors()).toEqual([]);
    } finally {
      await close();
    }
  });

  test('a run that is killed by its timeout leaves no child behind', async () => {
    const { rig, close } = await startClientRig(client, () => serving(client), 'timeout = "6s"');
    try {
      const waiting = rig.cli('trigger', 'worker', '--wait');
      await until(() => (servers().length > 0 ? true : undefined), 'the shell command to run');
      const waited = await waiting;
      expect(waited.code).toBe(124);
      expect(servers()).toEqual([]);
      const [run] = await rig.runs();
      expect(run).toMatchObject({ outcome: 'timed_out' });
      expect(run?.sessions).toHaveLength(1);
      const [episode] = await rig.episodes(1);
      expect(episode).toMatchObject({
        outcome: 'timed_out',
        repo: 'forge.example/acme/api',
        branch: 'fix/add',
        files_touched: [],
        verify_failures: [],
      });
      expect(episode?.result_excerpt).toBeUndefined();
      expect(episode?.trace_id).toBe(run?.sessions?.[0]?.trace_id);
      await until(() => (survivors().length === 0 ? true : undefined), 'the death of every child');
      expect(survivors()).toEqual([]);
    } finally {
      await close();
    }
  });

  test('a run whose model answers 500 fails, says so, and has an episode', async () => {
    const failures: readonly Turn[] = Array.from({ length: 8 }, () => ({ status: 500 }));
    const { rig, close } = await startClientRig(client, () => failures);
    try {
      const waited = await rig.cli('trigger', 'worker', '--wait');
      expect(waited.code).toBe(1);
      const [run] = await rig.runs();
      expect(run).toMatchObject({ outcome: 'failed', exit_code: 1 });
      expect(Object.keys(run?.errors ?? {})).toEqual(['transport']);
      const [episode] = await rig.episodes(1);
      expect(episode).toMatchObject({
        outcome: 'failed',
        repo: 'forge.example/acme/api',
        branch: 'fix/add',
        files_touched: [],
        verify_failures: [],
      });
      // claude tells its failure as its result; codex has none.
      if (client === 'claude-code') expect(episode?.result_excerpt).toMatch(/^API Error/);
      else expect(episode?.result_excerpt).toBeUndefined();
      expect(survivors()).toEqual([]);
    } finally {
      await close();
    }
  });
});

test('a prompt that claude takes for a command is no success', async () => {
  const { rig, close } = await startClientRig('claude-code', () => []);
  try {
    rig.configure((await import('node:fs')).readFileSync(rig.configFile, 'utf8').replace('prompt = "-- Mend', 'prompt = "/help Mend'));
    expect((await rig.cli('reload')).code).toBe(0);
    await rig.cli('trigger', 'worker', '--wait');
    const [run] = await rig.runs();
    expect(run).toMatchObject({ outcome: 'failed', exit_code: 0 });
    expect(run?.reason).toBeUndefined();
  } finally {
    await close();
  }
});
