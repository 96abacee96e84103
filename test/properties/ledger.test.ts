// Laws of the ledger: a record is the fold of its lines by key presence, and every line fits whatever a client said.
import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, test } from 'vitest';
import { codePointLength, utf8Length } from '../../src/core/kernel/text.js';
import { foldLine, foldLines, isOpen } from '../../src/core/run/fold.js';
import { boundLine, decodeLine, encodeLine, LINE_BYTES, LIST_ENTRIES, STRING_BYTES } from '../../src/core/run/ledger-line.js';
import { COST_SOURCES, OUTCOMES, REASONS, TRIGGERS } from '../../src/core/run/outcome.js';
import { type LedgerLine, LINE_TYPES } from '../../src/core/run/record.js';
import { instant, name, nastyText } from '../support/arbitraries.js';

const long = fc.oneof(nastyText, fc.string({ unit: 'binary', minLength: 250, maxLength: 400 }), fc.constant('\u0001"\\'.repeat(100)));
const count = fc.constantFrom(0, 1, 7);

/** A line that may say anything a record may hold, zero values included. */
const line: fc.Arbitrary<LedgerLine> = fc.record(
  {
    v: fc.constant(1 as const),
    seq: fc.nat(),
    type: fc.constantFrom(...LINE_TYPES),
    at: instant,
    harness: fc.constant('h'),
    run_id: fc.constant(1),
    trigger: fc.constantFrom(...TRIGGERS),
    source: fc.oneof(long, fc.constant('')),
    started_at: instant,
    exit_code: count,
    duration_ms: count,
    outcome: fc.constantFrom(...OUTCOMES),
    reason: fc.constantFrom(...REASONS),
    model: fc.oneof(long, fc.constant('')),
    models: fc.array(fc.record({ model: long, provider: long, output_tokens: count }), { maxLength: 20 }),
    cost_usd: fc.constantFrom(0, 0.5),
    cost_source: fc.constantFrom(...COST_SOURCES),
    model_calls: count,
    errors: fc.dictionary(name, count, { maxKeys: 20 }),
    usage_complete: fc.boolean(),
    sessions: fc.array(fc.record({ id: long, adapter: name, trace_id: long }), { maxLength: 20 }),
    log: fc.string({ minLength: 300, maxLength: 500 }),
    coalesced: count,
    loadout: fc.constantFrom({ invalid: 0, skills: [], tools: [] }, { name: '' }),
  },
  { requiredKeys: ['v', 'seq', 'type', 'at', 'harness', 'run_id'] },
);
const lines = fc.array(line, { maxLength: 8 });

describe('the fold', () => {
  test('takes each field from the last line that has its key, whatever its value', () => {
    fc.assert(
      fc.property(lines, (all) => {
        const record: Record<string, unknown> = { ...foldLines(all) };
        const keys = new Set(all.flatMap((each) => Object.keys(each)));
        for (const envelope of ['v', 'seq', 'type', 'at']) expect(Object.keys(record)).not.toContain(envelope);
        for (const key of keys) {
          if (['v', 'seq', 'type', 'at'].includes(key)) continue;
          const last = all.findLast((each) => Object.hasOwn(each, key)) as Record<string, unknown> | undefined;
          expect(record[key]).toEqual(last?.[key]);
        }
      }),
    );
  });

  test.each([
    ['exit_code', 0],
    ['source', ''],
    ['sessions', []],
    ['loadout', { skills: [], invalid: 0 }],
    ['usage_complete', false],
  ])('keeps %s = %j, which replaces what was said before', (key, value) => {
    const said = { v: 1, seq: 1, type: 'opened', at: '', harness: 'h', run_id: 1 } as const;
    const before = {
      ...said,
      exit_code: 3,
      source: 'x',
      sessions: [{ id: 'a', adapter: 'b', trace_id: 'c' }],
      loadout: { name: 'n', tools: ['t'] },
    };
    expect(foldLines([before, { ...said, seq: 2, [key]: value }])).toMatchObject({ [key]: value });
    expect(Object.keys(foldLines([before, { ...said, seq: 2, [key]: value }])?.loadout ?? {})).toEqual(
      key === 'loadout' ? ['skills', 'invalid'] : ['name', 'tools'],
    );
  });

  test('in chunks is the fold of all', () => {
    fc.assert(
      fc.property(lines, fc.nat({ max: 8 }), (all, at) => {
        const first = foldLines(all.slice(0, at));
        expect(all.slice(at).reduce<ReturnType<typeof foldLines>>(foldLine, first)).toEqual(foldLines(all));
      }),
    );
  });

  test('of a line twice is the fold of it once', () => {
    fc.assert(
      fc.property(line, (each) => {
        expect(foldLines([each, each])).toEqual(foldLines([each]));
      }),
    );
  });

  test.each([
    [[], false],
    [['opened'], true],
    [['opened', 'updated'], true],
    [['opened', 'closed'], false],
    [['decided'], false],
    [['updated'], false],
    [['closed', 'opened'], false],
  ] as const)('of lines %j is in flight: %s', (types, open) => {
    expect(isOpen(types.map((type) => ({ type })))).toBe(open);
  });
});

