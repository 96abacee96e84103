// At boot, before anything is admitted: runs that a crash left open are closed as interrupted, and what still lives of them is ended.
import { appendFileSync } from 'node:fs';
import { formatInstant } from '../../core/kernel/time.js';
import type { RunRecord } from '../../core/run/record.js';
import type { World } from '../daemon/world.js';
import type { Store } from '../store/operations.js';
import type { Journal } from '../supervise/journal.js';
import { carriersOf, signalProcess } from '../supervise/process-tree.js';

export const repairOpenRuns = async (open: readonly RunRecord[], journal: Journal, store: Store, world: World): Promise<void> => {
  for (const record of open) {
    const key = { harness: record.harness, run_id: record.run_id };
    const stored = await store.write('readStoredRun', key);
    for (const pid of stored === undefined ? [] : await carriersOf(stored.context.spawn_id)) signalProcess(pid, 'SIGKILL');
    noteInLog(record.log);
    await journal.append('closed', key, { outcome: 'interrupted', reason: 'daemon_crash' });
    await store.write('sealTrace', { ...key, at: formatInstant(world.now()) });
    world.log.warn({ event: 'run_repaired', harness: key.harness, run: key.run_id });
  }
};

const noteInLog = (path: string | undefined): void => {
  try {
    if (path !== undefined) appendFileSync(path, 'harness: the daemon went down under this run\n', { mode: 0o600 });
  } catch {
    // The log may be pruned, or the disk full; the record says the same.
  }
};
