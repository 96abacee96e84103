// Laws of whose a transcript is: one run's or nobody's, and never that of a harness that could not be told from another (SPEC-0006).
import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, test } from 'vitest';
import { attributeSession, isOpenAt, type RunWindow, START_TOLERANCE, type TranscriptSession } from '../../src/core/run/attribution.js';

const places = fc.constantFrom('/w', '/w/sub', '/other');
const stores = fc.constantFrom('claude-code /h/.claude', 'codex /h/.codex', 'crush');
const instants = fc.integer({ min: 0, max: 60_000 });

const windows = fc
  .uniqueArray(
    fc.record({
      harness: fc.constantFrom('a', 'b', 'c'),
      run_id: fc.integer({ min: 1, max: 4 }),
      store: stores,
      workdir: places,
      declared: fc.boolean(),
      from: instants,
      length: fc.option(fc.integer({ min: 0, max: 20_000 }), { nil: undefined }),
    }),
    { maxLength: 6, selector: ({ harness, run_id }) => `${harness} ${run_id}` },
  )
  .map((rows) =>
    rows.map(
      ({ from, length, ...row }): RunWindow => ({
        ...row,
        writesAbove: row.store === 'crush',
        started_at: from,
        ...(length === undefined ? {} : { ended_at: from + length }),
      }),
    ),
  );

const session: fc.Arbitrary<TranscriptSession> = fc.record({ store: stores, cwd: places, at: instants, claimed: fc.constant(false) });

const nameOf = (window: RunWindow): string => `${window.harness} ${window.run_id}`;
const owner = (of: TranscriptSession, among: readonly RunWindow[]): string => {
  const found = attributeSession(of, among);
  return E.isRight(found) ? nameOf(found.right) : found.left.reason;
};

/** The distance between an instant and a window, 0 within. */
const distance = ({ started_at, ended_at }: RunWindow, at: number): number =>
  Math.max(0, started_at - at, ended_at === undefined ? 0 : at - ended_at);

describe('attribution', () => {
  test('soundness: the run that gets a session works where it was, writes there, names its workdir, and was open within the tolerance', () => {
    fc.assert(
      fc.property(session, windows, (of, among) => {
        const found = attributeSession(of, among);
        if (E.isLeft(found)) return;
        expect(among).toContain(found.right);
        expect(found.right).toMatchObject({ store: of.store, workdir: of.cwd, declared: true });
        expect(distance(found.right, of.at)).toBeLessThanOrEqual(START_TOLERANCE);
      }),
    );
  });

  test('fail closed: where two harnesses could have written it, nobody gets it, whatever else is known', () => {
    fc.assert(
      fc.property(session, windows, fc.boolean(), (of, among, below) => {
        const rival: RunWindow = {
          harness: 'rival',
          run_id: 1,
          store: of.store,
          workdir: below && of.store === 'crush' ? `${of.cwd}/deeper` : of.cwd,
          declared: false,
          writesAbove: of.store === 'crush',
          started_at: of.at - START_TOLERANCE,
          ended_at: of.at + START_TOLERANCE,
        };
        expect(E.isLeft(attributeSession(of, [...among, rival]))).toBe(true);
      }),
    );
  });

  test('monotone: another harness can take a session away, and never gives it to anybody else', () => {
    fc.assert(
      fc.property(session, windows, windows, (of, among, more) => {
        const before = owner(of, among);
        const strangers = more.map((window): RunWindow => ({ ...window, harness: `stranger-${window.harness}` }));
        const after = owner(of, [...among, ...strangers]);
        if (before === 'ambiguous') expect(after).toBe('ambiguous');
        if (/^[abc] /.test(before)) expect([before, 'ambiguous']).toContain(after);
      }),
    );
  });

  test('order of windows does not matter', () => {
    fc.assert(
      fc.property(session, windows, (of, among) => {
        expect(owner(of, [...among].reverse())).toBe(owner(of, among));
      }),
    );
  });

  test('a session that a run announced itself belongs to no other', () => {
    fc.assert(
      fc.property(session, windows, (of, among) => {
        expect(owner({ ...of, claimed: true }, among)).toBe('claimed');
      }),
    );
  });

  test('succession: of two runs of one harness close to one another, the one that was open has the session', () => {
    fc.assert(
      fc.property(
        instants,
        fc.integer({ min: 0, max: 3 * START_TOLERANCE }),
        fc.integer({ min: 0, max: START_TOLERANCE }),
        (end, gap, into) => {
          const base = { harness: 'a', store: 'crush', workdir: '/w', declared: true, writesAbove: true };
          const first: RunWindow = { ...base, run_id: 1, started_at: end - 10_000, ended_at: end };
          const second: RunWindow = { ...base, run_id: 2, started_at: end + gap };
          const at = (moment: number): string => owner({ store: 'crush', cwd: '/w', at: moment, claimed: false }, [first, second]);
          expect(at(end - into - 1)).toBe('a 1');
          expect(at(end + gap + into)).toBe('a 2');
        },
      ),
    );
  });

  test.each([
    ['in a run without a workdir of its own', [{ declared: false }], 'no_workdir'],
    ['of two harnesses in one directory', [{}, { harness: 'b' }], 'ambiguous'],
    ['of two harnesses with stores of their own', [{}, { harness: 'b', store: 'codex /h/.codex' }], 'a 1'],
    ['of two harnesses, one of which had ended', [{}, { harness: 'b', started_at: 0, ended_at: 10_000 - START_TOLERANCE - 1 }], 'a 1'],
    [
      'of two harnesses, one of which had just ended',
      [{}, { harness: 'b', started_at: 0, ended_at: 10_000 - START_TOLERANCE }],
      'ambiguous',
    ],
    ['below which another runs that takes the store above', [{}, { harness: 'b', workdir: '/w/sub', writesAbove: true }], 'ambiguous'],
    ['below which another runs that keeps to its own', [{}, { harness: 'b', workdir: '/w/sub' }], 'a 1'],
    ['beside which another runs that takes the store above', [{}, { harness: 'b', workdir: '/w-sub', writesAbove: true }], 'a 1'],
    ['from before the run', [{ started_at: 10_000 + START_TOLERANCE + 1 }], 'no_run'],
    ['in another directory', [{ workdir: '/w/' }], 'no_run'],
  ] as const)('a session %s', (_what, changes, expected) => {
    const base: RunWindow = { harness: 'a', run_id: 1, store: 's', workdir: '/w', declared: true, writesAbove: false, started_at: 10_000 };
    const among = changes.map((change) => ({ ...base, ...change }));
    expect(owner({ store: 's', cwd: '/w', at: 10_000, claimed: false }, among)).toBe(expected);
  });

  test('an item is of the run that is open at its time, and of no other run of the harness', () => {
    fc.assert(
      fc.property(fc.uniqueArray(instants, { minLength: 4, maxLength: 4 }), instants, (edges, at) => {
        const [a = 0, b = 0, c = 0, d = 0] = edges.sort((x, y) => x - y);
        const open = [
          { started_at: a, ended_at: b },
          { started_at: c, ended_at: d },
        ].filter((window) => isOpenAt(window, at));
        expect(open.length).toBe((at >= a && at <= b) || (at >= c && at <= d) ? 1 : 0);
      }),
    );
  });
});
