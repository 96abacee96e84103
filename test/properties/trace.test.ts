// Laws of the trace readers and of command classification, over recorded lines, damaged lines and lines nobody wrote (ADR-0033).
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { utf8Length } from '../../src/core/kernel/text.js';
import { SUMMARY_BYTES } from '../../src/core/run/session.js';
import { ACTIONS, type TraceItem } from '../../src/core/run/trace-event.js';
import { classifyCommand, unwrappedCommand, VERIFY_PATTERNS } from '../../src/core/trace/classify-command.js';
import { rolloutModel } from '../../src/core/trace/codex.js';
import { MODEL_ERROR_CLASSES, modelErrorClass } from '../../src/core/trace/error-class.js';
import { readAll, readerFor } from '../support/trace-lines.js';

const CLIENTS = ['claude-code', 'codex'] as const;
const setting = { verifyExtras: [] };
const recordings = join(import.meta.dirname, '../fixtures/traces');

interface Recording {
  readonly client: (typeof CLIENTS)[number];
  readonly text: string;
}

const streams: readonly Recording[] = CLIENTS.flatMap((client) =>
  readdirSync(join(recordings, client)).map((name) => ({
    client,
    text: readFileSync(join(recordings, client, name, 'stream.jsonl'), 'utf8'),
  })),
);

const recording = fc.constantFrom(...streams);
const client = fc.constantFrom(...CLIENTS);

const read = (name: string, text: string): readonly TraceItem[] => {
  const { items, rest } = readAll(readerFor(name, setting), text);
  return [...items, ...rest];
};

const jsonl = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** A recorded row with one field, at any depth, replaced or removed. */
const damaged = fc
  .record({ from: recording, line: fc.nat(), path: fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), value: fc.option(fc.jsonValue()) })
  .map(({ from, line, path, value }) => {
    const lines = from.text.trimEnd().split('\n');
    const row: unknown = JSON.parse(lines[line % lines.length] ?? '{}');
    let place = row;
    for (const [depth, step] of path.entries()) {
      if (typeof place !== 'object' || place === null) break;
      const fields = place as Record<string, unknown>;
      const key = Object.keys(fields)[step % Math.max(1, Object.keys(fields).length)];
      if (key === undefined) break;
      if (depth < path.length - 1) place = fields[key];
      else if (value === null) delete fields[key];
      else fields[key] = value;
    }
    return row;
  });

const anyRows = fc.array(fc.oneof(fc.jsonValue(), damaged), { maxLength: 12 });

describe('trace readers', () => {
  test('total: no JSON value makes a reader throw, and its items are well formed', () => {
    fc.assert(
      fc.property(client, anyRows, (name, rows) => {
        for (const item of read(name, jsonl(rows))) {
          if (item.type !== 'event') continue;
          expect(utf8Length(item.event.summary)).toBeLessThanOrEqual(SUMMARY_BYTES);
          expect(item.event.kind === 'tool_call').toBe(item.event.action !== undefined);
          expect(Number.isFinite(item.event.at)).toBe(true);
        }
      }),
    );
  });

  test('prefix: the items of a cut stream begin the items of the whole one', () => {
    fc.assert(
      fc.property(recording, fc.nat(), (from, at) => {
        const bytes = Buffer.from(from.text);
        const cut = bytes.subarray(0, at % (bytes.length + 1)).toString('utf8');
        const whole = readAll(readerFor(from.client, setting), from.text).items;
        const part = readAll(readerFor(from.client, setting), cut).items;
        expect(part).toEqual(whole.slice(0, part.length));
      }),
    );
  });

  test('announced first: every item of a session comes after that session, once', () => {
    fc.assert(
      fc.property(client, anyRows, fc.nat(), (name, rows, pick) => {
        const base = streams.filter((stream) => stream.client === name);
        const text = jsonl(rows) + (base[pick % base.length]?.text ?? '');
        const known = new Set<string>();
        for (const item of read(name, text)) {
          if (item.type === 'dropped') continue;
          if (item.type !== 'session') expect(known.has(item.session_id)).toBe(true);
          else {
            expect(known.has(item.session.session_id)).toBe(false);
            known.add(item.session.session_id);
          }
        }
      }),
    );
  });

  test('one event for each call: what began either ended or is unfinished at the end', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: 40 }), { minLength: 1, maxLength: 20 }), fc.nat({ max: 20 }), (ids, ended) => {
        const begun = ids.map((id) => claudeCall(`t${id}`, 'Read', { file_path: `/srv/${id}` }));
        const results = ids.slice(0, ended).map((id) => claudeResult(`t${id}`, 'x', false));
        const events = read('claude-code', jsonl([...begun, ...results])).filter((item) => item.type === 'event');
        const unfinished = events.filter((item) => item.event.summary.endsWith(' unfinished'));
        expect(events.length).toBe(ids.length);
        expect(unfinished.length).toBe(Math.max(0, ids.length - ended));
      }),
    );
  });
});

