// How long a failing ledger write waits before its next try: 250 ms, doubling to 30 s (SPEC-0022 REQ-6).
import type { Duration } from '../kernel/time.js';

export const APPEND_RETRY = { first: 250, longest: 30_000 } as const;
/** Longest wait of a caller for its line to be on stable storage. */
export const SYNC_BOUND: Duration = 2_000;

/** The wait before attempt `attempt + 1`, counted from 0. */
export const appendBackoff = (attempt: number): Duration => Math.min(APPEND_RETRY.longest, APPEND_RETRY.first * 2 ** Math.min(attempt, 10));
