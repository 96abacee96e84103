// The last closed runs on a repository and branch, as briefings show them.
import type { RecentRun } from '../../core/recall/items.js';
import type { RunRecord } from '../../core/run/record.js';
import type { Database } from './database.js';

export interface RecentRunQuery {
  readonly repo: string;
  /** Absent on a detached HEAD: then any branch. */
  readonly branch?: string;
  readonly exclude?: { readonly harness: string; readonly run_id: number };
  readonly limit: number;
}

interface RecentRow {
  readonly record: string;
  readonly adapter: string | null;
  readonly branch: string | null;
}

/** Newest end first, then harness, then run id; only runs that had a process. */
export const readRecentRuns = (db: Database, query: RecentRunQuery): readonly RecentRun[] =>
  db
    .prepare<Record<string, string | number | null>, RecentRow>(
      `SELECT r.record, json_extract(c.context, '$.adapter') AS adapter, max(s.branch) AS branch
       FROM session_sample s JOIN run r ON r.harness = s.harness AND r.run_id = s.run_id AND r.open = 0
       LEFT JOIN run_context c ON c.harness = r.harness AND c.run_id = r.run_id
       WHERE s.repo = $repo AND ($branch IS NULL OR s.branch = $branch)
         AND NOT (r.harness = $harness AND r.run_id = $run_id)
         AND json_extract(r.record, '$.ended_at') IS NOT NULL
       GROUP BY r.harness, r.run_id
       ORDER BY json_extract(r.record, '$.ended_at') DESC, r.harness, r.run_id DESC LIMIT $limit`,
    )
    .all({
      repo: query.repo,
      branch: query.branch ?? null,
      harness: query.exclude?.harness ?? '',
      run_id: query.exclude?.run_id ?? 0,
      limit: query.limit,
    })
    .map(toRecentRun);

const toRecentRun = ({ record: text, adapter, branch }: RecentRow): RecentRun => {
  const record = JSON.parse(text) as RunRecord;
  return {
    harness: record.harness,
    run_id: record.run_id,
    adapter: adapter ?? '',
    ...(record.model === undefined ? {} : { model: record.model }),
    ...(branch === null ? {} : { branch }),
    outcome: record.outcome ?? 'interrupted',
    ended_at: record.ended_at ?? '',
    ...(record.duration_ms === undefined ? {} : { duration_ms: record.duration_ms }),
  };
};
