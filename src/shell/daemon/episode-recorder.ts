// Drives episode recording off the supervision path: woken by the run feed, by the clock for retries, and once at boot.
import { SECOND } from '../../core/kernel/time.js';
import { EpisodeFault, readEpisodeCursor, recordNewEpisodes } from '../pipelines/record-episode.js';
import { type RecordDeps, sendDueRecords, sendRecords } from '../pipelines/send-records.js';
import type { Journal } from '../supervise/journal.js';

const TICK_MS = 5 * SECOND;
const LAST_ROUND_MS = 5 * SECOND;

export interface EpisodeRecorder {
  /** Resolves when all that is closed by now has its episode, or its reason for none, and was sent once. */
  readonly settle: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The feed may drop: every wake reads on from the stored cursor, so a lost notice loses nothing. */
export const startEpisodeRecorder = (journal: Pick<Journal, 'subscribe'>, deps: RecordDeps): EpisodeRecorder => {
  const loop = new RecordingLoop(deps);
  const unsubscribe = journal.subscribe((item) => {
    if (item.type === 'closed' || item.type === 'decided') void loop.wake();
  });
  const timer = setInterval(() => void loop.tick(), TICK_MS);
  timer.unref();
  void loop.wake();
  return {
    settle: () => loop.wake(),
    close: async () => {
      // What has just closed is recorded before the daemon goes; a long backlog waits for the next one.
      await Promise.race([loop.wake(), new Promise((resolve) => setTimeout(resolve, LAST_ROUND_MS))]);
      const stopped = loop.stop();
      unsubscribe();
      clearInterval(timer);
      await stopped;
    },
  };
};

/** One round of work at a time; a wake during a round asks for another. */
class RecordingLoop {
  private closed = false;
  private wanted = false;
  private cursor: number | undefined;
  // The outbox is looked at when the daemon starts and at every tick.
  private overdue = true;
  private working: Promise<void> | undefined;
  private readonly deps: RecordDeps;

  constructor(deps: RecordDeps) {
    this.deps = deps;
  }

  wake(): Promise<void> {
    this.wanted = true;
    this.working ??= this.work().finally(() => {
      this.working = undefined;
    });
    return this.working;
  }

  tick(): Promise<void> {
    this.overdue = true;
    return this.wake();
  }

  /** Resolves when the round under way, if any, has ended. */
  stop(): Promise<void> {
    this.closed = true;
    return this.working ?? Promise.resolve();
  }

  private async work(): Promise<void> {
    while (this.wanted && !this.closed) {
      this.wanted = false;
      try {
        await this.round();
      } catch (error) {
        this.cursor = undefined;
        this.report(error);
        return;
      }
    }
  }

  private async round(): Promise<void> {
    const goesOn = (): boolean => !this.closed;
    const recorded = await recordNewEpisodes(this.cursor ?? (await readEpisodeCursor(this.deps)), this.deps, goesOn);
    this.cursor = recorded.cursor;
    await sendRecords(recorded.fresh, this.deps, goesOn);
    if (this.overdue) await sendDueRecords(this.deps, goesOn);
    this.overdue = false;
  }

  private report(error: unknown): void {
    const key = error instanceof EpisodeFault ? error.key : { harness: '', run_id: 0 };
    const message = error instanceof Error ? error.message : String(error);
    this.deps.world.log.error({ event: 'episode_failed', harness: key.harness, run: key.run_id, error: message });
  }
}
