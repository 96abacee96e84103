// The handlers of OperateService: the store's copies, figures and lines, and the facts for the doctor.
import { isAbsolute } from 'node:path';
import type { ConnectRouter } from '@connectrpc/connect';
import { formatInstant } from '../../core/kernel/time.js';
import type { Backup, BackupRequest } from '../store/backup.js';
import type { ExportPage } from '../store/ledger-export.js';
import { StoreError } from '../store/store-error.js';
import { type DoctorDeps, gatherDaemonFacts } from './doctor-facts.js';
import { callError } from './errors.js';
import { type BackupStoreRequest, OperateService } from './gen/harness/v1/operate_pb.js';

export interface OperateDeps extends DoctorDeps {
  readonly backUp: (request: BackupRequest) => Promise<Backup>;
}

export const operateRoutes = (router: ConnectRouter, deps: OperateDeps): ConnectRouter =>
  router.service(OperateService, {
    backupStore: (request) => backUp(request, deps),
    storeStatus: ({ check }) => storeStatus(check, deps),
    exportLedger: ({ since }) => exportLedger(since, deps),
    doctorFacts: async () => ({ factsJson: JSON.stringify(await gatherDaemonFacts(deps)) }),
  });

const backUp = async ({ file, force }: BackupStoreRequest, deps: OperateDeps) => {
  if (file !== '' && !isAbsolute(file)) throw callError('invalid_argument', `the copy's path must be absolute, and ${file} is not`);
  const copy = await named(deps.backUp({ ...(file === '' ? {} : { target: file }), force }));
  return { file: copy.file, bytes: BigInt(copy.bytes) };
};

const storeStatus = async (check: boolean, { store, health }: Pick<OperateDeps, 'store' | 'health'>) => {
  if (check) await named(health.check());
  const status = await store.read('readStoreStatus', store.file);
  const checkedAt = health.checkedAt();
  return {
    file: status.file,
    version: status.version,
    newestVersion: status.newest_version,
    bytes: BigInt(status.bytes),
    walBytes: BigInt(status.wal_bytes),
    ledgerLines: BigInt(status.ledger_lines),
    runs: BigInt(status.runs),
    openRuns: BigInt(status.open_runs),
    oldestLine: status.oldest_line ?? '',
    sessions: BigInt(status.sessions),
    episodes: BigInt(status.episodes),
    backups: status.backups.map(({ file, bytes }) => ({ file, bytes: BigInt(bytes) })),
    checkedAt: checkedAt === undefined ? '' : formatInstant(checkedAt),
  };
};

/** A page is read when the one before it was taken: nobody holds the ledger whole. */
async function* exportLedger(since: string, { store }: Pick<OperateDeps, 'store'>) {
  let page: ExportPage = { lines: [], next: 0 };
  while (page.next !== undefined) {
    page = await store.read('readExportPage', { after: page.next, ...(since === '' ? {} : { since }) });
    if (page.lines.length > 0) yield { lines: [...page.lines] };
  }
}

/** What went wrong with the store, by its own code. */
const named = async <A>(work: Promise<A>): Promise<A> => {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    switch (error.code) {
      case 'backup_exists':
        throw callError('backup_exists', error.message, 'harness store backup --force FILE');
      case 'backup_failed':
      case 'store_damaged':
        throw callError(error.code, error.message);
      default:
        throw callError('internal', error.message);
    }
  }
};
