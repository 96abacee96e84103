// `npm run chaos -- soak [--points N]`: N runs, N starts of a resident that crashes at once, and attaches that come and go; then
// processes, sockets, file handles and memory are what they were before.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { childrenOf, makeRig, type Rig, until } from '../support/rig.js';
import { processesOf } from './aftermath.js';

export interface Footprint {
  readonly processes: number;
  readonly sockets: number;
  readonly handles: number;
  readonly threads: number;
  readonly memory_mb: number;
}

export interface SoakReport {
  readonly runs: number;
  readonly starts: number;
  readonly attaches: number;
  readonly before: Footprint;
  readonly after: Footprint;
  readonly left: readonly number[];
}

const WORKERS = 8;
const WARM = 100;
const ATTACHES = 50;
/** More than this is growth: a leak of one handle a run would be a thousand. */
const HANDLES_SLACK = 8;
const MEMORY_SLACK_MB = 48;

export const soak = async (runs: number, tell: (line: string) => void): Promise<SoakReport> => {
  const rig = makeRig();
  const workers = Array.from({ length: WORKERS }, (_, index) => `w${index}`);
  rig.configure(
    [
      ...workers.map((name) => `[harness.${name}]\nharness = "command"\nargv = ["true"]\nrestart = "no"\nkeep_runs = 5\n`),
      '[harness.crashing]\nharness = "command"\nargv = ["false"]\nrestart_delay = "10ms"\n',
      '[harness.idle]\nharness = "command"\nargv = ["cat"]\nenabled = true\n',
    ].join('\n'),
  );
  try {
    await rig.start();
    await runMany(rig, workers, WARM);
    await startMany(rig, WARM);
    await attachMany(rig, 5);
    const before = await footprint(rig);
    await runMany(rig, workers, runs);
    tell(`${runs} runs`);
    const starts = await startMany(rig, runs);
    tell(`${starts} starts of a crashing resident`);
    await attachMany(rig, ATTACHES);
    const after = await footprint(rig);
    await rig.stop();
    return { runs, starts, attaches: ATTACHES, before, after, left: processesOf(join(rig.dir, 'state')) };
  } finally {
    await rig.dispose();
  }
};

const runMany = async (rig: Rig, workers: readonly string[], count: number): Promise<void> => {
  let left = count;
  const work = async (name: string): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await rig.run(name);
    }
  };
  await Promise.all(workers.map(work));
};

/** Each start by hand makes five processes before it is given up. */
const startMany = async (rig: Rig, count: number): Promise<number> => {
  const { control } = rig.daemon();
  const last = async (): Promise<number> => Number((await control.describe({ harness: 'crashing' })).row?.lastRunId ?? 0n);
  const first = await last();
  for (let made = 0; made < count; made = (await last()) - first) {
    await control.start({ harness: 'crashing' }).catch(() => undefined);
    await until(async () => ((await control.describe({ harness: 'crashing' })).row?.state === 'failed' ? true : undefined), 'giving up');
  }
  return (await last()) - first;
};

const attachMany = async (rig: Rig, count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) {
    const leaving = new AbortController();
    const seen = rig.daemon().attach.watch({ harness: 'idle' }, { signal: leaving.signal, timeoutMs: 0 });
    const watching = (async () => {
      for await (const _ of seen) break;
    })().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 10));
    leaving.abort();
    await watching;
  }
};

/** After the dust has settled: handles close a moment after their process. */
const footprint = async (rig: Rig): Promise<Footprint> => {
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const pid = rig.daemonPid();
  const targets = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      return [];
    }
  });
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  return {
    processes: childrenOf(pid).length,
    sockets: targets.filter((target) => target.startsWith('socket:')).length,
    handles: targets.length,
    threads: field('Threads'),
    memory_mb: Math.round(field('VmRSS') / 1_024),
  };
};

export const renderSoak = ({
  runs,
  starts,
  attaches,
  before,
  after,
  left,
}: SoakReport): { readonly text: string; readonly ok: boolean } => {
  const row = (name: string, { processes, sockets, handles, threads, memory_mb }: Footprint): string =>
    `${name.padEnd(8)}${[processes, sockets, handles, threads, `${memory_mb} MB`].map((value) => String(value).padStart(10)).join('')}`;
  const ok =
    after.processes === before.processes &&
    after.handles - before.handles <= HANDLES_SLACK &&
    after.threads <= before.threads &&
    after.memory_mb - before.memory_mb <= MEMORY_SLACK_MB &&
    left.length === 0;
  const lines = [
    `soak: ${runs} runs, ${starts} starts of a crashing resident, ${attaches} attaches`,
    `        ${['children', 'sockets', 'handles', 'threads', 'memory'].map((name) => name.padStart(10)).join('')}`,
    row('before', before),
    row('after', after),
    `left after the stop: ${left.length === 0 ? 'nothing' : left.join(', ')}`,
    ...(ok ? [] : ['it grew: something is not given back']),
  ];
  return { text: lines.join('\n'), ok };
};
