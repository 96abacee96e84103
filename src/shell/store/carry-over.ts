// What must outlive a restore: the run ids and line numbers that were given, the windows that were decided, and what was forgotten
// (SPEC-0030 REQ-10).
import { builtinForget } from './builtin-table.js';
import { type Database, inTransaction } from './database.js';
import { type StoredCursor, writeScheduleCursor } from './fleet-table.js';
import { forgetEpisode } from './forget.js';
import { readLedgerState } from './ledger-table.js';

interface ForgottenRow {
  readonly episode_id: string;
  readonly harness: string;
  readonly run_id: number;
  readonly repo: string;
  readonly scope: string;
  readonly trust_class: string;
  readonly recorded_at: string;
  readonly at: string;
  readonly forgotten_at: string;
}

interface ForgottenId {
  readonly provider: string;
  readonly provider_id: string;
  readonly episode_id: string;
  readonly scope: string;
  readonly recorded_at: string;
  readonly forgotten_at: string;
}

/** A provider that still has to be told. */
interface PendingForget {
  readonly episode_id: string;
  readonly provider: string;
  readonly attempts: number;
  readonly next_at: string;
  readonly deadline_at: string;
  readonly state: string;
}

export interface CarriedOver {
  readonly runIds: readonly { readonly harness: string; readonly last_run_id: number }[];
  readonly lastSeq: number;
  readonly cursors: readonly StoredCursor[];
  readonly forgotten: readonly ForgottenRow[];
  readonly forgottenIds: readonly ForgottenId[];
  readonly pendingForgets: readonly PendingForget[];
}

/** Throws where the store cannot be read. */
export const readCarried = (db: Database): CarriedOver => {
  const runIds = db.prepare<[], CarriedOver['runIds'][number]>('SELECT harness, last_run_id FROM run_sequence').all();
  const given = { runIds, lastSeq: readLedgerState(db).lastSeq, cursors: readCursors(db) };
  if (!hasTable(db, 'episodes')) return { ...given, forgotten: [], forgottenIds: [], pendingForgets: [] };
  return {
    ...given,
    forgotten: db.prepare<[], ForgottenRow>(`SELECT ${EPISODE_COLUMNS} FROM episodes WHERE forgotten_at IS NOT NULL`).all(),
    forgottenIds: db.prepare<[], ForgottenId>(`SELECT ${INDEX_COLUMNS} FROM episode_index WHERE forgotten_at IS NOT NULL`).all(),
    pendingForgets: db.prepare<[], PendingForget>(`SELECT ${OUTBOX_COLUMNS} FROM episode_outbox WHERE kind = 'forget'`).all(),
  };
};

const EPISODE_COLUMNS = 'episode_id, harness, run_id, repo, scope, trust_class, recorded_at, at, forgotten_at';
const INDEX_COLUMNS = 'provider, provider_id, episode_id, scope, recorded_at, forgotten_at';
const OUTBOX_COLUMNS = 'episode_id, provider, attempts, next_at, deadline_at, state';

/** Into a store of the newest version. */
export const carryOver = (db: Database, { runIds, lastSeq, cursors, forgotten, forgottenIds, pendingForgets }: CarriedOver): void => {
  inTransaction(db, () => {
    const raise = db.prepare(
      'INSERT INTO run_sequence (harness, last_run_id) VALUES (?, ?) ON CONFLICT DO UPDATE SET last_run_id = max(last_run_id, excluded.last_run_id)',
    );
    for (const { harness, last_run_id } of runIds) raise.run(harness, last_run_id);
    db.prepare(
      "INSERT INTO counter (name, value) VALUES ('pruned_seq', ?) ON CONFLICT DO UPDATE SET value = max(value, excluded.value)",
    ).run(lastSeq);
    for (const cursor of cursors) writeScheduleCursor(db, cursor);
  });
  for (const row of forgotten) forgetAgain(db, row);
  inTransaction(db, () => {
    const tombstone = db.prepare(
      `INSERT INTO episode_index (${INDEX_COLUMNS}) VALUES ($provider, $provider_id, $episode_id, $scope, $recorded_at, $forgotten_at)
       ON CONFLICT DO UPDATE SET forgotten_at = excluded.forgotten_at`,
    );
    for (const row of forgottenIds) tombstone.run({ ...row });
    const owed = db.prepare(
      `INSERT INTO episode_outbox (${OUTBOX_COLUMNS}, kind) VALUES ($episode_id, $provider, $attempts, $next_at, $deadline_at, $state, 'forget')
       ON CONFLICT DO NOTHING`,
    );
    for (const row of pendingForgets) owed.run({ ...row });
  });
};

/** A tombstone also where there is no episode yet: its run may be recorded again. */
const forgetAgain = (db: Database, row: ForgottenRow): void => {
  const { found, ids } = forgetEpisode(db, { episode_id: row.episode_id, at: row.forgotten_at, deadline_at: row.forgotten_at });
  for (const { provider, provider_id } of ids) if (provider === BUILTIN) builtinForget(db, provider_id);
  // What providers still have to be told is carried over by itself.
  if (found) db.prepare("DELETE FROM episode_outbox WHERE episode_id = ? AND kind = 'forget'").run(row.episode_id);
  else
    db.prepare(
      `INSERT INTO episodes (${EPISODE_COLUMNS})
       VALUES ($episode_id, $harness, $run_id, $repo, $scope, $trust_class, $recorded_at, $at, $forgotten_at) ON CONFLICT DO NOTHING`,
    ).run({ ...row });
};

/** The name that the built-in provider has in the index. */
const BUILTIN = 'builtin';

const readCursors = (db: Database): readonly StoredCursor[] =>
  hasTable(db, 'schedule_cursor') ? db.prepare<[], StoredCursor>('SELECT harness, schedule, at FROM schedule_cursor').all() : [];

/** An older store lacks what came later. */
const hasTable = (db: Database, name: string): boolean => db.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(name) !== undefined;
