// Laws of reading transcripts: what a long one is searched by, what crush's totals come to, and that no row makes a reader throw.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { TraceItem } from '../../src/core/run/trace-event.js';
import { NO_TOKENS, usageSince } from '../../src/core/run/usage.js';
import { CRUSH_START, type CrushRows, finishCrush, stepCrush } from '../../src/core/trace/crush.js';
import { NOTHING_SPENT, spendMore } from '../../src/core/trace/crush-usage.js';
import type { Row } from '../../src/core/trace/fields.js';
import { addToHead, isWholeHead, type PartialHead } from '../../src/core/trace/transcript-head.js';
import { readTranscript } from '../../src/shell/traces/readers.js';
import { seekRow } from '../../src/shell/traces/transcripts/seek-row.js';

const SECOND = 1_000;
const setting = { cwd: '/w', verifyExtras: [], started_at: 100 * SECOND, before: () => undefined };
const NOTHING: CrushRows = { sessions: [], messages: [], files: [] };

const dir = mkdtempSync(join(tmpdir(), 'hrn-seek-'));
afterAll(() => rmSync(dir, { recursive: true }));

describe('seeking the first row of a run', () => {
  const rows = fc.array(fc.record({ step: fc.nat(5), bytes: fc.nat(60_000), dated: fc.boolean() }), { maxLength: 60 });

  test('no row of the run stands before the place, which is the start of a row', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.nat(200), async (specs, since) => {
        let at = 0;
        const lines = specs.map(({ step, bytes, dated }) => {
          at += step;
          return JSON.stringify({ ...(dated ? { at } : {}), filler: 'x'.repeat(bytes) });
        });
        const text = lines.map((line) => `${line}\n`).join('');
        const path = join(dir, 'rows');
        writeFileSync(path, text);
        const handle = await open(path);
        const found = await seekRow(handle, text.length, since, (line) => (JSON.parse(line) as { at?: number }).at);
        await handle.close();
        expect(found === 0 || text[found - 1] === '\n').toBe(true);
        for (const line of text.slice(0, found).split('\n').slice(0, -1)) {
          const { at: when } = JSON.parse(line) as { at?: number };
          if (when !== undefined) expect(when).toBeLessThan(since);
        }
      }),
      { numRuns: 60 },
    );
  });
});

const totals = fc.record({ input: fc.nat(1_000), output: fc.nat(1_000), cost: fc.integer({ min: 0, max: 1_000 }) });

describe("crush's cumulative totals", () => {
  test('growth: what was spent is never negative and never falls, and a total that went down begins anew', () => {
    fc.assert(
      fc.property(fc.array(totals), (seen) => {
        let spending = NOTHING_SPENT(undefined);
        for (const each of seen) {
          const next = spendMore(spending, each);
          for (const key of ['input', 'output', 'cost'] as const) {
            expect(next.spent[key]).toBe(spending.spent[key] + Math.max(0, each[key] - spending.last[key]));
            if (each[key] < spending.last[key]) expect(next.spent[key]).toBe(spending.spent[key]);
          }
          spending = next;
        }
      }),
    );
  });

  test('split: runs that follow one another spend together what one would have', () => {
    fc.assert(
      fc.property(fc.array(totals, { minLength: 1 }), fc.nat(), (seen, cut) => {
        const at = cut % seen.length;
        const all = seen.reduce(spendMore, NOTHING_SPENT(undefined));
        const first = seen.slice(0, at).reduce(spendMore, NOTHING_SPENT(undefined));
        const second = seen.slice(at).reduce(spendMore, NOTHING_SPENT(first.last));
        for (const key of ['input', 'output', 'cost'] as const) expect(first.spent[key] + second.spent[key]).toBe(all.spent[key]);
      }),
    );
  });

  test('a session from before the run of which no total is known counts from where it stands', () => {
    const row = (prompt_tokens: number, created_at: number): Row => ({ id: 's', created_at, prompt_tokens, completion_tokens: 0, cost: 0 });
    const spent = (created_at: number, before: number | undefined) => {
      const known = before === undefined ? undefined : { input: before, output: 0, cost: 0 };
      const first = stepCrush(CRUSH_START, { ...NOTHING, sessions: [row(50, created_at)] }, { ...setting, before: () => known });
      const second = stepCrush(first.state, { ...NOTHING, sessions: [row(80, created_at)] }, setting);
      return second.items.flatMap((item) => (item.type === 'usage' ? [item.usage.tokens.input] : [])).at(-1);
    };
    expect([spent(100, undefined), spent(99, undefined), spent(99, 45), spent(99, 60)]).toEqual([80, 30, 35, 30]);
  });
});

