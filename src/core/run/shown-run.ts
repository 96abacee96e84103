// A record as readers see it: `running` is said of an open one and never stored; nobody vouches for it while the daemon is down.
import type { RunRecord } from './record.js';

export interface ShownRun extends Omit<RunRecord, 'outcome'> {
  readonly outcome?: string;
  readonly log_pruned?: true;
}

export const showRun = (record: RunRecord, state: 'open' | 'open?' | 'closed', logPruned: boolean): ShownRun => ({
  ...record,
  ...(state === 'closed' ? {} : { outcome: state === 'open' ? 'running' : 'running?' }),
  ...(logPruned ? { log_pruned: true as const } : {}),
});
