// What stands between a run and its transcripts: looks that fail or hang, who remembers a session, and windows that are let go.
import { describe, expect, test, vi } from 'vitest';
import { type RunWindow, START_TOLERANCE } from '../../src/core/run/attribution.js';
import { recordingLog } from '../../src/shell/daemon/log.js';
import type { Store } from '../../src/shell/store/operations.js';
import { openFleetWindows } from '../../src/shell/traces/transcripts/fleet-windows.js';
import { judgeFor } from '../../src/shell/traces/transcripts/session-judge.js';
import { openTail } from '../../src/shell/traces/transcripts/tail.js';

const START = 1_000_000;
const aWindow = (overrides: Partial<RunWindow> = {}): RunWindow => ({
  harness: 'h',
  run_id: 2,
  store: 's',
  workdir: '/w',
  declared: true,
  writesAbove: false,
  started_at: START,
  ...overrides,
});

const storeThat = (knows: boolean | Error): Store => {
  const read = async (): Promise<boolean> => {
    if (knows instanceof Error) throw knows;
    return knows;
  };
  return { read } as unknown as Store;
};

const judging = (window: RunWindow, knows: boolean | Error = false) => {
  const windows = openFleetWindows();
  const log = recordingLog();
  windows.open(window);
  return { windows, log, judge: judgeFor(window, windows, storeThat(knows), log) };
};

const head = (at: number, session_id = 'x') => ({ session_id, cwd: '/w', at });

describe('following a run', () => {
  test('a look that fails is told, and the next one comes all the same', async () => {
    const faults: unknown[] = [];
    const looks: boolean[] = [];
    const look = async (all: boolean): Promise<void> => {
      looks.push(all);
      throw new Error('disk');
    };
    const finished: true[] = [];
    const tail = openTail({ look, finish: () => void finished.push(true) }, (error) => void faults.push(error));
    tail.begin();
    expect(await tail.finish()).toBe(true);
    expect([looks, faults.length, finished]).toEqual([[false, true], 2, [true]]);
  });

  test('looks every two seconds, and no more once it is over', async () => {
    vi.useFakeTimers();
    try {
      let looks = 0;
      const look = async (): Promise<void> => {
        looks += 1;
      };
      const tail = openTail({ look, finish: () => undefined }, () => undefined);
      tail.begin();
      await vi.advanceTimersByTimeAsync(5_000);
      expect(looks).toBe(3);
      const ending = tail.finish();
      await vi.advanceTimersByTimeAsync(60_000);
      expect([await ending, looks]).toEqual([true, 4]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('a look that is under way when the run ends is followed by the last one, and by no other', async () => {
    vi.useFakeTimers();
    try {
      const looks: boolean[] = [];
      const look = async (all: boolean): Promise<void> => {
        looks.push(all);
        await new Promise((resolve) => setTimeout(resolve, 500));
      };
      const tail = openTail({ look, finish: () => undefined }, () => undefined);
      tail.begin();
      const ending = tail.finish();
      await vi.advanceTimersByTimeAsync(60_000);
      expect([await ending, looks]).toEqual([true, [false, true]]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('a last look that hangs ends all the same, as one that did not get to the end', async () => {
    const finished: true[] = [];
    const tail = openTail({ look: () => new Promise(() => undefined), finish: () => void finished.push(true) }, () => undefined);
    tail.begin();
    expect(await tail.finish()).toBe(false);
    expect(finished).toEqual([true]);
  });
});

describe('a session from before the run', () => {
  test.each([
    ['that a run of the harness had, as the store says, goes on', true, 'went_on'],
    ['that nobody had is nobody’s', false, 'left'],
    ['is nobody’s while the store cannot say', new Error('store_failed'), 'left'],
  ] as const)('%s', async (_what, knows, verdict) => {
    const { judge, windows } = judging(aWindow(), knows);
    expect(await judge.judge(head(START - 60_000))).toBe(verdict);
    expect(windows.tally()).toEqual(verdict === 'left' ? { no_run: 1 } : {});
    if (verdict === 'went_on') expect(judge.wentOn(head(START - 60_000), START + 5)).toBe(true);
  });

  test('goes on only while no other harness could have gone on with it', async () => {
    const { judge, windows, log } = judging(aWindow(), true);
    expect(await judge.judge(head(START - 60_000))).toBe('went_on');
    windows.open(aWindow({ harness: 'other', run_id: 1, started_at: START + 10_000 }));
    expect(judge.wentOn(head(START - 60_000), START + 5)).toBe(true);
    expect(judge.wentOn(head(START - 60_000), START + 10_000)).toBe(false);
    judge.settle();
    expect(windows.tally()).toEqual({ ambiguous: 1 });
    expect(log.events).toEqual([{ event: 'session_ambiguous', harness: 'h', run: 2, session: 'x', harnesses: 'h, other' }]);
  });

  test('that another harness kept is not this one’s, whatever the store says', async () => {
    const { judge, windows } = judging(aWindow(), true);
    windows.keep('s', 'x', 'other');
    expect(await judge.judge(head(START - 60_000))).toBe('left');
  });
});

describe('a session of the run’s own time', () => {
  test('is asked about again while it is in doubt, and is left to the run that announces it', async () => {
    const { judge, windows, log } = judging(aWindow());
    windows.open(aWindow({ harness: 'streams', run_id: 1 }));
    expect(await judge.judge(head(START))).toBe('wait');
    windows.claim('s', 'x');
    expect(await judge.judge(head(START))).toBe('left');
    judge.settle();
    expect([windows.tally(), log.events]).toEqual([{}, []]);
  });

  test('in doubt to the end is told once', async () => {
    const { judge, windows, log } = judging(aWindow());
    windows.open(aWindow({ harness: 'other', run_id: 1 }));
    expect(await judge.judge(head(START))).toBe('wait');
    judge.settle();
    expect(await judge.judge(head(START))).toBe('left');
    judge.settle();
    expect(windows.tally()).toEqual({ ambiguous: 1 });
    expect(log.events).toHaveLength(1);
  });

  test('of another directory is nobody’s business', async () => {
    const { judge, windows } = judging(aWindow());
    expect(await judge.judge({ ...head(START), cwd: '/elsewhere' })).toBe('left');
    expect(windows.tally()).toEqual({});
  });
});

test('windows are kept for as long as a session of an open run may have begun in them, and let go then', () => {
  const windows = openFleetWindows();
  const seen = (at: number): string => {
    const found = windows.attribute({ session_id: 'x', store: 's', cwd: '/w', at });
    return found._tag === 'Right' ? found.right.harness : found.left.reason;
  };
  windows.open(aWindow({ harness: 'old', run_id: 1 }));
  windows.close({ harness: 'old', run_id: 1 }, START + 1_000);
  windows.open(aWindow({ run_id: 1, started_at: START + 2_000 }));
  expect(seen(START + 1_000 + START_TOLERANCE)).toBe('ambiguous');
  windows.close({ harness: 'h', run_id: 1 }, START + 3_000);
  windows.open(aWindow({ harness: 'new', run_id: 1, started_at: START + 600_000 }));
  expect(seen(START + 500)).toBe('no_run');
  expect(seen(START + 600_000)).toBe('new');
});
