// From a trigger to the agent's first instruction, through a real daemon with 1k, 10k and 100k episodes in its store, against a
// bare spawn of the same command.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { connectDaemon } from '../src/shell/rpc/client.js';
import { makeBenchDaemon } from './daemon.js';
import { fillFleet } from './fleet.js';
import { type BenchRow, median, percentile, round } from './row.js';

const CALLS = 60;
const WARM = 5;
const SIZES = [1_000, 10_000, 100_000];

export const spawnBench = async (root: string, sizes: readonly number[] = SIZES): Promise<readonly BenchRow[]> => {
  const rows: BenchRow[] = [];
  for (const size of sizes) rows.push(await measure(root, size));
  return rows;
};

const measure = async (root: string, size: number): Promise<BenchRow> => {
  const daemon = makeBenchDaemon(root);
  try {
    fillFleet(daemon.store, size, undefined);
    const stamp = join(daemon.dir, 'stamp');
    const argv = ['sh', '-c', `date +%s%N > ${stamp}`];
    daemon.configure(`[harness.h]\nharness = "command"\nargv = ${JSON.stringify(argv)}\nrestart = "no"\nkeep_runs = 5\n`);
    await daemon.start();
    const { control } = connectDaemon(daemon.socket, 'bench');
    const triggered = async (): Promise<number> => {
      const began = now();
      const { runId = 0n } = await control.trigger({ harness: 'h' });
      await control.wait({ harness: 'h', runId });
      return sinceStamp(stamp, began);
    };
    const [spans, floors] = [await each(triggered), await each(() => bareSpawn(argv, stamp))];
    const [value, floor] = [median(spans), median(floors)];
    return {
      name: 'spawn',
      work: `trigger → exec, ${size} episodes, p50 (p99 ${round(percentile(spans, 0.99))} ms)`,
      value: round(value),
      unit: 'ms',
      floor: round(floor),
      ratio: round(value / floor),
      goal: '+ < 50 ms',
      ok: value - floor < 50,
    };
  } finally {
    await daemon.dispose();
  }
};

/** Milliseconds since the epoch, finer than a millisecond, on the clock that the command reads. */
const now = (): number => performance.timeOrigin + performance.now();

const sinceStamp = (file: string, began: number): number => {
  const at = Number(readFileSync(file, 'utf8').trim()) / 1e6;
  rmSync(file);
  return at - began;
};

const bareSpawn = (argv: readonly string[], stamp: string): Promise<number> => {
  const began = now();
  const child = spawn(argv[0] ?? '', argv.slice(1), { stdio: 'ignore' });
  return new Promise((resolve) => child.on('exit', () => resolve(sinceStamp(stamp, began))));
};

const each = async (work: () => Promise<number>): Promise<readonly number[]> => {
  const spans: number[] = [];
  for (let index = 0; index < WARM + CALLS; index += 1) spans.push(await work());
  return spans.slice(WARM);
};
