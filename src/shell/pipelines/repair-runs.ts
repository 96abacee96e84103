// At boot, before anything is admitted: runs that a crash left open are closed as interrupted, what still lives of them is ended,
// and sessions that were announced but not yet placed are placed, so that the run has its episode.
import { appendFileSync } from 'node:fs';
import { formatInstant } from '../../core/kernel/time.js';
import type { RunRecord } from '../../core/run/record.js';
import type { SessionRow, StoredRun } from '../../core/run/session.js';
import { placedSession } from '../../core/run/trace-rows.js';
import type { World } from '../daemon/world.js';
import { sampleGit } from '../git/git.js';
import type { Store } from '../store/operations.js';
import type { Journal } from '../supervise/journal.js';
import { carriersOf, hasLiveDaemon, signalProcess } from '../supervise/process-tree.js';

export const repairOpenRuns = async (open: readonly RunRecord[], journal: Journal, store: Store, world: World): Promise<void> => {
  for (const record of open) {
    const key = { harness: record.harness, run_id: record.run_id };
    const stored = await store.write('readStoredRun', key);
    if (stored !== undefined) await endAndPlace(stored, store, world);
    noteInLog(record.log);
    await journal.append('closed', key, { outcome: 'interrupted', reason: 'daemon_crash' });
    await store.write('sealTrace', { ...key, at: formatInstant(world.now()) });
    world.log.warn({ event: 'run_repaired', harness: key.harness, run: key.run_id });
  }
};

const endAndPlace = async ({ context, sessions }: StoredRun, store: Store, world: World): Promise<void> => {
  // A store may be a copy of one that is in use: what its daemon still runs is not ours to end.
  for (const pid of await carriersOf(context.spawn_id)) if (!(await hasLiveDaemon(pid))) signalProcess(pid, 'SIGKILL');
  const placed: SessionRow[] = [];
  for (const session of sessions.filter(({ repo }) => repo === undefined)) {
    const found = await sampleGit(session.cwd ?? context.workdir, world);
    if (found.kind === 'inside') placed.push(placedSession({ ...session, cwd: session.cwd ?? context.workdir }, found.sample));
  }
  if (placed.length > 0) await store.write('writeTrace', { sessions: placed, events: [], results: [], samples: [] });
};

const noteInLog = (path: string | undefined): void => {
  try {
    if (path !== undefined) appendFileSync(path, 'harness: the daemon went down under this run\n', { mode: 0o600 });
  } catch {
    // The log may be pruned, or the disk full; the record says the same.
  }
};
