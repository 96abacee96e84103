// The real agent CLIs where no stream tells what they do: claude's own screen on a resident's terminal, typed to as by a person, and
// both clients as commands that say whose transcripts they keep.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claude, codex, codexCodeMode } from '../support/model-server/calls.mjs';
import { type Script, startModelServer } from '../support/model-server/main.mjs';
import { git, makeRig, type Rig, until } from '../support/rig.js';
import { CLAUDE_MODEL, CODEX_CODE_MODE_MODEL, claudeBinary, claudeEnv, codexArgs, codexBinary, codexEnv } from './clients.mjs';
import { survivors } from './support.js';

const TOKEN = `ghp_${'Zz09'.repeat(9)}`;
const SUBTASK = 'Write the notes.';
const FILES = {
  'calc.js': 'exports.add = (a, b) => a - b;\n',
  'package.json': '{ "name": "calc", "private": true, "scripts": { "test": "exit 1" } }\n',
};
const CALC_FIX = '*** Update File: calc.js\n@@\n-exports.add = (a, b) => a - b;\n+exports.add = (a, b) => a + b;';

const quoted = (value: unknown): string => JSON.stringify(value);
const table = (values: Record<string, string>): string =>
  `{ ${Object.entries(values)
    .filter(([name]) => name !== 'PATH')
    .map(([name, value]) => `${name} = ${quoted(value)}`)
    .join(', ')} }`;

const within = async (script: (repo: string) => Script, work: (rig: Rig, repo: string, url: string) => Promise<void>): Promise<void> => {
  const rig = makeRig();
  const repo = rig.repo('api', { files: FILES });
  git(repo, 'checkout', '-q', '-b', 'fix/add');
  const server = await startModelServer(script(repo));
  try {
    await work(rig, repo, server.url);
  } finally {
    await rig.dispose();
    await server.close();
  }
};

/** What a person has answered when they first started the client. */
const answered = (home: string, repo: string): void => {
  mkdirSync(join(home, '.claude'), { recursive: true });
  writeFileSync(join(home, '.claude', 'settings.json'), quoted({ skipDangerousModePermissionPrompt: true, theme: 'dark' }));
  const projects = { [repo]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } };
  const keys = { approved: ['scripted'], rejected: [] };
  writeFileSync(join(home, '.claude.json'), quoted({ hasCompletedOnboarding: true, theme: 'dark', customApiKeyResponses: keys, projects }));
};