describe('a bounded line', () => {
  const strings = (value: unknown): readonly string[] => {
    if (typeof value === 'string') return [value];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
  };

  test('always fits, with its strings and lists within their bounds and its end told', () => {
    fc.assert(
      fc.property(line, (each) => {
        const { line: bound } = boundLine(each);
        const { log, ...rest } = bound;
        expect(log).toBe(each.log);
        for (const text of strings(rest)) expect(utf8Length(text)).toBeLessThanOrEqual(STRING_BYTES);
        for (const list of [bound.models, bound.sessions]) expect(list?.length ?? 0).toBeLessThanOrEqual(LIST_ENTRIES);
        expect(Object.keys(bound.errors ?? {}).length).toBeLessThanOrEqual(LIST_ENTRIES);
        expect([bound.outcome, bound.exit_code, bound.run_id]).toEqual([each.outcome, each.exit_code, each.run_id]);
        const text = encodeLine(bound);
        expect(E.isRight(text) && utf8Length(text.right) + 1 <= LINE_BYTES).toBe(true);
      }),
    );
  });

  test('counts what it cut, and nothing for a line within all bounds', () => {
    fc.assert(
      fc.property(line, (each) => {
        const { line: bound, cut } = boundLine(each);
        expect(cut === 0).toBe(JSON.stringify(bound) === JSON.stringify(each));
        expect(boundLine(bound)).toEqual({ line: bound, cut: 0 });
      }),
    );
  });

  test('is cut on a character’s boundary', () => {
    const { line: bound, cut } = boundLine({ v: 1, seq: 1, type: 'opened', at: '', harness: 'h', run_id: 1, source: 'é'.repeat(200) });
    expect([codePointLength(bound.source ?? ''), cut]).toEqual([128, 1]);
  });

  test('gives up its sessions, then its models, rather than its end', () => {
    const sessions = Array.from({ length: 16 }, (_, id) => ({ id: `${id}${'\u0001'.repeat(256)}`, adapter: 'a', trace_id: 't' }));
    const models = Array.from({ length: 16 }, (_, n) => ({ model: `${n}${'"'.repeat(200)}`, output_tokens: 1 }));
    const closed = { v: 1, seq: 1, type: 'closed', at: '', harness: 'h', run_id: 1, outcome: 'success', sessions, models } as const;
    const { line: bound } = boundLine(closed);
    expect([bound.sessions, bound.models?.length, bound.outcome]).toEqual([undefined, 16, 'success']);
  });
});

describe('an encoded line', () => {
  test('reads back as itself', () => {
    fc.assert(
      fc.property(line, (each) => {
        const { line: bound } = boundLine(each);
        const text = encodeLine(bound);
        expect(E.isRight(text) && decodeLine(text.right)).toEqual(E.right(JSON.parse(JSON.stringify(bound))));
      }),
    );
  });

  test('is refused over 16 KiB, never cut or split', () => {
    const base = { v: 1, seq: 1, type: 'closed', at: '', harness: 'h', run_id: 1 } as const;
    const room = LINE_BYTES - utf8Length(JSON.stringify({ ...base, log: '' })) - 1;
    expect(E.isRight(encodeLine({ ...base, log: 'x'.repeat(room) }))).toBe(true);
    expect(encodeLine({ ...base, log: 'x'.repeat(room + 1) })).toEqual(E.left({ code: 'line_too_long', bytes: LINE_BYTES + 1 }));
  });

  test.each([
    '',
    '{',
    'null',
    '[]',
    '{"v":2,"seq":1,"type":"opened","at":"","harness":"h","run_id":1}',
    '{"v":1,"seq":1,"type":"opened","at":"","run_id":1}',
    '{"v":1,"seq":1.5,"type":"opened","at":"","harness":"h","run_id":1}',
    '{"v":1,"seq":1,"type":"born","at":"","harness":"h","run_id":1}',
  ])('that is no line is unreadable: %s', (text) => {
    expect(decodeLine(text)).toMatchObject({ _tag: 'Left', left: { code: 'line_unreadable' } });
  });
});
