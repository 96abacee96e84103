// How a run's end is told: the table of verdicts, and what its sessions add up to.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type EndCause, endFields, outcomeOf, spawnFailure } from '../../src/core/run/close.js';
import { COST_SOURCES } from '../../src/core/run/outcome.js';
import type { ServedModel } from '../../src/core/run/record.js';
import type { SessionRow } from '../../src/core/run/session.js';
import { applyItem, emptyRows } from '../../src/core/run/trace-rows.js';
import { addTokens, mergeModels, NO_TOKENS, usageFields, weakerCost } from '../../src/core/run/usage.js';
import { sha256Hex } from '../../src/shell/daemon/world.js';
import { instant, name } from '../support/arbitraries.js';

const exit = (code: number | null, signal: string | null = null) => ({ exit: { code, signal }, judged_by_turns: false, model_calls: 0 });

describe('the verdict on a run', () => {
  test.each([
    ['exit 0', exit(0), { outcome: 'success' }],
    ['exit 3', exit(3), { outcome: 'failed' }],
    ['a signal of its own', exit(null, 'SIGSEGV'), { outcome: 'failed' }],
    ['a timeout, even with exit 0', { ...exit(0), cause: 'timeout' }, { outcome: 'timed_out' }],
    ['a stop', { ...exit(null, 'SIGTERM'), cause: 'operator' }, { outcome: 'cancelled', reason: 'operator' }],
    ['a reload', { ...exit(0), cause: 'reload' }, { outcome: 'cancelled', reason: 'reload' }],
    ['a shutdown', { ...exit(1), cause: 'shutdown' }, { outcome: 'interrupted', reason: 'shutdown' }],
    ['no turn and no call of a claude client', { ...exit(0), judged_by_turns: true, turns: 0 }, { outcome: 'failed' }],
    ['no turn but a call', { ...exit(0), judged_by_turns: true, turns: 0, model_calls: 1 }, { outcome: 'success' }],
    ['turns untold', { ...exit(0), judged_by_turns: true }, { outcome: 'success' }],
    ['no turn of a client not judged by them', { ...exit(0), turns: 0 }, { outcome: 'success' }],
    ['a turn', { ...exit(0), judged_by_turns: true, turns: 1 }, { outcome: 'success' }],
  ] as const)('after %s', (_what, end, verdict) => expect(outcomeOf(end)).toEqual(verdict));

  test('names the exit code, -1 after a signal, and a duration that a clock set back cannot make negative', () => {
    expect(endFields(exit(0), 1_000, 3_500)).toMatchObject({
      exit_code: 0,
      duration_ms: 2_500,
      ended_at: '1970-01-01T00:00:03.500000000Z',
    });
    expect(endFields(exit(null, 'SIGKILL'), 5_000, 1_000)).toMatchObject({ exit_code: -1, duration_ms: 0 });
    expect(spawnFailure(0, 10)).toEqual({
      outcome: 'failed',
      reason: 'spawn',
      ended_at: '1970-01-01T00:00:00.010000000Z',
      duration_ms: 10,
    });
  });

  test('has a reason exactly when somebody else ended the run deliberately', () => {
    const cause = fc.constantFrom<EndCause | undefined>('timeout', 'operator', 'shutdown', 'reload', undefined);
    fc.assert(
      fc.property(cause, fc.option(fc.nat({ max: 255 })), (why, code) => {
        const { reason } = outcomeOf({ ...exit(code), ...(why === undefined ? {} : { cause: why }) });
        expect(reason).toBe(why === 'timeout' ? undefined : why);
      }),
    );
  });
});

