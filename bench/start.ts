// Cold starts: the daemon until its socket answers, its idle memory, and `harness list`, each against a bare node.
import { execFileSync } from 'node:child_process';
import { makeBenchDaemon } from './daemon.js';
import { fillFleet } from './fleet.js';
import { type BenchRow, median, round, timeEach } from './row.js';

const STARTS = 7;
const CALLS = 15;

const bareNode = async (): Promise<number> => median(await timeEach(CALLS, () => execFileSync(process.execPath, ['-e', '0'])));

const SIZES = [1_000, 10_000, 100_000];

export const bootBench = async (root: string, sizes: readonly number[] = SIZES): Promise<readonly BenchRow[]> => {
  const rows: BenchRow[] = [];
  for (const size of sizes) rows.push(...(await bootWith(root, size)));
  return rows;
};

const bootWith = async (root: string, episodes: number): Promise<readonly BenchRow[]> => {
  const daemon = makeBenchDaemon(root);
  try {
    fillFleet(daemon.store, episodes, undefined);
    const spans: number[] = [];
    for (let index = 0; index < STARTS; index += 1) spans.push(await daemon.start());
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const [value, floor, memory] = [median(spans), await bareNode(), daemon.memory()];
    return [
      {
        name: 'boot',
        work: `daemon start → socket answers, ${episodes} episodes`,
        value: round(value),
        unit: 'ms',
        floor: round(floor),
        ratio: round(value / floor),
        goal: '< 600 ms',
        ok: value < 600,
      },
      {
        name: 'boot',
        work: `idle memory, ${episodes} episodes`,
        value: round(memory),
        unit: 'MB',
        floor: 150,
        ratio: round(memory / 150),
        goal: '< 150 MB',
        ok: memory < 150,
      },
    ];
  } finally {
    await daemon.dispose();
  }
};

export const cliBench = async (root: string): Promise<readonly BenchRow[]> => {
  const daemon = makeBenchDaemon(root);
  try {
    await daemon.start();
    const list = (): unknown => execFileSync(process.execPath, [daemon.cli, 'list'], { env: daemon.env });
    list();
    const [value, floor] = [median(await timeEach(CALLS, list)), await bareNode()];
    return [
      {
        name: 'cli',
        work: '`harness list` cold',
        value: round(value),
        unit: 'ms',
        floor: round(floor),
        ratio: round(value / floor),
        goal: '≤ 2.5× node',
        ok: value / floor <= 2.5,
      },
    ];
  } finally {
    await daemon.dispose();
  }
};
