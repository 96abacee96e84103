// Drives episode recording off the supervision path: woken by the run feed, by the clock for retries, and once at boot.
import { SECOND } from '../../core/kernel/time.js';
import { EpisodeFault, readEpisodeCursor, recordNewEpisodes } from '../pipelines/record-episode.js';
import { type RecordDeps, sendDueRecords, sendRecords } from '../pipelines/send-records.js';
import type { Journal } from '../supervise/journal.js';

const TICK_MS = 5 * SECOND;

export interface EpisodeRecorder {
  /** Resolves when all that is closed by now has its episode, or its reason for none, and was sent once. */
  readonly settle: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The feed may drop: every wake reads on from the stored cursor, so a lost notice loses nothing. */
export const startEpisodeRecorder = (journal: Pick<Journal, 'subscribe'>, deps: RecordDeps): EpisodeRecorder => {
  let closed = false;
  let wanted = false;
  let cursor: number | undefined;
  // The outbox is looked at when the daemon starts and at every tick.
  let overdue = true;
  let working: Promise<void> | undefined;

  const work = async (): Promise<void> => {
    while (wanted && !closed) {
      wanted = false;
      try {
        const recorded = await recordNewEpisodes(cursor ?? (await readEpisodeCursor(deps)), deps);
        cursor = recorded.cursor;
        await sendRecords(recorded.fresh, deps);
        if (overdue) await sendDueRecords(deps);
        overdue = false;
      } catch (error) {
        cursor = undefined;
        const key = error instanceof EpisodeFault ? error.key : { harness: '', run_id: 0 };
        const message = error instanceof Error ? error.message : String(error);
        deps.world.log.error({ event: 'episode_failed', harness: key.harness, run: key.run_id, error: message });
        return;
      }
    }
  };

  const wake = (): Promise<void> => {
    wanted = true;
    working ??= work().finally(() => {
      working = undefined;
    });
    return working;
  };

  const unsubscribe = journal.subscribe((item) => {
    if (item.type === 'closed' || item.type === 'decided') void wake();
  });
  const timer = setInterval(() => {
    overdue = true;
    void wake();
  }, TICK_MS);
  timer.unref();
  void wake();
  return {
    settle: wake,
    close: async () => {
      closed = true;
      unsubscribe();
      clearInterval(timer);
      await working;
    },
  };
};
