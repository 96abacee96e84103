// `harness store export --ledger [--since D]`: the ledger's lines as they are stored, one a line, never held whole.
import { once } from 'node:events';
import { UNBOUNDED } from '../../shell/rpc/client.js';
import { exportLedgerOffline } from '../../shell/store/read-only.js';
import { callDaemon, isNoDaemon } from '../daemon-call.js';
import { requireStore } from '../own-store.js';
import { CliFailure, type Session } from '../session.js';
import { readSince } from '../since.js';

export const runStoreExport = async (session: Session, ledger: boolean, sinceText: string | undefined): Promise<void> => {
  if (!ledger) throw new CliFailure('usage', 'say what to export: --ledger', 'harness store export --ledger');
  const since = readSince(sinceText, Date.now());
  const lines = await online(session, since).catch((error: unknown) => {
    if (!isNoDaemon(error)) throw error;
    return offline(session, since);
  });
  session.notice(`${lines} ledger lines`);
};

const online = (session: Session, since: string): Promise<number> =>
  callDaemon(session, async ({ operate }) => {
    let count = 0;
    for await (const { lines } of operate.exportLedger({ since }, UNBOUNDED)) {
      if (count === 0) session.notice('read from the daemon');
      await write(lines);
      count += lines.length;
    }
    return count;
  });

const offline = async (session: Session, since: string): Promise<number> => {
  requireStore(session);
  session.notice('the daemon is down: read from the store');
  let count = 0;
  try {
    for (const lines of exportLedgerOffline(session.paths.store, since === '' ? undefined : since)) {
      await write(lines);
      count += lines.length;
    }
  } catch (error) {
    throw new CliFailure((error as { code?: string }).code ?? 'store_failed', (error as Error).message);
  }
  return count;
};

/** Waits for a slow reader, so that what is not read is not held. */
const write = async (lines: readonly string[]): Promise<void> => {
  if (lines.length === 0) return;
  if (!process.stdout.write(`${lines.join('\n')}\n`)) await once(process.stdout, 'drain');
};
