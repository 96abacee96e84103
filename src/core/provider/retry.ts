// When a record that did not reach the provider is tried again: doubling from five seconds to ten minutes, for 24 hours (SPEC-0030 REQ-13).
import { type Duration, HOUR, type Instant, MINUTE, SECOND } from '../kernel/time.js';

export const RETRY_WINDOW: Duration = 24 * HOUR;
const FIRST_WAIT: Duration = 5 * SECOND;
const LONGEST_WAIT: Duration = 10 * MINUTE;

export type RetryStep = { readonly kind: 'wait'; readonly next: Instant } | { readonly kind: 'give_up' };

/** What follows the failed attempt number `attempts` (1 for the first). */
export const stepRetry = (attempts: number, deadline: Instant, now: Instant): RetryStep => {
  const next = now + Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(attempts - 1, 20));
  return next > deadline ? { kind: 'give_up' } : { kind: 'wait', next };
};
