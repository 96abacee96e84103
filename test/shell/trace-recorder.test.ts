// Recording a stream line by line with a scripted git: how often it is asked, and what is kept of lines nobody expected.
import { describe, expect, test } from 'vitest';
import type { GitPlace } from '../../src/shell/git/git.js';
import type { RunFile } from '../../src/shell/supervise/run-log.js';
import { readStream } from '../../src/shell/traces/readers.js';
import { recordTrace } from '../../src/shell/traces/trace-recorder.js';
import { testWorld } from '../support/stores.js';

const memoryFile = (): RunFile & { readonly text: () => string } => {
  let text = '';
  return {
    path: '',
    write: async (more) => {
      text += more;
    },
    close: async () => undefined,
    text: () => text,
  };
};

const inside = (cwd: string): GitPlace => ({
  kind: 'inside',
  sample: { at: '2026-09-28T02:10:00.000000000Z', cwd, worktree: cwd, prefix: '', repo: `forge.example/acme${cwd}`, local: false },
});

const record = (sampler: (cwd: string) => Promise<GitPlace>) => {
  const stream = memoryFile();
  const world = testWorld(() => 0);
  const reading = readStream('claude-code', '/work', []);
  const streaming = { reading, file: stream, log: memoryFile() };
  const source = { key: { harness: 'h', run_id: 1 }, adapter: 'a', source: 'stream', workdir: '/work', streaming } as const;
  const recorder = recordTrace(source, sampler, world);
  const say = (line: unknown): Promise<void> =>
    recorder.line({ kind: 'line', bytes: Buffer.from(typeof line === 'string' ? line : JSON.stringify(line)) });
  return { recorder, say, stream, world };
};
const init = (session_id: string, cwd: string) => ({ type: 'system', subtype: 'init', session_id, cwd, model: 'm', tools: [] });

describe('a recorded trace', () => {
  test('asks git once for sessions announced together in one directory, and places every one', async () => {
    const asked: string[] = [];
    const { recorder, say } = record(async (cwd) => {
      asked.push(cwd);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return inside(cwd);
    });
    for (let i = 0; i < 200; i += 1) await say(init(`s${i}`, i % 2 === 0 ? '/a' : '/b'));
    const { sessions } = await recorder.finish(async () => undefined);
    expect(sessions).toHaveLength(200);
    for (const [index, session] of sessions.entries()) expect(session.repo).toBe(`forge.example/acme${index % 2 === 0 ? '/a' : '/b'}`);
    expect(asked.length).toBeLessThan(20);
  });

  test('without an answer from git keeps its sessions, and says why', async () => {
    const { recorder, say, world } = record(async () => ({ kind: 'unknown', why: 'no git' }));
    await say(init('s', '/a'));
    const { sessions } = await recorder.finish(async () => 'model-beside');
    expect(sessions).toMatchObject([{ session_id: 's', cwd: '/a', models: [{ model: 'model-beside' }] }]);
    expect(sessions[0]).not.toHaveProperty('repo');
    expect(world.log.events).toContainEqual({ event: 'git_failed', harness: 'h', run: 1, error: 'no git' });
  });

  test('counts what it could not use by reason, and keeps it redacted in the stream file', async () => {
    const token = `ghp_${'aB3d'.repeat(9)}`;
    const { recorder, say, stream } = record(async (cwd) => inside(cwd));
    await say(init('s', '/a'));
    for (const text of ['', '   ', '7', 'null', `plain ${token}`, '{"cut": "', '[]', '{}']) await say(text);
    await recorder.line({ kind: 'too_long', length: 99 });
    await recorder.line({ kind: 'partial', bytes: Buffer.from('{"type":') });
    const { drops } = await recorder.finish(async () => undefined);
    expect(drops).toMatchObject({ not_json: 6, line_too_long: 1 });
    expect(stream.text()).toContain('plain [REDACTED]\n');
    expect(stream.text()).toContain('"bytes":99');
    expect(stream.text()).not.toContain(token);
  });
});
