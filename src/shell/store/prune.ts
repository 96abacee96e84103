// Removes what is past its retention, in small batches so that no fact waits behind the pruning; open runs are kept whole.
import { type Database, inTransaction } from './database.js';

export const PRUNE_BATCH = 1_000;

export interface PruneRequest {
  /** Rows older than these instants go. */
  readonly ledger_before: string;
  readonly trace_before: string;
  readonly ledger_max_bytes: number;
  readonly trace_max_bytes: number;
}

export interface Pruned {
  readonly lines: number;
  readonly sessions: number;
  /** Something is left for the next batch. */
  readonly more: boolean;
}

/** One batch. The caller asks again while `more` holds. */
export const pruneBatch = (db: Database, request: PruneRequest): Pruned =>
  inTransaction(db, () => {
    const lines = pruneLedger(db, request);
    const sessions = pruneTraces(db, request);
    db.prepare('DELETE FROM memory_degraded WHERE at < ?').run(request.trace_before);
    return { lines, sessions, more: lines + sessions > 0 };
  });

/** Moves what it can of the write-ahead log into the file, waiting for nobody. */
export const checkpoint = (db: Database): void => {
  db.pragma('wal_checkpoint(PASSIVE)');
};

/** Gives freed pages back to the file system. */
export const reclaimSpace = (db: Database): void => {
  db.pragma('incremental_vacuum');
  db.pragma('optimize');
};

const pruneLedger = (db: Database, { ledger_before, ledger_max_bytes }: PruneRequest): number => {
  const bytes = db.prepare<[], number>('SELECT coalesce(sum(octet_length(line)), 0) FROM ledger_line').pluck().get() ?? 0;
  const seqs = db
    .prepare<[number, string, number], number>(
      `SELECT l.seq FROM ledger_line l JOIN run r ON r.harness = l.harness AND r.run_id = l.run_id
       WHERE r.open = 0 AND (? = 1 OR r.at < ?) ORDER BY l.seq LIMIT ?`,
    )
    .pluck()
    .all(bytes > ledger_max_bytes ? 1 : 0, ledger_before, PRUNE_BATCH);
  if (seqs.length === 0) return 0;
  const top = seqs.at(-1) ?? 0;
  db.prepare("INSERT INTO counter (name, value) VALUES ('pruned_seq', ?) ON CONFLICT DO UPDATE SET value = max(value, excluded.value)").run(
    top,
  );
  const remove = db.prepare('DELETE FROM ledger_line WHERE seq = ?');
  for (const seq of seqs) remove.run(seq);
  db.exec(
    'DELETE FROM run WHERE open = 0 AND NOT EXISTS (SELECT 1 FROM ledger_line l WHERE l.harness = run.harness AND l.run_id = run.run_id)',
  );
  db.exec(
    'DELETE FROM run_context WHERE NOT EXISTS (SELECT 1 FROM run r WHERE r.harness = run_context.harness AND r.run_id = run_context.run_id)',
  );
  return seqs.length;
};

interface SessionKey {
  readonly harness: string;
  readonly run_id: number;
  readonly session_id: string;
}

/** Over its size the table gives up its oldest sessions, a few at a time so that no more go than must. */
const SESSIONS_OVER_SIZE = 20;

const pruneTraces = (db: Database, { trace_before, trace_max_bytes }: PruneRequest): number => {
  const over = traceBytes(db) > trace_max_bytes;
  const oldest = db.prepare<[number, string, number], SessionKey>(
    `SELECT s.harness, s.run_id, s.session_id FROM trace_session s
     WHERE (? = 1 OR s.started_at < ?)
       AND NOT EXISTS (SELECT 1 FROM run r WHERE r.harness = s.harness AND r.run_id = s.run_id AND r.open = 1)
     ORDER BY s.started_at LIMIT ?`,
  );
  const aged = oldest.all(0, trace_before, PRUNE_BATCH);
  const gone = aged.length === 0 && over ? oldest.all(1, trace_before, SESSIONS_OVER_SIZE) : aged;
  for (const table of ['trace_event', 'trace_result', 'session_sample', 'trace_session']) {
    const remove = db.prepare(`DELETE FROM ${table} WHERE harness = ? AND run_id = ? AND session_id = ?`);
    for (const { harness, run_id, session_id } of gone) remove.run(harness, run_id, session_id);
  }
  return gone.length;
};

/** In bytes, everything that a trace holds. */
const traceBytes = (db: Database): number =>
  db
    .prepare<[], number>(
      `SELECT (SELECT coalesce(sum(octet_length(body)), 0) FROM trace_event) + (SELECT coalesce(sum(octet_length(body)), 0) FROM trace_session)
            + (SELECT coalesce(sum(octet_length(body)), 0) FROM trace_result) + (SELECT coalesce(sum(octet_length(body)), 0) FROM session_sample)`,
    )
    .pluck()
    .get() ?? 0;