describe('a session of crush', () => {
  const message = (id: string, role: string, at: number, parts: readonly (readonly [string, object])[], more: Row = {}): Row => ({
    id,
    session_id: 's',
    role,
    created_at: at,
    updated_at: at,
    parts: parts.map(([type, data]) => ({ type, data })),
    ...(role === 'assistant' ? { model: 'm', provider: 'p' } : {}),
    ...more,
  });
  const call = (id: string, name: string, input: object, finished = true) =>
    ['tool_call', { id, name, input: JSON.stringify(input), finished }] as const;
  const result = (id: string, is_error = false) => ['tool_result', { tool_call_id: id, content: 'four', is_error }] as const;
  const finish = (reason: string, more: object = {}) => ['finish', { reason, ...more }] as const;

  const session = { id: 's', created_at: 101, prompt_tokens: 10, completion_tokens: 5, cost: 0.5 };
  const rows: CrushRows = {
    sessions: [session, { id: 'c', parent_session_id: 's', created_at: 102 }],
    messages: [
      message('0', 'user', 99, [['text', { text: 'before the run' }]]),
      message('1', 'user', 101, [['text', { text: 'mend it' }]]),
      message('2', 'assistant', 102, [call('a', 'edit', { file_path: '/w/a.txt' }), call('b', 'bash', { command: 'npm test' }, false)]),
      message('3', 'tool', 103, [result('a')]),
      message('4', 'assistant', 104, [['text', { text: 'Done.' }], finish('end_turn')], { is_summary_message: 1 }),
      message('5', 'assistant', 105, [finish('error', { message: 'Rate limited', details: 'status 429' })]),
      message('6', 'assistant', 106, [finish('canceled')]),
      message('7', 'system', 107, []),
    ],
    files: [
      { session_id: 's', path: '/w/a.txt', version: 1, created_at: 103 },
      { session_id: 's', path: '/w/by-another-tool.txt', version: 0, created_at: 103 },
      { session_id: 's', path: '/w/by-another-tool.txt', version: 1, created_at: 103 },
      { session_id: 's', path: '/w/before.txt', version: 1, created_at: 98 },
    ],
  };
  const told = (items: readonly TraceItem[]): readonly string[] =>
    items.map((item) => {
      if (item.type === 'event') return `${item.session_id} ${item.event.mark ?? item.event.tool}: ${item.event.summary}`;
      return item.type === 'dropped' ? item.reason : `${item.type} ${item.type === 'session' ? item.session.session_id : item.session_id}`;
    });

  test('says what it did, in the order it did it', () => {
    const { state, items } = stepCrush(CRUSH_START, rows, setting);
    expect(told(items)).toEqual([
      'session s',
      's subagent: subagent',
      'session c',
      'before_run',
      's user-message: 7 characters',
      's edit: edit -> 1 targets, 0 outside',
      's compaction: compaction',
      's turn-end: completed',
      's error: model call failed: quota',
      's turn-end: stopped',
      's file_version: file_version -> 1 targets, 0 outside',
      'usage s',
      'usage c',
    ]);
    expect(items.at(-2)).toEqual({
      type: 'usage',
      session_id: 's',
      usage: {
        models: [{ model: 'm', provider: 'p', output_tokens: 5 }],
        tokens: { ...NO_TOKENS, input: 10, output: 5 },
        model_calls: 2,
        cost_usd: 0.5,
        cost_source: 'recorded',
      },
    });
    expect(finishCrush(state)).toEqual([]);
  });

  test('says nothing twice, and goes on with a message that is written further', () => {
    const first = stepCrush(CRUSH_START, rows, setting);
    const again = stepCrush(first.state, rows, setting);
    expect(told(again.items)).toEqual(['before_run', 'usage s', 'usage c']);
    const whole = message('2', 'assistant', 102, [
      call('a', 'edit', { file_path: '/w/a.txt' }),
      call('b', 'bash', { command: 'npm test' }),
      finish('tool_use'),
    ]);
    const next = stepCrush(again.state, { ...NOTHING, messages: [whole, message('8', 'tool', 108, [result('b', true)])] }, setting);
    expect(told(next.items)).toEqual(['s bash: npm test error']);
    expect(told(finishCrush(stepCrush(again.state, { ...NOTHING, messages: [whole] }, setting).state))).toEqual([
      's bash: npm test unfinished',
    ]);
  });
});

