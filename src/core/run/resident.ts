// The life of a resident (SPEC-0003): when its process is started, started again, given up, held back and ended.
// A state machine of one harness; the shell owns the process and the clock that wakes it.
import type { Duration, Instant } from '../kernel/time.js';
import { FLAPPING_EXITS, FLAPPING_WINDOW, GIVE_UP_AFTER, type Restart, restartDelay, STABLE_AFTER, startsAgain } from './restart.js';

export const RESIDENT_PHASES = ['stopped', 'starting', 'running', 'degraded', 'restarting', 'stopping', 'failed'] as const;
export type ResidentPhase = (typeof RESIDENT_PHASES)[number];

/** Why a resident that should run does not. */
export type Hold = 'hours' | 'budget';

export type ResidentTrigger = 'manual' | 'autostart' | 'restart' | 'release';
export type ResidentEndCause = 'operator' | 'shutdown' | 'reload' | Hold;

export interface RestartPolicy {
  readonly restart: Restart;
  readonly restart_delay: Duration;
}

export interface ResidentState {
  readonly phase: ResidentPhase;
  /** It should run: a start was asked for and no stop since. */
  readonly wanted: boolean;
  readonly holds: readonly Hold[];
  /** Ends by itself within the flapping window. */
  readonly exits: readonly Instant[];
  /** Ends in a row of processes that did not become stable. */
  readonly failures: number;
  /** Of the process that lives. */
  readonly startedAt?: Instant;
  /** When the next restart, or the moment it counts as stable, is due. */
  readonly dueAt?: Instant;
  /** Start again as soon as the end under way is over. */
  readonly again: boolean;
}

export type ResidentEvent =
  | { readonly type: 'start'; readonly trigger: 'manual' | 'autostart' }
  | { readonly type: 'stop'; readonly cause: 'operator' | 'shutdown' | 'reload' }
  /** An operator's: end the process, then start it. */
  | { readonly type: 'restart' }
  | { readonly type: 'spawned' }
  /** By itself or because it was ended; a start that made no process counts as a failed one. */
  | { readonly type: 'exited'; readonly succeeded: boolean }
  | { readonly type: 'hold'; readonly hold: Hold }
  | { readonly type: 'release'; readonly hold: Hold }
  | { readonly type: 'due' };

export type ResidentEffect =
  | { readonly type: 'spawn'; readonly trigger: ResidentTrigger }
  | { readonly type: 'end'; readonly cause: ResidentEndCause }
  | { readonly type: 'give_up'; readonly failures: number }
  | { readonly type: 'flapping' };

export interface ResidentStep {
  readonly state: ResidentState;
  readonly effects: readonly ResidentEffect[];
}

export const STOPPED: ResidentState = { phase: 'stopped', wanted: false, holds: [], exits: [], failures: 0, again: false };

export const stepResident = (state: ResidentState, event: ResidentEvent, now: Instant, policy: RestartPolicy): ResidentStep => {
  switch (event.type) {
    case 'start':
      return start(state, event.trigger);
    case 'stop':
      return stop(state, event.cause);
    case 'restart':
      return hasProcess(state) ? end({ ...state, again: true, wanted: true }, 'operator') : start(state, 'manual');
    case 'spawned':
      return spawned(state, now);
    case 'exited':
      return exited(state, event.succeeded, now, policy);
    case 'hold':
      return hold(state, event.hold);
    case 'release':
      return release(state, event.hold);
    case 'due':
      return due(state, now);
  }
};

/** The process lives, or is being made or ended. */
export const hasProcess = ({ phase }: ResidentState): boolean =>
  phase === 'starting' || phase === 'running' || phase === 'degraded' || phase === 'stopping';

const only = (state: ResidentState): ResidentStep => ({ state, effects: [] });

/** A start by hand forgets past failures. During an end it is remembered. */
const start = (state: ResidentState, trigger: 'manual' | 'autostart'): ResidentStep => {
  if (state.phase === 'stopping') return only({ ...state, wanted: true, again: true });
  if (hasProcess(state)) return only({ ...state, wanted: true });
  const fresh = { ...state, wanted: true, failures: 0, exits: [] };
  return state.holds.length > 0 ? only({ ...withoutDue(fresh), phase: 'stopped' }) : spawn(fresh, trigger);
};

