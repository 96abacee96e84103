// Says how a run ended: its outcome and reason from what was seen of the process and why it was signalled (SPEC-0022 REQ-5).
import { formatInstant, type Instant } from '../kernel/time.js';
import type { Outcome, Reason } from './outcome.js';
import type { RunFields } from './record.js';

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Why we ended the process ourselves; absent when it ended by itself. */
export type EndCause = 'timeout' | 'operator' | 'shutdown' | 'reload' | 'replaced' | 'hours' | 'budget';

export interface RunEnd {
  readonly exit: ProcessExit;
  readonly cause?: EndCause;
  /** The client says how many turns it took, and none means that it did nothing. */
  readonly judged_by_turns: boolean;
  /** The client's own count of turns, where its stream gave one. */
  readonly turns?: number;
  readonly model_calls: number;
}

export interface Verdict {
  readonly outcome: Outcome;
  readonly reason?: Reason;
}

export const outcomeOf = (end: RunEnd): Verdict => {
  switch (end.cause) {
    case 'timeout':
      return { outcome: 'timed_out' };
    case 'operator':
      return { outcome: 'cancelled', reason: 'operator' };
    case 'reload':
      return { outcome: 'cancelled', reason: 'reload' };
    case 'shutdown':
      return { outcome: 'interrupted', reason: 'shutdown' };
    case 'replaced':
      return { outcome: 'replaced' };
    case 'hours':
      return { outcome: 'cancelled', reason: 'hours' };
    case 'budget':
      return { outcome: 'budget_exceeded', reason: 'daily_cost_usd' };
    case undefined:
      return { outcome: end.exit.code === 0 && !tookPromptForCommand(end) ? 'success' : 'failed' };
  }
};

/** The end fields of a closed line; a process killed by a signal has exit code -1. */
export const endFields = (end: RunEnd, startedAt: Instant, endedAt: Instant): RunFields => ({
  ...outcomeOf(end),
  ended_at: formatInstant(endedAt),
  duration_ms: Math.max(0, endedAt - startedAt),
  exit_code: end.exit.code ?? -1,
});

/** A start that made no process: failed, reason spawn, no exit code. */
export const spawnFailure = (startedAt: Instant, endedAt: Instant): RunFields => ({
  outcome: 'failed',
  reason: 'spawn',
  ended_at: formatInstant(endedAt),
  duration_ms: Math.max(0, endedAt - startedAt),
});

/** How a firing ends that never got a slot. */
export const endedWaiting = (cause: EndCause): Verdict => {
  switch (cause) {
    case 'shutdown':
      return { outcome: 'interrupted', reason: 'shutdown' };
    case 'reload':
      return { outcome: 'cancelled', reason: 'reload' };
    case 'hours':
      return { outcome: 'cancelled', reason: 'hours' };
    case 'operator':
    case 'timeout':
    case 'replaced':
    case 'budget':
      return { outcome: 'cancelled', reason: 'operator' };
  }
};

/** claude reads a prompt that starts with `/` as a command, does nothing and exits 0: that is no success. */
const tookPromptForCommand = ({ judged_by_turns, turns, model_calls }: RunEnd): boolean =>
  judged_by_turns && turns === 0 && model_calls === 0;
