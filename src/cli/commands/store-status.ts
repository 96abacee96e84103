// `harness store status [--check]`: what the store holds and how large it is; with --check every page is looked at first.
import { statfsSync } from 'node:fs';
import { formatSize } from '../../core/kernel/size.js';
import { UNBOUNDED } from '../../shell/rpc/client.js';
import { readStatusOffline } from '../../shell/store/read-only.js';
import { callDaemon, isNoDaemon } from '../daemon-call.js';
import { requireStore } from '../own-store.js';
import { renderMoment } from '../render/moment.js';
import { CliFailure, type Session } from '../session.js';

type Status = ReturnType<typeof readStatusOffline> & { readonly checked_at?: string };

export const runStoreStatus = async (session: Session, check: boolean): Promise<void> => {
  const status = await online(session, check).catch((error: unknown) => {
    if (!isNoDaemon(error)) throw error;
    return offline(session, check);
  });
  const disk = statfsSync(session.paths.state);
  const shown = { ...status, free_bytes: disk.bavail * disk.bsize };
  session.print(session.json ? JSON.stringify(shown) : summary(shown));
};

const online = async (session: Session, check: boolean): Promise<Status> => {
  const reply = await callDaemon(session, ({ operate }) => operate.storeStatus({ check }, UNBOUNDED));
  return {
    file: reply.file,
    version: reply.version,
    newest_version: reply.newestVersion,
    bytes: Number(reply.bytes),
    wal_bytes: Number(reply.walBytes),
    ledger_lines: Number(reply.ledgerLines),
    runs: Number(reply.runs),
    open_runs: Number(reply.openRuns),
    ...(reply.oldestLine === '' ? {} : { oldest_line: reply.oldestLine }),
    sessions: Number(reply.sessions),
    episodes: Number(reply.episodes),
    backups: reply.backups.map(({ file, bytes }) => ({ file, bytes: Number(bytes) })),
    ...(reply.checkedAt === '' ? {} : { checked_at: reply.checkedAt }),
  };
};

const offline = (session: Session, check: boolean): Status => {
  requireStore(session);
  try {
    const status = readStatusOffline(session.paths.store, check);
    session.notice('the daemon is down: reading the store');
    return check ? { ...status, checked_at: new Date().toISOString() } : status;
  } catch (error) {
    throw new CliFailure((error as { code?: string }).code ?? 'store_failed', (error as Error).message);
  }
};

const summary = (status: Status & { readonly free_bytes: number }): string => {
  const last = status.backups.at(-1);
  return [
    `store: ${status.file}, version ${status.version}`,
    `size: ${formatSize(status.bytes)}, log ${formatSize(status.wal_bytes)}, free on its disk ${formatSize(status.free_bytes)}`,
    `ledger: ${status.ledger_lines} lines of ${status.runs} runs, ${status.open_runs} open, since ${renderMoment(status.oldest_line)}`,
    `memory: ${status.sessions} sessions, ${status.episodes} episodes`,
    `checked: ${status.checked_at === undefined ? 'not yet' : `${renderMoment(status.checked_at)}, sound`}`,
    `backups: ${last === undefined ? 'none' : `${status.backups.length}, the newest ${last.file} (${formatSize(last.bytes)})`}`,
  ].join('\n');
};