const SESSION = '5e551011-0000-4000-8000-000000000001';
const CANARY = 'canary-7f3a';

const claudeCall = (id: string, name: string, input: unknown): unknown => ({
  type: 'assistant',
  session_id: SESSION,
  message: { id: `m-${id}`, model: 'claude-sonnet-5-5', content: [{ type: 'tool_use', id, name, input }] },
});

const claudeResult = (id: string, content: unknown, is_error: boolean): unknown => ({
  type: 'user',
  session_id: SESSION,
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, is_error }] },
  tool_use_result: { stdout: content },
});

/** Text that a summary shows no part of: it stands behind more than 96 code points of something else. */
const late = `printf ${'x'.repeat(120)} ${CANARY}`;

const claudeTools = fc.constantFrom(
  ['Bash', { command: late, description: CANARY }],
  ['Write', { file_path: '/srv/demo/a.ts', content: CANARY }],
  ['Edit', { file_path: '/srv/demo/a.ts', old_string: CANARY, new_string: CANARY }],
  ['Grep', { pattern: CANARY, path: '/srv/demo' }],
  ['Agent', { prompt: CANARY, description: CANARY }],
  ['mcp__notes__add', { text: CANARY, path: CANARY }],
  ['WebFetch', { url: `https://example.invalid/${CANARY}` }],
  ['NoSuchTool', { anything: [CANARY] }],
);

describe('what is never kept', () => {
  test('claude-code: prompts, arguments and results are in no item', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(claudeTools, fc.boolean(), fc.boolean()), { maxLength: 8 }), (calls) => {
        const prompt = { type: 'user', session_id: SESSION, message: { role: 'user', content: CANARY } };
        const started = {
          type: 'system',
          subtype: 'task_started',
          task_type: 'local_agent',
          task_id: 'a1',
          session_id: SESSION,
          prompt: CANARY,
        };
        const rows = calls.flatMap(([[name, input], ended, failed], i) => [
          claudeCall(`t${i}`, String(name), input),
          ...(ended ? [claudeResult(`t${i}`, failed ? CANARY : [{ type: 'text', text: CANARY }], failed)] : []),
        ]);
        expect(JSON.stringify(read('claude-code', jsonl([prompt, started, ...rows])))).not.toContain(CANARY);
      }),
    );
  });

  test('codex: arguments, outputs and reasoning are in no item but the result', () => {
    const items = fc.constantFrom(
      { type: 'command_execution', command: `/bin/bash -lc '${late}'`, aggregated_output: CANARY, exit_code: 1, status: 'failed' },
      { type: 'file_change', changes: [{ path: '/srv/demo/a.ts', kind: 'update', diff: CANARY }], status: 'completed' },
      { type: 'mcp_tool_call', server: 's', tool: 't', arguments: { text: CANARY }, result: { content: [{ type: 'text', text: CANARY }] } },
      { type: 'collab_tool_call', tool: 'spawn_agent', receiver_thread_ids: ['t2'], prompt: CANARY },
      { type: 'web_search', query: CANARY },
      { type: 'reasoning', text: CANARY },
      { type: 'error', message: CANARY },
      { type: 'agent_message', text: `said ${CANARY}` },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(items, fc.boolean()), { maxLength: 8 }), fc.boolean(), (done, fails) => {
        const rows = done.flatMap(([item, started], i) => [
          ...(started ? [{ type: 'item.started', item: { ...item, id: `i${i}` } }] : []),
          { type: 'item.completed', item: { ...item, id: `i${i}` } },
        ]);
        const end = fails ? { type: 'turn.failed', error: { message: CANARY } } : { type: 'turn.completed', usage: {} };
        const all = read('codex', jsonl([{ type: 'thread.started', thread_id: 't1' }, ...rows, { type: 'error', message: CANARY }, end]));
        expect(JSON.stringify(all.filter((item) => item.type !== 'result'))).not.toContain(CANARY);
        const result = all.find((item) => item.type === 'result');
        expect(result?.result.is_error).toBe(fails);
      }),
    );
  });
});

