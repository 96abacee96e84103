// Picks the session that gives a run its repository: the first that is no subagent's (SPEC-0030 REQ-5).
import { byCodePoint, inTurn, on, sorted } from '../kernel/order.js';
import type { SessionRow } from './session.js';

/**
 * The first non-subagent session by (started_at, session_id). When that one stands outside every repository,
 * the first non-subagent session inside one, else the first subagent session inside one, since a run with any
 * session in a repository must have an episode (SPEC-0030 REQ-8).
 */
export const primarySession = (sessions: readonly SessionRow[]): SessionRow | undefined => {
  const inOrder = sorted(
    sessions,
    inTurn(
      on(startOf, byCodePoint),
      on((row) => row.session_id, byCodePoint),
    ),
  );
  const own = inOrder.filter((row) => row.parent_session === undefined);
  const first = own[0];
  if (first?.repo !== undefined) return first;
  return own.find((row) => row.repo !== undefined) ?? inOrder.find((row) => row.repo !== undefined) ?? first;
};

/** A session without a readable start sorts last. */
const startOf = (row: SessionRow): string => (row.started_at === '' ? '\uffff' : row.started_at);