const model: fc.Arbitrary<ServedModel> = fc.record(
  { model: fc.constantFrom('m1', 'm2', 'm3'), provider: fc.constantFrom('p', 'q'), output_tokens: fc.nat({ max: 5 }) },
  { requiredKeys: ['model', 'output_tokens'] },
);
const tokens = fc.record({ input: fc.nat(9), output: fc.nat(9), cache_read: fc.nat(9), cache_write: fc.nat(9) });
const session: fc.Arbitrary<SessionRow> = fc.record(
  {
    harness: fc.constant('h'),
    run_id: fc.constant(1),
    session_id: name,
    adapter: fc.constant('a'),
    source: fc.constant('stream' as const),
    parent_session: fc.constant('p'),
    started_at: instant,
    models: fc.array(model, { maxLength: 4 }),
    tokens,
    model_calls: fc.nat(9),
    cost_usd: fc.constantFrom(0, 0.25, 0.5),
    cost_source: fc.constantFrom(...COST_SOURCES),
    trace_id: fc.constant('t'),
    events_complete: fc.boolean(),
  },
  {
    requiredKeys: [
      'harness',
      'run_id',
      'session_id',
      'adapter',
      'source',
      'started_at',
      'models',
      'tokens',
      'model_calls',
      'cost_source',
      'trace_id',
      'events_complete',
    ],
  },
);

describe('the usage of a run', () => {
  test('sums its own sessions, whose totals hold those of their subagents', () => {
    fc.assert(
      fc.property(fc.array(session, { minLength: 1, maxLength: 6 }), (sessions) => {
        const own = sessions.filter((each) => each.parent_session === undefined);
        const usage = usageFields(sessions, {});
        expect(usage.tokens).toEqual(own.map((each) => each.tokens).reduce(addTokens, NO_TOKENS));
        expect(usage.model_calls).toBe(own.reduce((sum, each) => sum + each.model_calls, 0));
        const costs = own.flatMap((each) => each.cost_usd ?? []);
        expect(usage.cost_usd).toBe(costs.length === 0 ? undefined : costs.reduce((sum, each) => sum + each, 0));
        expect(usage.usage_complete).toBe(sessions.every((each) => each.events_complete));
        expect(usage.sessions?.map(({ id }) => id)).toEqual(sessions.map((each) => each.session_id));
      }),
    );
  });

  test('has the weakest cost source, and an unknown one without sessions of its own', () => {
    fc.assert(
      fc.property(fc.array(session, { maxLength: 5 }), (sessions) => {
        const own = sessions.filter((each) => each.parent_session === undefined).map((each) => each.cost_source);
        const weakest = ['unknown', 'priced', 'recorded'].find((source) => own.some((each) => each === source));
        expect(usageFields(sessions, {}).cost_source).toBe(weakest ?? 'unknown');
      }),
    );
    expect(weakerCost('recorded', 'priced')).toBe('priced');
    expect(usageFields([], {})).toEqual({ cost_source: 'unknown' });
  });

  test('names each served pair once, most output first, in whatever order they came', () => {
    fc.assert(
      fc.property(fc.array(model, { maxLength: 8 }), (models) => {
        const merged = mergeModels(models);
        const pairs = merged.map((each) => `${each.provider}/${each.model}`);
        expect(new Set(pairs).size).toBe(pairs.length);
        const outputs = merged.map((each) => each.output_tokens);
        expect(outputs).toEqual([...outputs].sort((a, b) => b - a));
        expect(outputs.reduce((a, b) => a + b, 0)).toBe(models.reduce((sum, each) => sum + each.output_tokens, 0));
        expect(mergeModels([...models].reverse())).toEqual(merged);
      }),
    );
  });

  test('tells errors by class only when there are some', () => {
    const [first] = fc.sample(session, 1);
    if (first === undefined) throw new Error('no sample');
    expect(usageFields([first], {})).not.toHaveProperty('errors');
    expect(usageFields([first], { quota: 2 })).toMatchObject({ errors: { quota: 2 } });
  });
});

describe('what a client says of its models', () => {
  test('is redacted, on one line and bounded before it reaches a session row', () => {
    const token = `ghp_${'aB3d'.repeat(9)}`;
    const key = { harness: 'h', run_id: 1 };
    const { rows } = applyItem(emptyRows(key, 'a'), { type: 'session', session: { session_id: 's' } }, 0, sha256Hex);
    const models = [{ model: `m\n${token}`, provider: 'p'.repeat(400), output_tokens: 1 }];
    const usage = { models, tokens: NO_TOKENS, model_calls: 1, cost_source: 'unknown' as const };
    const { session: row } = applyItem(rows, { type: 'usage', session_id: 's', usage }, 0, sha256Hex);
    expect(row?.models).toEqual([{ model: 'm [REDACTED]', provider: 'p'.repeat(256), output_tokens: 1 }]);
  });
});
