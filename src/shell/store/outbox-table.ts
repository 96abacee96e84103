// What still has to reach a provider, as rows: one per episode, provider and kind (SPEC-0030 REQ-13).
import type { SafeEpisode } from '../../core/episode/episode.js';
import type { Database } from './database.js';

export interface DueRecord {
  readonly episode_id: string;
  readonly provider: string;
  readonly attempts: number;
  readonly deadline_at: string;
  readonly episode: SafeEpisode;
  readonly text: string;
}

interface DueColumns {
  readonly episode_id: string;
  readonly provider: string;
  readonly attempts: number;
  readonly deadline_at: string;
  readonly body: string;
  readonly text: string;
}

/** Records that are due for a provider, oldest first. */
export const dueRecords = (
  db: Database,
  { provider, now, limit }: { readonly provider: string; readonly now: string; readonly limit: number },
): readonly DueRecord[] =>
  db
    .prepare<[string, string, number], DueColumns>(
      `SELECT o.episode_id, o.provider, o.attempts, o.deadline_at, e.body, e.text
       FROM episode_outbox o JOIN episodes e ON e.episode_id = o.episode_id
       WHERE o.kind = 'record' AND o.state = 'pending' AND o.provider = ? AND o.next_at <= ? AND e.body IS NOT NULL
       ORDER BY e.recorded_at, o.episode_id LIMIT ?`,
    )
    .all(provider, now, limit)
    .map(({ body, ...row }) => ({ ...row, episode: JSON.parse(body) as SafeEpisode }));

export interface Postponed {
  readonly episode_id: string;
  readonly provider: string;
  readonly attempts: number;
  readonly next_at: string;
  readonly failed: boolean;
}

/** Notes a failed attempt: try again at `next_at`, or give up. */
export const postponeRecord = (db: Database, entry: Postponed): void => {
  db.prepare(
    "UPDATE episode_outbox SET attempts = ?, next_at = ?, state = ? WHERE episode_id = ? AND provider = ? AND kind = 'record'",
  ).run(entry.attempts, entry.next_at, entry.failed ? 'record_failed' : 'pending', entry.episode_id, entry.provider);
};

export interface MemoryCounts {
  readonly episodes: number;
  readonly indexed: number;
  readonly pending_records: number;
  readonly failed_records: number;
  readonly pending_forgets: number;
  readonly failed_forgets: number;
  readonly oldest_pending_at?: string;
  readonly skipped: Readonly<Record<string, number>>;
  readonly degraded_24h: number;
}

/** Counts for `memory status`. */
export const memoryCounts = (db: Database, { provider, since }: { readonly provider: string; readonly since: string }): MemoryCounts => {
  const one = (sql: string, ...params: readonly string[]): number =>
    db
      .prepare<string[], number>(sql)
      .pluck()
      .get(...params) ?? 0;
  const outbox = (kind: string, state: string): number =>
    one('SELECT count(*) FROM episode_outbox WHERE kind = ? AND state = ?', kind, state);
  const skips = db
    .prepare<[], { reason: string; n: number }>('SELECT reason, count(*) AS n FROM episode_skip GROUP BY reason ORDER BY reason')
    .all();
  const oldest = db.prepare<[], string | null>("SELECT min(next_at) FROM episode_outbox WHERE state = 'pending'").pluck().get();
  return {
    episodes: one('SELECT count(*) FROM episodes WHERE body IS NOT NULL AND forgotten_at IS NULL'),
    indexed: one('SELECT count(*) FROM episode_index WHERE provider = ? AND forgotten_at IS NULL', provider),
    pending_records: outbox('record', 'pending'),
    failed_records: outbox('record', 'record_failed'),
    pending_forgets: outbox('forget', 'pending'),
    failed_forgets: outbox('forget', 'forget_failed'),
    ...(oldest == null ? {} : { oldest_pending_at: oldest }),
    skipped: Object.fromEntries(skips.map(({ reason, n }) => [reason, n])),
    degraded_24h: one('SELECT count(*) FROM memory_degraded WHERE at >= ?', since),
  };
};

export const noteDegraded = (db: Database, { at, reason }: { readonly at: string; readonly reason: string }): void => {
  db.prepare('INSERT INTO memory_degraded (at, reason) VALUES (?, ?)').run(at, reason);
};