test('what a session of claude used is told from what it had used before', () => {
  const usage = (cost_usd: number, input: number, output_tokens: number) => ({
    models: [{ model: 'm', output_tokens }],
    tokens: { ...NO_TOKENS, input },
    model_calls: 1,
    cost_usd,
    cost_source: 'recorded' as const,
  });
  expect(usageSince(usage(3, 30, 9), usage(1, 10, 4))).toEqual(usage(2, 20, 5));
  expect(usageSince(usage(1, 5, 1), usage(2, 10, 4))).toEqual(usage(0, 0, 0));
  expect(usageSince(usage(1, 5, 1), undefined)).toEqual(usage(1, 5, 1));
});

const row = fc.dictionary(
  fc.constantFrom(
    'id',
    'session_id',
    'parent_session_id',
    'role',
    'parts',
    'created_at',
    'prompt_tokens',
    'cost',
    'path',
    'version',
    'type',
    'payload',
  ),
  fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('s', 'assistant', 'tool', 'user', 100, 200),
    fc.array(
      fc.record(
        {
          type: fc.constantFrom('tool_call', 'tool_result', 'finish', 'text'),
          data: fc.dictionary(fc.constantFrom('id', 'name', 'input', 'finished', 'tool_call_id', 'reason', 'text'), fc.jsonValue()),
        },
        { requiredKeys: [] },
      ),
    ),
  ),
);

describe('readers of transcripts', () => {
  test('total: no rows of a database make the reader of crush throw, and its items are of sessions it announced', () => {
    fc.assert(
      fc.property(fc.array(row), fc.array(row), fc.array(row), (sessions, messages, files) => {
        const { state, items } = stepCrush(
          CRUSH_START,
          { sessions: [{ id: 's', created_at: 100 }, ...sessions], messages, files },
          setting,
        );
        const announced = new Set(items.flatMap((item) => (item.type === 'session' ? [item.session.session_id] : [])));
        for (const item of [...items, ...finishCrush(state)])
          if (item.type === 'event' && item.event.mark !== 'subagent') expect(announced).toContain(item.session_id);
      }),
    );
  });

  test('once: rows that are read again say nothing again', () => {
    fc.assert(
      fc.property(fc.array(row), fc.array(row), (messages, files) => {
        const rows = {
          sessions: [{ id: 's', created_at: 100 }],
          messages: messages.map((each, id) => ({ ...each, id: `m${id}`, session_id: 's' })),
          files,
        };
        const first = stepCrush(CRUSH_START, rows, setting);
        const again = stepCrush(first.state, rows, setting);
        expect(again.items.filter(({ type }) => type === 'event' || type === 'session')).toEqual([]);
      }),
    );
  });

  test('total: no JSON makes a head or the reader of a rollout throw, whether it is taken or skipped', () => {
    fc.assert(
      fc.property(fc.constantFrom('claude-code', 'codex'), fc.array(fc.oneof(row, fc.jsonValue())), (family, values) => {
        const reading = readTranscript(family, []);
        let head: PartialHead = {};
        for (const value of values) {
          reading.skip(value);
          reading.step(value, 0);
          if (typeof value === 'object' && value !== null && !Array.isArray(value)) head = addToHead(family, head, value as Row);
        }
        reading.finish(0);
        reading.usage(0);
        expect(isWholeHead(head)).toBe(head.session_id !== undefined && head.cwd !== undefined && head.at !== undefined);
      }),
    );
  });
});
