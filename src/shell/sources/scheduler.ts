// Fires scheduled harnesses: one clock for all of them, asked again at least every half minute, so that a sleep or a jump of the
// host's clock is noticed. A window is decided once: the firing's line comes first, then the cursor.
import type { Config, HarnessConfig } from '../../core/config/config.js';
import { formatInstant, parseInstant } from '../../core/kernel/time.js';
import type { Schedule } from '../../core/run/schedule.js';
import { countFrom, decideWindows, type ScheduleCursor, sortDueWindows, type WindowDecision } from '../../core/run/schedule-window.js';
import type { World } from '../daemon/world.js';
import type { StoredCursor } from '../store/fleet-table.js';
import type { Store } from '../store/operations.js';
import type { Journal } from '../supervise/journal.js';
import type { Supervisor } from '../supervise/supervisor.js';
import { nextWindow, windowsBetween } from './windows.js';

export interface Scheduler {
  /** The next window of a harness; undefined when it has no schedule, or no window is left. */
  readonly next: (harness: HarnessConfig) => number | undefined;
  /** Looks at all schedules now: once the daemon is up, and after a new configuration. */
  readonly look: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface SchedulerDeps {
  readonly supervisor: Pick<Supervisor, 'fire'>;
  readonly journal: Journal;
  readonly store: Store;
  readonly world: World;
}

const LONGEST_WAIT_MS = 30_000;
/** Timers may fire a little early. */
const LEAST_WAIT_MS = 5;

/** The first look sets it going. */
export const openScheduler = (config: () => Config, cursors: readonly StoredCursor[], deps: SchedulerDeps): Scheduler =>
  new SchedulerLoop(config, cursors, deps);

class SchedulerLoop implements Scheduler {
  private readonly config: () => Config;
  private readonly deps: SchedulerDeps;
  private readonly cursors = new Map<string, ScheduleCursor>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(config: () => Config, cursors: readonly StoredCursor[], deps: SchedulerDeps) {
    this.config = config;
    this.deps = deps;
    for (const { harness, schedule, at } of cursors) this.cursors.set(harness, { schedule, at: parseInstant(at) ?? 0 });
  }

  readonly next: Scheduler['next'] = ({ name, schedule }) => {
    if (schedule === undefined) return undefined;
    const now = this.deps.world.now();
    const from = countFrom(this.cursors.get(name), textOf(schedule), now, schedule.kind === 'every');
    // What is due already is decided at the next look.
    const next = nextWindow(schedule, from);
    return schedule.kind === 'every' || (next ?? now) > now ? next : nextWindow(schedule, now);
  };

  /** One look at a time: two would decide a window twice. */
  readonly look: Scheduler['look'] = () => {
    this.looking = this.looking.then(() => this.lookAtAll()).finally(() => this.arm());
    return this.looking;
  };

  readonly close: Scheduler['close'] = async () => {
    this.closed = true;
    clearTimeout(this.timer);
    await this.looking;
  };

  private async lookAtAll(): Promise<void> {
    if (this.closed) return;
    await Promise.all(
      scheduled(this.config()).map(({ harness, schedule }) =>
        this.lookAt(harness, schedule).catch((error: unknown) =>
          this.deps.world.log.error({ event: 'schedule_fault', harness: harness.name, error: String(error) }),
        ),
      ),
    );
  }

  private async lookAt(harness: HarnessConfig, schedule: Schedule): Promise<void> {
    const now = this.deps.world.now();
    const text = textOf(schedule);
    const cursor = this.cursors.get(harness.name);
    const from = countFrom(cursor, text, now, schedule.kind === 'every');
    const due = sortDueWindows(windowsBetween(schedule, from, now), now);
    if (due === undefined) {
      if (cursor?.schedule !== text || cursor.at !== from) await this.moveCursor(harness.name, text, from);
      return;
    }
    for (const decision of decideWindows(due, harness.catch_up)) await this.carryOut(harness, decision);
    await this.moveCursor(harness.name, text, due.last);
  }

  private async carryOut(harness: HarnessConfig, decision: WindowDecision): Promise<void> {
    const { journal, supervisor, world } = this.deps;
    const windows = {
      window: formatInstant(decision.window),
      ...('windows' in decision ? { first_window: formatInstant(decision.first_window), windows: decision.windows } : {}),
    };
    if (decision.type === 'missed') {
      const key = { harness: harness.name, run_id: journal.allocateRunId(harness.name) };
      const fields = {
        kind: 'oneshot',
        trigger: 'schedule',
        started_at: formatInstant(world.now()),
        outcome: 'missed',
        ...windows,
      } as const;
      world.log.warn({ event: 'schedule_missed', harness: harness.name, windows: decision.windows });
      await journal.append('decided', key, fields);
      return;
    }
    const firing = await supervisor.fire(harness, decision.trigger, windows);
    if (firing.decision === 'refused') world.log.error({ event: 'firing_refused', harness: harness.name, reason: firing.reason });
  }

  private async moveCursor(harness: string, schedule: string, at: number): Promise<void> {
    this.cursors.set(harness, { schedule, at });
    await this.deps.store.write('writeScheduleCursor', { harness, schedule, at: formatInstant(at) });
  }

  private arm(): void {
    clearTimeout(this.timer);
    if (this.closed) return;
    const now = this.deps.world.now();
    const waits = scheduled(this.config()).map(({ harness }) => (this.next(harness) ?? Number.POSITIVE_INFINITY) - now);
    this.timer = setTimeout(() => void this.look(), Math.max(LEAST_WAIT_MS, Math.min(LONGEST_WAIT_MS, ...waits)));
    this.timer.unref();
  }
}

const scheduled = ({ harnesses }: Config): readonly { readonly harness: HarnessConfig; readonly schedule: Schedule }[] =>
  harnesses.flatMap((harness) => (harness.schedule === undefined ? [] : [{ harness, schedule: harness.schedule }]));

/** What a cursor belongs to: the schedule by its meaning. */
const textOf = (schedule: Schedule): string => JSON.stringify(schedule);
