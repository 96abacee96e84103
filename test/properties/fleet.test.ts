// Laws of what runs by itself: residents, restarts, schedule windows, a day's spending, and the text of a terminal.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../src/core/kernel/time.js';
import {
  type Hold,
  hasProcess,
  type ResidentEffect,
  type ResidentEvent,
  type ResidentState,
  STOPPED,
  stepResident,
} from '../../src/core/run/resident.js';
import { GIVE_UP_AFTER, LONGEST_DELAY, RESTARTS, restartDelay, STABLE_AFTER, startsAgain } from '../../src/core/run/restart.js';
import { CURSOR_LEAD, countFrom, decideWindows, sortDueWindows, WINDOW_GRACE } from '../../src/core/run/schedule-window.js';
import { addSpent, onDay, spentBy, spentByAll, spentCap } from '../../src/core/run/spend.js';
import { endTerminalText, readTerminalText, TERMINAL_TEXT_START, type TerminalTextState } from '../../src/core/untrusted/terminal-text.js';

const policy = fc.record({ restart: fc.constantFrom(...RESTARTS), restart_delay: fc.constantFrom(10, 1_000, 30_000) });
const hold = fc.constantFrom<Hold>('hours', 'budget');

/** What may happen to a resident; a process ends, or shows up, only when there is one. */
const happening = fc.oneof(
  fc.constant<ResidentEvent>({ type: 'start', trigger: 'manual' }),
  fc.constant<ResidentEvent>({ type: 'stop', cause: 'operator' }),
  fc.constant<ResidentEvent>({ type: 'restart' }),
  hold.map((each): ResidentEvent => ({ type: 'hold', hold: each })),
  hold.map((each): ResidentEvent => ({ type: 'release', hold: each })),
  fc.constant<ResidentEvent>({ type: 'due' }),
  fc.constant<ResidentEvent>({ type: 'spawned' }),
  fc.boolean().map((succeeded): ResidentEvent => ({ type: 'exited', succeeded })),
);
const story = fc.array(fc.tuple(happening, fc.constantFrom(0, 5, SECOND, 40 * SECOND, 6 * MINUTE)), { maxLength: 80 });

/** Tells the story, leaving out what a process that is not there cannot do; `hear` sees each step. */
const tell = (
  events: readonly (readonly [ResidentEvent, number])[],
  rules: Parameters<typeof stepResident>[3],
  hear: (before: ResidentState, event: ResidentEvent, state: ResidentState, effects: readonly ResidentEffect[]) => void,
): ResidentState => {
  let state = STOPPED;
  let now = 1_000_000;
  for (const [event, wait] of events) {
    now += wait;
    if (event.type === 'exited' && !hasProcess(state)) continue;
    if (event.type === 'spawned' && state.phase !== 'starting') continue;
    const step = stepResident(state, event, now, rules);
    hear(state, event, step.state, step.effects);
    state = step.state;
  }
  return state;
};

describe('a resident', () => {
  test('has at most one process, and is told to end only while it has one, once', () => {
    fc.assert(
      fc.property(story, policy, (events, rules) => {
        let alive = false;
        let ending = false;
        tell(events, rules, (_before, event, state, effects) => {
          if (event.type === 'exited') [alive, ending] = [false, false];
          for (const effect of effects) {
            if (effect.type === 'spawn') {
              expect(alive).toBe(false);
              alive = true;
            }
            if (effect.type === 'end') {
              expect([alive, ending]).toEqual([true, false]);
              ending = true;
            }
          }
          expect(hasProcess(state)).toBe(alive);
        });
      }),
    );
  });

  test('is never started while it is held, and starts when the last hold is released if it is wanted', () => {
    fc.assert(
      fc.property(story, policy, (events, rules) => {
        tell(events, rules, (before, event, state, effects) => {
          if (effects.some(({ type }) => type === 'spawn')) expect(state.holds).toEqual([]);
          const freed = event.type === 'release' && before.holds.length === 1 && before.holds[0] === event.hold;
          if (freed && before.phase === 'stopped' && before.wanted) expect(effects).toEqual([{ type: 'spawn', trigger: 'release' }]);
        });
      }),
    );
  });

  test('stays down after a stop until somebody starts it', () => {
    fc.assert(
      fc.property(story, policy, (events, rules) => {
        let stopped = false;
        tell(events, rules, (_before, event, _state, effects) => {
          if (event.type === 'stop') stopped = true;
          if (event.type === 'start' || event.type === 'restart') stopped = false;
          if (stopped) expect(effects.filter(({ type }) => type === 'spawn')).toEqual([]);
        });
      }),
    );
  });

  test('waits for its next start or its stability only when one is ahead, and is given up after the same number of ends each time', () => {
    fc.assert(
      fc.property(story, policy, (events, rules) => {
        tell(events, rules, (_before, _event, state, effects) => {
          if (state.phase === 'restarting') expect(state.dueAt).toBeDefined();
          if (!['restarting', 'running', 'degraded'].includes(state.phase)) expect(state.dueAt).toBeUndefined();
          for (const effect of effects) if (effect.type === 'give_up') expect(effect.failures).toBe(GIVE_UP_AFTER);
          expect(state.failures).toBeLessThanOrEqual(GIVE_UP_AFTER);
        });
      }),
    );
  });

  test('that ran long enough has its failures forgotten', () => {
    const rules = { restart: 'always', restart_delay: 1_000 } as const;
    const flapping = [5, 5, 5].flatMap((wait): [ResidentEvent, number][] => [
      [{ type: 'spawned' }, 0],
      [{ type: 'exited', succeeded: false }, wait],
      [{ type: 'due' }, 40 * SECOND],
    ]);
    const state = tell([[{ type: 'start', trigger: 'manual' }, 0], ...flapping, [{ type: 'spawned' }, 0]], rules, () => undefined);
    expect(state.failures).toBe(3);
    const later = stepResident(state, { type: 'due' }, state.dueAt ?? 0, rules).state;
    expect(later).toMatchObject({ phase: 'running', failures: 0, exits: [] });
    expect((state.dueAt ?? 0) - (state.startedAt ?? 0)).toBe(STABLE_AFTER);
  });
});

