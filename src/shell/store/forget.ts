// Forgetting an episode in Harness's own tables: first the tombstones, so that nothing serves it any more, then the
// bodies; the freed pages are overwritten and the write-ahead log is emptied (SPEC-0030 REQ-10).
import { type Database, inTransaction } from './database.js';
import { clearResults } from './trace-table.js';

export interface ForgetRequest {
  readonly episode_id: string;
  readonly at: string;
  readonly deadline_at: string;
}

export interface Forgotten {
  readonly found: boolean;
  /** Provider ids that memory_forget must now be called for. */
  readonly ids: readonly { readonly provider: string; readonly provider_id: string }[];
}

/** Sets the tombstones, deletes the stored body and the run's result text, and queues the provider's forget. */
export const forgetEpisode = (db: Database, request: ForgetRequest): Forgotten => {
  const forgotten = inTransaction(db, () => forgetRows(db, request));
  if (forgotten.found) db.pragma('wal_checkpoint(TRUNCATE)');
  return forgotten;
};

const forgetRows = (db: Database, { episode_id, at, deadline_at }: ForgetRequest): Forgotten => {
  const row = db
    .prepare<[string], { harness: string; run_id: number }>(
      'SELECT harness, run_id FROM episodes WHERE episode_id = ? AND forgotten_at IS NULL',
    )
    .get(episode_id);
  if (row === undefined) return { found: false, ids: [] };
  const ids = db
    .prepare<[string, string], { provider: string; provider_id: string }>(
      `SELECT provider, provider_id FROM episode_index WHERE episode_id = ?
       UNION SELECT provider, provider_id FROM episode_link WHERE episode_id = ? ORDER BY provider, provider_id`,
    )
    .all(episode_id, episode_id);
  const tombstone = db.prepare('UPDATE episode_index SET forgotten_at = coalesce(forgotten_at, ?) WHERE provider = ? AND provider_id = ?');
  for (const { provider, provider_id } of ids) tombstone.run(at, provider, provider_id);
  db.prepare('UPDATE episodes SET forgotten_at = ?, body = NULL, text = NULL WHERE episode_id = ?').run(at, episode_id);
  clearResults(db, row);
  db.prepare("DELETE FROM episode_outbox WHERE episode_id = ? AND kind = 'record'").run(episode_id);
  const queue = db.prepare(
    `INSERT INTO episode_outbox (episode_id, provider, kind, attempts, next_at, deadline_at, state) VALUES (?, ?, 'forget', 0, ?, ?, 'pending')
     ON CONFLICT DO NOTHING`,
  );
  for (const provider of new Set(ids.map((id) => id.provider))) queue.run(episode_id, provider, at, deadline_at);
  return { found: true, ids };
};