const spawn = (state: ResidentState, trigger: ResidentTrigger): ResidentStep => ({
  state: { ...withoutDue(state), phase: 'starting', again: false },
  effects: [{ type: 'spawn', trigger }],
});

const stop = (state: ResidentState, cause: 'operator' | 'shutdown' | 'reload'): ResidentStep => {
  const unwanted = { ...state, wanted: false, again: false };
  return hasProcess(state) ? end(unwanted, cause) : only({ ...withoutDue(unwanted), phase: 'stopped' });
};

const end = (state: ResidentState, cause: ResidentEndCause): ResidentStep =>
  state.phase === 'stopping' ? only(state) : { state: { ...withoutDue(state), phase: 'stopping' }, effects: [{ type: 'end', cause }] };

const spawned = (state: ResidentState, now: Instant): ResidentStep => {
  if (state.phase !== 'starting') return only(state);
  const flapping = state.exits.filter((at) => now - at <= FLAPPING_WINDOW).length >= FLAPPING_EXITS;
  return {
    state: { ...state, phase: flapping ? 'degraded' : 'running', startedAt: now, dueAt: now + STABLE_AFTER },
    effects: flapping ? [{ type: 'flapping' }] : [],
  };
};

const exited = (state: ResidentState, succeeded: boolean, now: Instant, policy: RestartPolicy): ResidentStep => {
  const { startedAt, ...rest } = withoutDue(state);
  if (state.phase === 'stopping') return afterEnd(rest);
  const stable = startedAt !== undefined && now - startedAt >= STABLE_AFTER;
  const failures = stable ? 1 : state.failures + 1;
  const exits = [...state.exits.filter((at) => now - at <= FLAPPING_WINDOW), now];
  if (!startsAgain(policy.restart, succeeded))
    return only({ ...rest, phase: succeeded ? 'stopped' : 'failed', wanted: false, exits, failures: succeeded ? 0 : failures });
  if (failures >= GIVE_UP_AFTER)
    return { state: { ...rest, phase: 'failed', wanted: false, exits, failures }, effects: [{ type: 'give_up', failures }] };
  return only({ ...rest, phase: 'restarting', exits, failures, dueAt: now + restartDelay(policy.restart_delay, failures) });
};

/** An end that was asked for: it stays down, unless it is to start again and nothing holds it. */
const afterEnd = (state: ResidentState): ResidentStep => {
  const down: ResidentState = { ...state, phase: 'stopped', again: false };
  if (!state.again || state.holds.length > 0) return only(down);
  return spawn({ ...down, failures: 0, exits: [] }, 'manual');
};

const hold = (state: ResidentState, reason: Hold): ResidentStep => {
  if (state.holds.includes(reason)) return only(state);
  const held = { ...state, holds: [...state.holds, reason] };
  if (hasProcess(state)) return end(held, reason);
  return only(state.phase === 'restarting' ? { ...withoutDue(held), phase: 'stopped' } : held);
};

const release = (state: ResidentState, reason: Hold): ResidentStep => {
  if (!state.holds.includes(reason)) return only(state);
  const freed = { ...state, holds: state.holds.filter((each) => each !== reason) };
  if (freed.holds.length > 0 || !freed.wanted) return only(freed);
  if (freed.phase === 'stopping') return only({ ...freed, again: true });
  return freed.phase === 'stopped' ? spawn(freed, 'release') : only(freed);
};

const due = (state: ResidentState, now: Instant): ResidentStep => {
  if (state.dueAt === undefined || now < state.dueAt) return only(state);
  if (state.phase === 'restarting') return spawn(state, 'restart');
  if (state.phase === 'running' || state.phase === 'degraded')
    return only({ ...withoutDue(state), phase: 'running', failures: 0, exits: [] });
  return only(state);
};

const withoutDue = ({ dueAt: _, ...state }: ResidentState): ResidentState => state;
