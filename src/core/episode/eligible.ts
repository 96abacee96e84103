// Decides whether a run gets an episode, and says why not (SPEC-0030 REQ-8).
import * as E from 'fp-ts/lib/Either.js';
import { primarySession } from '../run/primary-session.js';
import type { RunRecord } from '../run/record.js';
import type { SessionRow, StoredRun } from '../run/session.js';

/** Tested in this order; the first that holds is the reason counted and shown. */
export const SKIP_REASONS = ['opted_out', 'no_trace', 'no_process', 'no_session', 'no_repository'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** A primary session that is known to stand in a repository. */
export interface RepoSession extends SessionRow {
  readonly repo: string;
}

/** The session that gives the episode its repository, or the reason for having none. */
export const eligibleSession = (run: StoredRun): E.Either<SkipReason, RepoSession> => {
  if (!run.context.memory_record) return E.left('opted_out');
  if (!run.context.record_trace) return E.left('no_trace');
  if (!spawnedProcess(run.record)) return E.left('no_process');
  const primary = primarySession(run.sessions);
  if (primary === undefined) return E.left('no_session');
  return primary.repo === undefined ? E.left('no_repository') : E.right({ ...primary, repo: primary.repo });
};

const spawnedProcess = ({ outcome, reason }: RunRecord): boolean =>
  outcome !== undefined && outcome !== 'skipped' && outcome !== 'missed' && !(outcome === 'failed' && reason === 'spawn');
