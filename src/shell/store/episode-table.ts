// Harness's own copy of every episode and the index of provider ids; the indexed scope is the only one trusted (SPEC-0030 REQ-9).

import type { SkipReason } from '../../core/episode/eligible.js';
import type { Episode, SafeEpisode } from '../../core/episode/episode.js';
import type { RunKey } from '../../core/run/record.js';
import { type Database, inTransaction } from './database.js';
import { writeCursor } from './ledger-table.js';

/** The feed cursor of episode recording: it moves only with the committed row. */
export const EPISODE_CURSOR = 'episodes';

export interface NewEpisode {
  readonly episode: SafeEpisode;
  readonly text: string;
  /** When the run ended, else when it started. */
  readonly at: string;
  readonly recorded_at: string;
  readonly provider: string;
  readonly deadline_at: string;
  readonly seq: number;
}

/** Stores the episode, queues it for the provider and moves the cursor, in one transaction. A second call changes nothing. */
export const recordEpisode = (db: Database, entry: NewEpisode): { readonly added: boolean } =>
  inTransaction(db, () => {
    const { episode } = entry;
    const added = db
      .prepare(
        `INSERT INTO episodes (episode_id, harness, run_id, repo, scope, trust_class, recorded_at, at, body, text)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      )
      .run(
        episode.episode_id,
        episode.harness,
        episode.run_id,
        episode.repo,
        episode.scope,
        episode.trust_class,
        entry.recorded_at,
        entry.at,
        JSON.stringify(episode),
        entry.text,
      );
    if (added.changes === 1) queueRecord(db, episode.episode_id, entry);
    writeCursor(db, { name: EPISODE_CURSOR, seq: entry.seq });
    return { added: added.changes === 1 };
  });

const queueRecord = (db: Database, episodeId: string, entry: NewEpisode): void => {
  db.prepare(
    `INSERT INTO episode_outbox (episode_id, provider, kind, attempts, next_at, deadline_at, state) VALUES (?, ?, 'record', 0, ?, ?, 'pending')
     ON CONFLICT DO NOTHING`,
  ).run(episodeId, entry.provider, entry.recorded_at, entry.deadline_at);
};

export interface SkippedEpisode extends RunKey {
  readonly reason: SkipReason;
  readonly at: string;
  readonly seq: number;
}

/** Notes that a run got no episode, and why; moves the cursor with it. */
export const skipEpisode = (db: Database, entry: SkippedEpisode): void =>
  inTransaction(db, () => {
    db.prepare('INSERT INTO episode_skip (harness, run_id, reason, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING').run(
      entry.harness,
      entry.run_id,
      entry.reason,
      entry.at,
    );
    writeCursor(db, { name: EPISODE_CURSOR, seq: entry.seq });
  });

export interface BindRequest {
  readonly provider: string;
  readonly episode_id: string;
  readonly ids: readonly string[];
  readonly recorded_at: string;
}

/** An id the provider had already used for an episode of another scope: served to no one from now on. */
export interface IdConflict {
  readonly provider_id: string;
  readonly first_episode_id: string;
}

/** Binds provider ids to an episode, once and for all: an id keeps the scope of its first binding. Ends the pending record. */
export const bindProviderIds = (db: Database, request: BindRequest): { readonly conflicts: readonly IdConflict[] } =>
  inTransaction(db, () => {
    const episode = db
      .prepare<[string], { scope: string; forgotten_at: string | null }>('SELECT scope, forgotten_at FROM episodes WHERE episode_id = ?')
      .get(request.episode_id);
    if (episode === undefined) return { conflicts: [] };
    const conflicts = request.ids.flatMap((id) => bindOne(db, request, id, episode.scope, episode.forgotten_at));
    db.prepare("DELETE FROM episode_outbox WHERE episode_id = ? AND provider = ? AND kind = 'record'").run(
      request.episode_id,
      request.provider,
    );
    return { conflicts };
  });

const bindOne = (db: Database, request: BindRequest, id: string, scope: string, forgottenAt: string | null): readonly IdConflict[] => {
  const { provider, episode_id, recorded_at } = request;
  const added = db
    .prepare(
      `INSERT INTO episode_index (provider, provider_id, episode_id, scope, recorded_at, forgotten_at) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
    )
    .run(provider, id, episode_id, scope, recorded_at, forgottenAt);
  if (added.changes === 1) return [];
  const first = db
    .prepare<[string, string], { episode_id: string; scope: string }>(
      'SELECT episode_id, scope FROM episode_index WHERE provider = ? AND provider_id = ?',
    )
    .get(provider, id);
  if (first === undefined || first.episode_id === episode_id) return [];
  if (first.scope === scope) {
    db.prepare('INSERT INTO episode_link (provider, provider_id, episode_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING').run(
      provider,
      id,
      episode_id,
    );
    return [];
  }
  db.prepare('INSERT INTO episode_conflict (provider, provider_id) VALUES (?, ?) ON CONFLICT DO NOTHING').run(provider, id);
  return [{ provider_id: id, first_episode_id: first.episode_id }];
};

/** What the index knows of an id a provider returned; `episode` is absent once its body is gone. */
export interface IndexEntry {
  readonly provider_id: string;
  readonly episode_id: string;
  readonly scope: string;
  readonly forgotten: boolean;
  readonly conflict: boolean;
  readonly at: string;
  readonly episode?: Episode;
}

interface IndexJoin {
  readonly provider_id: string;
  readonly episode_id: string;
  readonly scope: string;
  readonly forgotten: number;
  readonly conflict: number;
  readonly at: string | null;
  readonly body: string | null;
}

/** The index rows of the given ids, in no order. */
export const readIndex = (
  db: Database,
  { provider, ids }: { readonly provider: string; readonly ids: readonly string[] },
): readonly IndexEntry[] => {
  const statement = db.prepare<[string, string], IndexJoin>(
    `SELECT i.provider_id, i.episode_id, i.scope, e.at, e.body,
            (i.forgotten_at IS NOT NULL OR e.forgotten_at IS NOT NULL) AS forgotten,
            EXISTS (SELECT 1 FROM episode_conflict c WHERE c.provider = i.provider AND c.provider_id = i.provider_id) AS conflict
     FROM episode_index i LEFT JOIN episodes e ON e.episode_id = i.episode_id WHERE i.provider = ? AND i.provider_id = ?`,
  );
  return ids.flatMap((id) => {
    const row = statement.get(provider, id);
    return row === undefined ? [] : [toEntry(row)];
  });
};

const toEntry = ({ forgotten, conflict, at, body, ...row }: IndexJoin): IndexEntry => ({
  ...row,
  forgotten: forgotten === 1,
  conflict: conflict === 1,
  at: at ?? '',
  ...(body === null ? {} : { episode: JSON.parse(body) as Episode }),
});

export interface EpisodeRow {
  readonly episode: Episode;
  readonly text: string;
  readonly at: string;
  readonly recorded_at: string;
}

export interface EpisodeQuery {
  readonly harness?: string;
  readonly repo?: string;
  readonly since?: string;
  readonly limit: number;
}

interface EpisodeColumns {
  readonly body: string;
  readonly text: string;
  readonly at: string;
  readonly recorded_at: string;
}

/** Episodes whose body is kept, newest first. */
export const listEpisodes = (db: Database, query: EpisodeQuery): readonly EpisodeRow[] =>
  db
    .prepare<Record<string, string | number | null>, EpisodeColumns>(
      `SELECT body, text, at, recorded_at FROM episodes
       WHERE body IS NOT NULL AND forgotten_at IS NULL AND ($harness IS NULL OR harness = $harness)
         AND ($repo IS NULL OR repo = $repo) AND ($since IS NULL OR recorded_at >= $since)
       ORDER BY recorded_at DESC, episode_id LIMIT $limit`,
    )
    .all({ harness: query.harness ?? null, repo: query.repo ?? null, since: query.since ?? null, limit: query.limit })
    .map(toEpisode);

export const getEpisode = (db: Database, episodeId: string): EpisodeRow | undefined => {
  const row = db
    .prepare<[string], EpisodeColumns>(
      'SELECT body, text, at, recorded_at FROM episodes WHERE episode_id = ? AND body IS NOT NULL AND forgotten_at IS NULL',
    )
    .get(episodeId);
  return row === undefined ? undefined : toEpisode(row);
};

const toEpisode = (row: EpisodeColumns): EpisodeRow => ({
  episode: JSON.parse(row.body) as Episode,
  text: row.text,
  at: row.at,
  recorded_at: row.recorded_at,
});