/** Looks at the resident's terminal and types on it, through the daemon's service. */
const attachTo = (rig: Rig, harness: string) => {
  const leave = new AbortController();
  const waiting: string[] = [];
  let wake: () => void = () => undefined;
  let seen = '';
  async function* said() {
    yield { message: { case: 'open' as const, value: { harness, size: { cols: 100, rows: 40 } } } };
    while (!leave.signal.aborted) {
      const text = waiting.shift();
      if (text !== undefined) yield { message: { case: 'input' as const, value: new TextEncoder().encode(text) } };
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  void (async () => {
    try {
      for await (const { message } of rig.daemon().attach.attach(said(), { timeoutMs: 0, signal: leave.signal }))
        if (message.case === 'output') seen += new TextDecoder().decode(message.value);
    } catch {
      // Left.
    }
  })();
  return {
    type: (text: string): void => {
      waiting.push(text);
      wake();
    },
    seen: (): string => seen,
    leave: (): void => {
      leave.abort();
      wake();
    },
  };
};

const EDITED = (repo: string) => readFileSync(join(repo, 'calc.js'), 'utf8').includes('a + b');

test('claude on the terminal of a resident: a turn typed by hand is traced, and the resident has an episode', () =>
  within(
    (path) => [
      [claude.read(`${path}/calc.js`)],
      [claude.edit(`${path}/calc.js`, 'a - b', 'a + b'), claude.bash('npm test')],
      { say: `Mended-${TOKEN}` },
    ],
    async (rig, repo, url) => {
      const home = rig.path('agent-home');
      answered(home, repo);
      const env = { ...claudeEnv({ url, home }), TERM: 'xterm-256color' };
      rig.configure(`[adapter.claude-code]
executable = ${quoted(claudeBinary)}

[harness.worker]
harness = "claude-code"
workdir = ${quoted(repo)}
args = ["--dangerously-skip-permissions", "--model", ${quoted(CLAUDE_MODEL)}]
env = ${table(env)}
`);
      await rig.start();
      expect((await rig.cli('start', 'worker')).code).toBe(0);
      const terminal = attachTo(rig, 'worker');
      await until(() => (terminal.seen().includes('❯') ? true : undefined), 'its prompt');
      terminal.type(`Mend add(), the token is ${TOKEN}`);
      await until(() => (terminal.seen().includes(TOKEN.slice(-8)) ? true : undefined), 'what was typed');
      terminal.type('\r');
      await until(() => (EDITED(repo) ? true : undefined), 'the edit');
      await until(() => (terminal.seen().includes('Mended-') ? true : undefined), 'its answer');
      terminal.leave();
      expect((await rig.cli('stop', 'worker')).code).toBe(0);
      const [run] = await rig.runs();
      expect(run).toMatchObject({ kind: 'resident', outcome: 'cancelled', model_calls: 3, cost_source: 'recorded' });
      expect(run?.sessions).toMatchObject([{ adapter: 'claude-code' }]);
      const [episode] = await rig.episodes(1);
      expect(episode).toMatchObject({
        adapter: 'claude-code',
        repo: 'forge.example/acme/api',
        branch: 'fix/add',
        files_touched: ['calc.js'],
        verify_failures: [{ class: 'test_failure', count: 1 }],
      });
      expect(episode).not.toHaveProperty('result_excerpt');
      expect(rig.log()).not.toContain('trace_dropped');
      expect(survivors()).toEqual([]);
    },
  ));

const command = (workdir: string, transcripts: string, argv: readonly string[], env: Record<string, string>): string => `[harness.worker]
harness = "command"
transcripts = "${transcripts}"
workdir = ${quoted(workdir)}
argv = ${quoted(argv)}
restart = "no"
schedule = "0 0 1 1 *"
env = ${table(env)}
`;

const expectBoth = async (rig: Rig): Promise<void> => {
  const run = await rig.run('worker');
  expect(run).toMatchObject({ kind: 'oneshot', outcome: 'success' });
  expect(run.sessions).toHaveLength(2);
  const [episode] = await rig.episodes(1);
  expect(episode).toMatchObject({ repo: 'forge.example/acme/api', branch: 'fix/add', files_touched: ['calc.js', 'notes.md'] });
  expect(rig.log()).not.toContain('trace_dropped');
};

test('claude as a command: its session and its sub-agent’s are traced from their transcripts', () =>
  within(
    (path) => ({
      conversations: [
        { when: SUBTASK, turns: [[claude.write(`${path}/notes.md`, '# add\n')], { say: 'Written.' }] },
        {
          turns: [
            [claude.agent(SUBTASK)],
            [claude.read(`${path}/calc.js`)],
            [claude.edit(`${path}/calc.js`, 'a - b', 'a + b')],
            { say: 'Done.' },
          ],
        },
      ],
    }),
    async (rig, repo, url) => {
      const args = ['-p', '--dangerously-skip-permissions', '--model', CLAUDE_MODEL, '--', 'Mend add().'];
      rig.configure(command(repo, 'claude-code', [claudeBinary, ...args], claudeEnv({ url, home: rig.path('agent-home') })));
      await rig.start();
      await expectBoth(rig);
    },
  ));

test('codex as a command: its thread and its sub-agent’s are traced from their rollouts', () =>
  within(
    () => ({
      conversations: [
        { when: SUBTASK, turns: [[codexCodeMode.patch('*** Add File: notes.md\n+# add')], { say: 'Written.' }] },
        { turns: [[codexCodeMode.spawnAgent(SUBTASK)], [codexCodeMode.waitAgent()], [codexCodeMode.patch(CALC_FIX)], { say: 'Done.' }] },
      ],
    }),
    async (rig, repo, url) => {
      const env = codexEnv({ url, home: rig.path('agent-home'), model: CODEX_CODE_MODE_MODEL });
      rig.configure(command(repo, 'codex', [codexBinary, ...codexArgs({ prompt: 'Mend add().' })], env));
      await rig.start();
      await expectBoth(rig);
      const [run] = await rig.runs();
      expect(run?.model).toBe(CODEX_CODE_MODE_MODEL);
      // Three answers to the thread and one more at its end, two to its sub-agent.
      expect(run?.model_calls).toBe(6);
    },
  ));

test('codex as a command, with tools that are called one by one', () =>
  within(
    () => [[codex.patch(CALC_FIX)], [codex.exec('npm test')], { say: 'Done.' }],
    async (rig, repo, url) => {
      const env = codexEnv({ url, home: rig.path('agent-home') });
      rig.configure(command(repo, 'codex', [codexBinary, ...codexArgs({ prompt: 'Mend add().' })], env));
      await rig.start();
      const run = await rig.run('worker');
      expect(run).toMatchObject({ outcome: 'success', model_calls: 3, cost_source: 'unknown' });
      const [episode] = await rig.episodes(1);
      expect(episode).toMatchObject({ files_touched: ['calc.js'], verify_failures: [{ class: 'test_failure', count: 1 }] });
    },
  ));
