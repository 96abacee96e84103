// What is left in the store after a kill, and after everything was repaired: where the kill landed, and what was lost.
import { readdirSync, readFileSync } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import { eligibleSession } from '../../src/core/episode/eligible.js';
import { canonicalJson } from '../../src/core/kernel/canonical-json.js';
import { connect, type Database } from '../../src/shell/store/database.js';
import { readRun, refoldRun } from '../../src/shell/store/ledger-table.js';
import { readStoredRun } from '../../src/shell/store/trace-table.js';

/** Where a kill found the fleet. */
export const POINTS = ['opened', 'running', 'closed', 'recorded'] as const;
export type Point = (typeof POINTS)[number];

export const pointsOf = (file: string): readonly Point[] => {
  const db = connect(file, { readonly: true });
  try {
    const some = (sql: string): boolean => (db.prepare<[], number>(sql).pluck().get() ?? 0) > 0;
    const found: Point[] = [];
    const agents = "r.open = 1 AND r.harness IN ('a', 'b', 'c')";
    const seen = 'SELECT 1 FROM trace_session s WHERE s.harness = r.harness AND s.run_id = r.run_id';
    if (some(`SELECT count(*) FROM run r WHERE ${agents} AND NOT EXISTS (${seen})`)) found.push('opened');
    if (some(`SELECT count(*) FROM run r WHERE ${agents} AND EXISTS (${seen})`)) found.push('running');
    if (some(`SELECT count(*) FROM run r WHERE r.open = 0 AND r.harness IN ('a', 'b', 'c') AND NOT ${DECIDED}`)) found.push('closed');
    if (some("SELECT count(*) FROM episode_outbox WHERE kind = 'record' AND state = 'pending'")) found.push('recorded');
    return found;
  } finally {
    db.close();
  }
};

const DECIDED = `(EXISTS (SELECT 1 FROM episodes e WHERE e.harness = r.harness AND e.run_id = r.run_id)
  OR EXISTS (SELECT 1 FROM episode_skip k WHERE k.harness = r.harness AND k.run_id = r.run_id))`;

/** What was not decided although there was time enough. */
export const waitingIn = (file: string): readonly string[] => {
  const db = connect(file, { readonly: true });
  try {
    return db
      .prepare<[], { record: string }>(`SELECT record FROM run r WHERE r.harness IN ('a', 'b', 'c') AND NOT ${DECIDED}`)
      .all()
      .map(({ record }) => `never decided: ${record}`)
      .concat(
        db
          .prepare<[], string>("SELECT json_object('episode', episode_id, 'state', state, 'next', next_at) FROM episode_outbox")
          .pluck()
          .all(),
      );
  } finally {
    db.close();
  }
};

/** Everything that must hold once a daemon has repaired what the kills left, as sentences about what does not. */
export const lossesIn = (file: string): readonly string[] => {
  const db = connect(file, { readonly: false });
  try {
    return [...ledgerLosses(db), ...runLosses(db), ...memoryLosses(db), ...fileLosses(db)];
  } finally {
    db.close();
  }
};

const ledgerLosses = (db: Database): readonly string[] => {
  const rows = db
    .prepare<[], { lines: number; first: number; last: number }>(
      'SELECT count(*) AS lines, min(seq) AS first, max(seq) AS last FROM ledger_line',
    )
    .get();
  if (rows === undefined || rows.lines === rows.last) return [];
  return [`the ledger has ${rows.lines} lines from ${rows.first} to ${rows.last}`];
};

const runLosses = (db: Database): readonly string[] =>
  db
    .prepare<[], { harness: string; run_id: number; open: number }>('SELECT harness, run_id, open FROM run ORDER BY harness, run_id')
    .all()
    .flatMap(({ harness, run_id, open }) => {
      const key = { harness, run_id };
      const name = `${harness}#${run_id}`;
      const record = readRun(db, key)?.record;
      const losses = open === 1 ? [`${name} is open`] : [];
      if (canonicalJson(record as never) !== canonicalJson(refoldRun(db, key) as never))
        losses.push(`${name} differs from the fold of its lines`);
      return [...losses, ...episodeLosses(db, key, name)];
    });

const episodeLosses = (db: Database, key: { readonly harness: string; readonly run_id: number }, name: string): readonly string[] => {
  const count = (table: string): number =>
    db
      .prepare<[string, number], number>(`SELECT count(*) FROM ${table} WHERE harness = ? AND run_id = ?`)
      .pluck()
      .get(key.harness, key.run_id) ?? 0;
  const [episodes, skips] = [count('episodes'), count('episode_skip')];
  const stored = readStoredRun(db, key);
  if (stored === undefined) return episodes === 0 ? [] : [`${name} has an episode and no run`];
  const eligible = E.isRight(eligibleSession(stored));
  if (eligible && episodes !== 1) return [`${name} is eligible and has ${episodes} episodes`];
  return !eligible && episodes > 0 ? [`${name} is not eligible and has ${episodes} episodes, ${skips} skips`] : [];
};

const memoryLosses = (db: Database): readonly string[] => {
  const count = (sql: string): number => db.prepare<[], number>(sql).pluck().get() ?? 0;
  const facts: readonly (readonly [string, string])[] = [
    [
      'SELECT count(*) FROM episodes e WHERE NOT EXISTS (SELECT 1 FROM builtin_memory m WHERE m.id = e.episode_id)',
      'episodes are not with the provider',
    ],
    [
      'SELECT count(*) FROM episodes e WHERE NOT EXISTS (SELECT 1 FROM episode_index i WHERE i.episode_id = e.episode_id)',
      'episodes are not in the index',
    ],
    ['SELECT count(*) FROM episode_outbox', 'calls wait in the outbox'],
    [
      "SELECT count(*) FROM (SELECT 1 FROM run WHERE json_extract(record, '$.window') IS NOT NULL GROUP BY harness, json_extract(record, '$.window') HAVING count(*) > 1)",
      'windows were honoured twice',
    ],
  ];
  return facts.flatMap(([sql, what]) => (count(sql) === 0 ? [] : [`${count(sql)} ${what}`]));
};

const fileLosses = (db: Database): readonly string[] => {
  const found = db
    .prepare<[], string>('PRAGMA integrity_check')
    .pluck()
    .all()
    .filter((line) => line !== 'ok');
  try {
    db.exec("INSERT INTO builtin_fts (builtin_fts) VALUES ('integrity-check')");
    return found;
  } catch (error) {
    return [...found, `the full-text index: ${String(error)}`];
  }
};

/** Processes that still carry this fleet's state directory in their environment. */
export const processesOf = (state: string): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && environmentOf(pid).includes(`XDG_STATE_HOME=${state}\0`));

const environmentOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
};