describe('restarts', () => {
  test('wait longer each time, never longer than the bound, never shorter than the first', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: LONGEST_DELAY }), fc.nat({ max: 1_000 }), (base, failures) => {
        const delay = restartDelay(base, failures);
        expect(delay).toBeGreaterThanOrEqual(Math.min(base, LONGEST_DELAY));
        expect(delay).toBeLessThanOrEqual(LONGEST_DELAY);
        expect(restartDelay(base, failures + 1)).toBeGreaterThanOrEqual(delay);
      }),
    );
    expect([1, 2, 3, 4, 5, 6].map((failures) => restartDelay(SECOND, failures))).toEqual([1, 2, 4, 8, 16, 30].map((each) => each * SECOND));
  });

  test('follow the policy', () => {
    expect(RESTARTS.map((restart) => [restart, startsAgain(restart, true), startsAgain(restart, false)])).toEqual([
      ['always', true, true],
      ['unless-stopped', true, true],
      ['on-failure', false, true],
      ['no', false, false],
    ]);
  });
});

describe('windows', () => {
  const due = fc
    .tuple(fc.nat({ max: 50 }), fc.nat({ max: 50 }))
    .filter(([late, timely]) => late + timely > 0)
    .map(([late, timely]) => ({
      first: 1_000,
      last: 1_000 + late + timely - 1,
      count: late + timely,
      ...(late === 0 ? {} : { late: { last: 1_000 + late - 1, count: late } }),
    }));

  test('are each fired, made good or missed: never two runs at one look, and no late one is forgotten', () => {
    fc.assert(
      fc.property(due, fc.boolean(), (windows, catchUp) => {
        const decisions = decideWindows(windows, catchUp);
        const runs = decisions.filter(({ type }) => type === 'fire');
        const told = decisions.flatMap((decision) => ('windows' in decision ? [decision.windows] : []));
        expect(runs.length).toBeLessThanOrEqual(1);
        expect(told).toEqual(windows.late === undefined ? [] : [windows.late.count]);
        if (catchUp) expect(runs).toHaveLength(1);
        if (windows.late?.count !== windows.count) expect(runs[0]?.window).toBe(windows.last);
      }),
    );
  });

  test('are late once the grace has passed, and only then', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: 200_000 }), { maxLength: 30 }), (unsorted) => {
        const windows = [...unsorted].sort((a, b) => a - b);
        const late = windows.filter((at) => 200_000 - at > WINDOW_GRACE);
        const sorted = sortDueWindows(windows, 200_000);
        expect([sorted?.first, sorted?.last]).toEqual([windows[0], windows.at(-1)]);
        expect(sorted?.late).toEqual(late.length === 0 ? undefined : { last: late.at(-1), count: late.length });
      }),
    );
  });

  test('are counted from the cursor of the same schedule, unless it is further ahead than a clock may be', () => {
    const now = 50 * HOUR;
    for (const periodic of [false, true]) {
      expect(countFrom(undefined, 's', now, periodic)).toBe(now);
      expect(countFrom({ schedule: 'other', at: 1 }, 's', now, periodic)).toBe(now);
      expect(countFrom({ schedule: 's', at: 7 }, 's', now, periodic)).toBe(7);
      expect(countFrom({ schedule: 's', at: now + CURSOR_LEAD + 1 }, 's', now, periodic)).toBe(now);
    }
    expect(countFrom({ schedule: 's', at: now + CURSOR_LEAD }, 's', now, false)).toBe(now + CURSOR_LEAD);
    expect(countFrom({ schedule: 's', at: now + 1 }, 's', now, true)).toBe(now);
    expect(WINDOW_GRACE).toBe(MINUTE);
  });
});

