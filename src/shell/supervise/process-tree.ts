// Finds and ends what a run left behind. Tool shells have groups of their own and `setsid` children outlive the client, so a
// group signal is not enough: descendants are collected before the kill, and on Linux every process that still carries the
// run's spawn id is found by its environment.

import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

/** A process told apart from a later one with the same pid by when it started. */
export interface KnownProcess {
  readonly pid: number;
  /** In the platform's own unit; empty where the platform does not say. */
  readonly started: string;
}

interface ProcessEntry extends KnownProcess {
  readonly parent: number;
}

/** Signals a process group; a group that is gone is no error. */
export const signalGroup = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pid, signal);
  } catch {
    signalProcess(pid, signal);
  }
};

/** Signals one process; false when it is gone. */
export const signalProcess = (pid: number, signal: NodeJS.Signals): boolean => {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
};

/** Every live descendant of a process, itself left out. */
export const descendantsOf = async (root: number): Promise<readonly KnownProcess[]> => {
  const children = new Map<number, ProcessEntry[]>();
  for (const entry of await listProcesses()) children.set(entry.parent, [...(children.get(entry.parent) ?? []), entry]);
  const found: KnownProcess[] = [];
  const walk = (pid: number): void => {
    for (const child of children.get(pid) ?? []) {
      found.push(child);
      walk(child.pid);
    }
  };
  walk(root);
  return found;
};

/** Processes whose environment holds the spawn id; Linux only, elsewhere none. */
export const carriersOf = async (spawnId: string): Promise<readonly number[]> => {
  const pids = await procPids();
  const marks = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
      return environment.split('\0').includes(`HARNESS_SPAWN_ID=${spawnId}`) ? pid : 0;
    }),
  );
  return marks.filter((pid) => pid !== 0 && pid !== process.pid);
};

/** Whether a process stands under a daemon that lives: then it is no leftover, whatever store names it. */
export const hasLiveDaemon = async (pid: number): Promise<boolean> => {
  for (const ancestor of await ancestorsOf(pid)) {
    const words = (await readFile(`/proc/${ancestor}/cmdline`, 'utf8').catch(() => '')).split('\0');
    if (ancestor !== process.pid && words.includes('daemon') && words.some((word) => /(?:^|\/)harness(?:\.js)?$/.test(word))) return true;
  }
  return false;
};

/** The chain of parents of a process, nearest first. */
export const ancestorsOf = async (pid: number): Promise<readonly number[]> => {
  const parents = new Map((await listProcesses()).map((entry) => [entry.pid, entry.parent]));
  const chain: number[] = [];
  for (let parent = parents.get(pid); parent !== undefined && parent > 0 && !chain.includes(parent); parent = parents.get(parent))
    chain.push(parent);
  return chain;
};

const ROUNDS = 5;

/** Kills every survivor of a run with SIGKILL and returns how many there were. Repeats while new ones show up. */
export const killSurvivors = async (pid: number, known: readonly KnownProcess[], spawnId: string): Promise<number> => {
  const killed = new Set<number>();
  const before = await stillThemselves(known);
  for (let round = 0; round < ROUNDS; round += 1) {
    const carriers = await carriersOf(spawnId);
    const targets = round === 0 ? [...new Set([...before, ...carriers])] : carriers;
    signalGroupQuietly(pid);
    const live = targets.filter((target) => target !== process.pid && signalProcess(target, 'SIGKILL'));
    for (const target of live) killed.add(target);
    if (live.length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return killed.size;
};

/** The pids of those that are alive and not somebody else by now. */
const stillThemselves = async (known: readonly KnownProcess[]): Promise<readonly number[]> => {
  if (known.length === 0) return [];
  const now = new Map((await listProcesses()).map((entry) => [entry.pid, entry.started]));
  return known.filter(({ pid, started }) => now.get(pid) === started).map(({ pid }) => pid);
};

const signalGroupQuietly = (pid: number): void => {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone, which is what the signal was for.
  }
};

const procPids = async (): Promise<readonly number[]> => {
  const names = await readdir('/proc').catch(() => [] as string[]);
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
};

const listProcesses = async (): Promise<readonly ProcessEntry[]> => {
  const pids = await procPids();
  if (pids.length === 0) return listWithPs();
  const entries = await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const [parent, started] = [fields[1], fields[19]];
      return parent === undefined || started === undefined ? undefined : { pid, parent: Number(parent), started };
    }),
  );
  return entries.filter((entry) => entry !== undefined);
};

/** macOS has no /proc. */
const listWithPs = (): Promise<readonly ProcessEntry[]> =>
  new Promise((resolve) => {
    execFile('ps', ['-axo', 'pid=,ppid=,lstart='], (_error, stdout) => {
      const rows = stdout.split('\n').flatMap((line) => {
        const [, pid, parent, started = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
        return pid === undefined || parent === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), started }];
      });
      resolve(rows);
    });
  });
