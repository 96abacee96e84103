// What outlives the daemon of its fleet beside the ledger: operators' intents, schedules' cursors, the projects that are up.
import type { Spent } from '../../core/run/spend.js';
import { type Database, inTransaction } from './database.js';

export interface StoredCursor {
  readonly harness: string;
  readonly schedule: string;
  readonly at: string;
}

export interface StoredIntent {
  readonly harness: string;
  /** What an operator said over the configuration, beside what the configuration said then. */
  readonly enabled?: { readonly wanted: boolean; readonly declared: boolean };
  readonly stopped: boolean;
}

export interface StoredProject {
  readonly name: string;
  readonly root: string;
  /** Definitions as they came, as JSON. */
  readonly definitions: string;
  readonly at: string;
}

export interface FleetRows {
  readonly cursors: readonly StoredCursor[];
  readonly intents: readonly StoredIntent[];
  readonly projects: readonly StoredProject[];
  /** Of the runs that started since the instant asked for. */
  readonly spent: Readonly<Record<string, Spent>>;
}

export const writeScheduleCursor = (db: Database, { harness, schedule, at }: StoredCursor): void => {
  db.prepare(
    `INSERT INTO schedule_cursor (harness, schedule, at) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET schedule = excluded.schedule, at = excluded.at`,
  ).run(harness, schedule, at);
};

export const writeIntent = (db: Database, { harness, enabled, stopped }: StoredIntent): void => {
  const said = enabled === undefined ? [null, null] : [enabled.wanted ? 1 : 0, enabled.declared ? 1 : 0];
  db.prepare('INSERT OR REPLACE INTO intent (harness, enabled, declared, stopped) VALUES (?, ?, ?, ?)').run(
    harness,
    ...said,
    stopped ? 1 : 0,
  );
};

export const saveProject = (db: Database, { name, root, definitions, at }: StoredProject): void => {
  db.prepare('INSERT OR REPLACE INTO project (name, root, definitions, at) VALUES (?, ?, ?, ?)').run(name, root, definitions, at);
};

export const removeProject = (db: Database, name: string): void => {
  db.prepare('DELETE FROM project WHERE name = ?').run(name);
};

/** All of it as of one moment. A window that a run already honours moves its harness's cursor, whatever a crash left of it. */
export const readFleet = (db: Database, { since }: { readonly since: string }): FleetRows =>
  inTransaction(db, () => ({
    cursors: db
      .prepare<[], StoredCursor>(
        `SELECT c.harness, c.schedule, max(c.at, coalesce((SELECT max(json_extract(r.record, '$.window'))
           FROM (SELECT record FROM run WHERE harness = c.harness ORDER BY run_id DESC LIMIT 20) r), '')) AS at
         FROM schedule_cursor c ORDER BY c.harness`,
      )
      .all(),
    intents: db
      .prepare<[], { harness: string; enabled: number | null; declared: number | null; stopped: number }>(
        'SELECT harness, enabled, declared, stopped FROM intent ORDER BY harness',
      )
      .all()
      .map(({ harness, enabled, declared, stopped }) => ({
        harness,
        ...(enabled === null ? {} : { enabled: { wanted: enabled === 1, declared: declared === 1 } }),
        stopped: stopped === 1,
      })),
    projects: db.prepare<[], StoredProject>('SELECT name, root, definitions, at FROM project ORDER BY name').all(),
    spent: readSpent(db, since),
  }));

/** Runs that were admitted, whether or not they had a process; what was skipped or missed was not. */
const readSpent = (db: Database, since: string): Readonly<Record<string, Spent>> =>
  Object.fromEntries(
    db
      .prepare<[string], { harness: string; runs: number; cost: number | null }>(
        `SELECT harness, count(*) AS runs, sum(json_extract(record, '$.cost_usd')) AS cost FROM run
         WHERE at >= ? AND json_extract(record, '$.log') IS NOT NULL GROUP BY harness`,
      )
      .all(since)
      .map(({ harness, runs, cost }) => [harness, { runs, cost_usd: cost ?? 0 }]),
  );
