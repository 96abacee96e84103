// Trace rows of a run: sessions, events, results. A sealed run takes no more, so that a second assembly reads the same rows.
import type { RunKey } from '../../core/run/record.js';
import type { EventRow, GitSample, ResultRow, SessionRow, StoredRun } from '../../core/run/session.js';
import { type Database, inTransaction } from './database.js';
import { readContext, readRun } from './ledger-table.js';

export interface TraceBatch {
  readonly sessions: readonly SessionRow[];
  readonly events: readonly EventRow[];
  readonly results: readonly ResultRow[];
  readonly samples: readonly (RunKey & { readonly session_id: string; readonly sample: GitSample })[];
}

/** Stores a batch; rows of a sealed run are refused and their number returned. */
export const writeTrace = (db: Database, batch: TraceBatch): { readonly refused: number } =>
  inTransaction(db, () => {
    let refused = 0;
    const ifUnsealed = (key: RunKey, write: () => void): void => {
      if (isSealed(db, key)) refused += 1;
      else write();
    };
    for (const row of batch.sessions) ifUnsealed(row, () => writeSession(db, row));
    for (const row of batch.events) ifUnsealed(row, () => writeEvent(db, row));
    for (const row of batch.results) ifUnsealed(row, () => writeResult(db, row));
    for (const row of batch.samples) ifUnsealed(row, () => writeSample(db, row));
    return { refused };
  });

export const sealTrace = (db: Database, { harness, run_id, at }: RunKey & { readonly at: string }): void => {
  db.prepare('INSERT INTO trace_sealed (harness, run_id, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING').run(harness, run_id, at);
};

export const isSealed = (db: Database, { harness, run_id }: RunKey): boolean =>
  db.prepare('SELECT 1 FROM trace_sealed WHERE harness = ? AND run_id = ?').get(harness, run_id) !== undefined;

/** Everything an episode of the run is assembled from; undefined when the run or its context is unknown. */
export const readStoredRun = (db: Database, key: RunKey): StoredRun | undefined => {
  const run = readRun(db, key);
  const context = readContext(db, key);
  if (run === undefined || context === undefined) return undefined;
  return {
    record: run.record,
    context,
    sessions: bodies<SessionRow>(db, 'trace_session', 'started_at, session_id', key),
    events: bodies<EventRow>(db, 'trace_event', 'session_id, seq', key),
    results: bodies<ResultRow>(db, 'trace_result', 'session_id', key),
  };
};

export interface FinalRequest extends RunKey {
  /** Seals the trace first, if it is not sealed yet. */
  readonly seal_at?: string;
}

/** The rows of a run whose trace takes no more. */
export const readFinalRun = (
  db: Database,
  { harness, run_id, seal_at }: FinalRequest,
): { readonly sealed: boolean; readonly run?: StoredRun } => {
  const key = { harness, run_id };
  if (!isSealed(db, key)) {
    if (seal_at === undefined) return { sealed: false };
    sealTrace(db, { ...key, at: seal_at });
  }
  const run = readStoredRun(db, key);
  return run === undefined ? { sealed: true } : { sealed: true, run };
};

/** The sessions of a run so far, in the order of their start. */
export const readSessions = (db: Database, key: RunKey): readonly SessionRow[] =>
  bodies<SessionRow>(db, 'trace_session', 'started_at, session_id', { harness: key.harness, run_id: key.run_id });

/** Whether a run of the harness had the session. */
export const hasSession = (db: Database, { harness, session_id }: { readonly harness: string; readonly session_id: string }): boolean =>
  db.prepare('SELECT 1 FROM trace_session WHERE harness = ? AND session_id = ? LIMIT 1').get(harness, session_id) !== undefined;

/** Removes what an agent wrote as its result, when its episode is forgotten. */
export const clearResults = (db: Database, { harness, run_id }: RunKey): void => {
  db.prepare("UPDATE trace_result SET body = json_remove(body, '$.text') WHERE harness = ? AND run_id = ?").run(harness, run_id);
};

const bodies = <Row>(db: Database, table: string, order: string, { harness, run_id }: RunKey): readonly Row[] =>
  db
    .prepare<[string, number], string>(`SELECT body FROM ${table} WHERE harness = ? AND run_id = ? ORDER BY ${order}`)
    .pluck()
    .all(harness, run_id)
    .map((text) => JSON.parse(text) as Row);

const writeSession = (db: Database, row: SessionRow): void => {
  const body = JSON.stringify(row);
  db.prepare(
    `INSERT INTO trace_session (harness, run_id, session_id, started_at, bytes, body) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET bytes = excluded.bytes, body = excluded.body`,
  ).run(row.harness, row.run_id, row.session_id, row.started_at, body.length, body);
};

const writeEvent = (db: Database, row: EventRow): void => {
  db.prepare('INSERT OR REPLACE INTO trace_event (harness, run_id, session_id, seq, body) VALUES (?, ?, ?, ?, ?)').run(
    row.harness,
    row.run_id,
    row.session_id,
    row.seq,
    JSON.stringify(row),
  );
};

const writeResult = (db: Database, row: ResultRow): void => {
  db.prepare('INSERT OR REPLACE INTO trace_result (harness, run_id, session_id, body) VALUES (?, ?, ?, ?)').run(
    row.harness,
    row.run_id,
    row.session_id,
    JSON.stringify(row),
  );
};

const writeSample = (db: Database, row: TraceBatch['samples'][number]): void => {
  const { sample } = row;
  db.prepare(
    'INSERT OR REPLACE INTO session_sample (harness, run_id, session_id, at, repo, branch, head, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  ).run(
    row.harness,
    row.run_id,
    row.session_id,
    sample.at,
    sample.repo,
    sample.branch ?? null,
    sample.head ?? null,
    JSON.stringify(sample),
  );
};
