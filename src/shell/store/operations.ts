// The operations of the store by name: what the two worker threads run, and what tests run in process.
import { backUpStore } from './backup.js';
import * as builtin from './builtin-table.js';
import { readCrush } from './crush-database.js';
import type { Database } from './database.js';
import { readDoctorCounts } from './doctor-table.js';
import * as episodes from './episode-table.js';
import * as fleet from './fleet-table.js';
import * as forgetting from './forget.js';
import { readExportPage } from './ledger-export.js';
import * as ledger from './ledger-table.js';
import { checkPages } from './open-database.js';
import * as outbox from './outbox-table.js';
import * as prune from './prune.js';
import * as recent from './recent-runs.js';
import { readStoreStatus } from './store-status.js';
import * as trace from './trace-table.js';
import * as vectors from './vector-table.js';

/** Run on the one write connection, in the order they were sent. */
export const WRITE_OPERATIONS = {
  appendLines: ledger.appendLines,
  writeCursor: ledger.writeCursor,
  writeTrace: trace.writeTrace,
  sealTrace: trace.sealTrace,
  recordEpisode: episodes.recordEpisode,
  skipEpisode: episodes.skipEpisode,
  bindProviderIds: episodes.bindProviderIds,
  postponeRecord: outbox.postponeRecord,
  noteDegraded: outbox.noteDegraded,
  forgetEpisode: forgetting.forgetEpisode,
  builtinRecord: builtin.builtinRecord,
  builtinForget: builtin.builtinForget,
  builtinEmbed: vectors.builtinEmbed,
  builtinDropVectors: vectors.builtinDropVectors,
  pruneBatch: prune.pruneBatch,
  reclaimSpace: prune.reclaimSpace,
  checkpoint: prune.checkpoint,
  writeScheduleCursor: fleet.writeScheduleCursor,
  writeIntent: fleet.writeIntent,
  saveProject: fleet.saveProject,
  removeProject: fleet.removeProject,
  readFleet: fleet.readFleet,
  // What a caller must see right after its own write is read on the same connection.
  readStoredRun: trace.readStoredRun,
  readFinalRun: trace.readFinalRun,
  readLedgerState: ledger.readLedgerState,
  dueRecords: outbox.dueRecords,
  readIndex: episodes.readIndex,
} as const;

/** Run on the read-only connection of the second worker; searches live here. */
export const READ_OPERATIONS = {
  readRun: ledger.readRun,
  readSessions: trace.readSessions,
  hasSession: trace.hasSession,
  readCrush,
  checkPages,
  backUpStore,
  readStoreStatus,
  readDoctorCounts,
  readExportPage,
  readRecentRuns: recent.readRecentRuns,
  readRuns: ledger.readRuns,
  readCursor: ledger.readCursor,
  readLinesAfter: ledger.readLinesAfter,
  refoldRun: ledger.refoldRun,
  listEpisodes: episodes.listEpisodes,
  getEpisode: episodes.getEpisode,
  readIndex: episodes.readIndex,
  memoryCounts: outbox.memoryCounts,
  builtinSearch: builtin.builtinSearch,
  builtinGaps: vectors.builtinGaps,
  builtinVector: vectors.builtinVector,
  builtinVectorCount: vectors.builtinVectorCount,
} as const;

type OperationTable = Readonly<Record<string, (db: Database, args: never) => unknown>>;

type WriteTable = typeof WRITE_OPERATIONS;
type ReadTable = typeof READ_OPERATIONS;

export type ArgsOf<T extends OperationTable, K extends keyof T> = Parameters<T[K]> extends [Database, infer A] ? A : undefined;

/** The store as its callers see it: named operations, answered in order, on connections they never hold. */
export interface Store {
  readonly file: string;
  readonly write: <K extends keyof WriteTable>(name: K, args: ArgsOf<WriteTable, K>) => Promise<ReturnType<WriteTable[K]>>;
  readonly read: <K extends keyof ReadTable>(name: K, args: ArgsOf<ReadTable, K>) => Promise<ReturnType<ReadTable[K]>>;
  readonly close: () => Promise<void>;
}

/** Looks an operation up by name and runs it; the callers' types keep name and arguments together. */
export const runOperation = (table: OperationTable, db: Database, name: string, args: unknown): unknown => {
  const operation = table[name];
  if (operation === undefined) return undefined;
  return operation(db, args as never);
};