describe("a day's spending", () => {
  const step = fc.record({ harness: fc.constantFrom('a', 'b', 'constructor'), runs: fc.nat({ max: 3 }), cost_usd: fc.nat({ max: 100 }) });

  test('adds up by harness and altogether, and begins anew with the day', () => {
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const tally = steps.reduce((so, { harness, ...more }) => addSpent(so, harness, more), { day: 'd', harnesses: {} });
        const sum = (of: readonly { runs: number; cost_usd: number }[]) =>
          of.reduce((all, each) => ({ runs: all.runs + each.runs, cost_usd: all.cost_usd + each.cost_usd }), { runs: 0, cost_usd: 0 });
        expect(spentByAll(tally)).toEqual(sum(steps));
        for (const harness of ['a', 'b', 'constructor', 'toString'])
          expect(spentBy(tally, harness)).toEqual(sum(steps.filter((each) => each.harness === harness)));
        expect(onDay(tally, 'd')).toBe(tally);
        expect(spentByAll(onDay(tally, 'e'))).toEqual({ runs: 0, cost_usd: 0 });
      }),
    );
  });

  test('is spent at the cap, dollars before runs, the harness before the rest', () => {
    const tally = { day: 'd', harnesses: { a: { runs: 2, cost_usd: 5 }, b: { runs: 1, cost_usd: 5 } } };
    expect(spentCap(tally, 'a', {}, {})).toBeUndefined();
    expect(spentCap(tally, 'a', { max_runs_per_day: 3, daily_cost_usd: 5.01 }, { daily_cost_usd: 10.01 })).toBeUndefined();
    expect(spentCap(tally, 'a', { max_runs_per_day: 2 }, {})).toBe('max_runs_per_day');
    expect(spentCap(tally, 'a', { max_runs_per_day: 2, daily_cost_usd: 5 }, {})).toBe('daily_cost_usd');
    expect(spentCap(tally, 'c', {}, { daily_cost_usd: 10 })).toBe('daily_cost_usd');
  });
});

describe('the text of a terminal', () => {
  const read = (chunks: readonly string[]): readonly string[] => {
    let state: TerminalTextState = TERMINAL_TEXT_START;
    const lines: string[] = [];
    for (const chunk of chunks) {
      const step = readTerminalText(state, chunk);
      state = step.state;
      lines.push(...step.lines);
    }
    return [...lines, ...endTerminalText(state)];
  };
  const piece = fc.constantFrom(
    'a',
    'ß',
    '😀',
    ' ',
    '\t',
    '\n',
    '\r',
    '\r\n',
    '\b',
    '\u001b[31m',
    '\u001b]0;title\u0007',
    '\u001b]8;;x\u001b\\',
    '\u001b(B',
    '\u001b7',
    '\u0000',
    '\u009b',
    '\u001b[',
  );

  test('is the same however the output is cut, and holds nothing that steers a terminal', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.array(fc.nat({ max: 60 }), { maxLength: 6 }), (pieces, cuts) => {
        const characters = [...pieces.join('')];
        const at = [0, ...[...cuts].sort((a, b) => a - b).map((cut) => Math.min(cut, characters.length)), characters.length];
        const chunks = at.slice(1).map((end, index) => characters.slice(at[index], end).join(''));
        const lines = read([characters.join('')]);
        expect(read(chunks)).toEqual(lines);
        for (const line of lines) expect(line).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/);
      }),
    );
  });

  test('is what plain lines say, an overwritten line says its last, and a sequence never joins or splits a word', () => {
    expect(read(['one\r\ntwo\n', 'thr', 'ee'])).toEqual(['one', 'two', 'three']);
    expect(read(['10%\r20%\r100%\n'])).toEqual(['100%']);
    expect(read(['gh\u001b[1mp_\u001b[0mx\u001b]8;;http://a\u0007y\n'])).toEqual(['ghp_xy']);
    expect(read(['abc\b\bx\n'])).toEqual(['ax']);
    expect(read(['x'.repeat(40_000)]).map((line) => line.length)).toEqual([16_384, 16_384, 7_232]);
  });
});