describe('commands', () => {
  const word = fc.stringMatching(/^[a-z./-]{1,8}$/);

  test('total: any text has an action', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'grapheme' })), (text) => {
        expect(ACTIONS).toContain(classifyCommand(text).action);
      }),
    );
  });

  test('a verify pattern anywhere, in any case, is verify', () => {
    fc.assert(
      fc.property(fc.constantFrom(...VERIFY_PATTERNS), word, word, fc.boolean(), (pattern, before, after, loud) => {
        const command = `${before} && ${loud ? pattern.toUpperCase() : pattern} ${after}`;
        expect(classifyCommand(command).action).toBe('verify');
      }),
    );
  });

  test('blank extras match nothing; others match as they are trimmed', () => {
    expect(classifyCommand('make lint', ['', '  ']).action).toBe('exec');
    expect(classifyCommand('make lint', [' Make Lint ']).action).toBe('verify');
  });

  test('wrapping in a shell changes nothing', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), fc.constantFrom('/bin/bash -lc', 'bash -c', 'sh -c'), (words, shell) => {
        const command = words.join(' ');
        expect(unwrappedCommand(`${shell} '${command}'`)).toBe(command);
      }),
    );
  });

  test.each([
    ['ls -la src', 'search', []],
    ['cat a.ts | grep -o foo', 'search', []],
    ["find . -name '*.ts'", 'search', []],
    ['find . -name x -delete', 'exec', []],
    ['git diff HEAD~1', 'search', []],
    ['git push', 'exec', []],
    ['head -n 20 a.ts b.ts', 'read', ['a.ts', 'b.ts']],
    ["sed -n '1,20p' src/a.ts", 'read', ['src/a.ts']],
    ['sed -i.bak s/a/b/ a.ts', 'exec', []],
    ['cat $(ls)', 'exec', []],
    ['cat a.ts > b.ts', 'exec', []],
    ['cat a.ts 2>/dev/null', 'read', ['a.ts']],
    ['LC_ALL=C sort -u', 'exec', []],
    ["rg 'unclosed", 'exec', []],
    ['constructor x', 'exec', []],
    ['', 'exec', []],
  ])('%s is %s', (command, action, paths) => {
    const reading = classifyCommand(command);
    expect([reading.action, reading.targets.map(({ path }) => path)]).toEqual([action, paths]);
  });
});

describe('model errors and rollouts', () => {
  test('total: any message and status has a class', () => {
    fc.assert(
      fc.property(fc.string(), fc.option(fc.integer(), { nil: undefined }), (message, status) => {
        expect(MODEL_ERROR_CLASSES).toContain(modelErrorClass(message, status));
      }),
    );
  });

  test.each([
    ['', 429, 'quota'],
    ['Credit balance is too low', undefined, 'quota'],
    ['exceeded retry limit, last status: 429 Too Many Requests', undefined, 'quota'],
    ['Invalid API key · Fix external API key', undefined, 'auth'],
    ['unexpected status 401 Unauthorized: bad key', undefined, 'auth'],
    ['Request timed out', undefined, 'timeout'],
    ['', 504, 'timeout'],
    ['API Error: 529 overloaded', undefined, 'transport'],
    ['Connection failed: error sending request', undefined, 'transport'],
    ['API Error: Connection refused (ECONNREFUSED)', undefined, 'transport'],
    ['prompt is too long: 210000 tokens', 400, 'other'],
    ["There's an issue with the selected model", 404, 'other'],
  ])('%s %s is %s', (message, status, wanted) => {
    expect(modelErrorClass(message, status)).toBe(wanted);
  });

  test('a rollout names its model in the turn context', () => {
    const rows = readFileSync(join(recordings, 'codex', 'edits', 'rollout.jsonl'), 'utf8')
      .trimEnd()
      .split('\n');
    const models = rows.flatMap((row) => rolloutModel(JSON.parse(row)) ?? []);
    expect(models).toEqual(['gpt-5.5']);
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(rolloutModel(value)).toBeUndefined();
      }),
    );
  });
});
