// `harness store backup [file] [--force]`: a consistent copy of the store, by the daemon while it runs, else by this process.
import { resolve } from 'node:path';
import { formatSize } from '../../core/kernel/size.js';
import { UNBOUNDED } from '../../shell/rpc/client.js';
import { backUpOffline } from '../../shell/store/offline.js';
import { callDaemon, isNoDaemon } from '../daemon-call.js';
import { requireStore, withStateLock } from '../own-store.js';
import type { Session } from '../session.js';

interface Copy {
  readonly file: string;
  readonly bytes: number;
}

export const runStoreBackup = async (session: Session, file: string | undefined, force: boolean): Promise<void> => {
  const target = file === undefined ? undefined : resolve(file);
  const copy = await online(session, target, force).catch((error: unknown) => {
    if (!isNoDaemon(error)) throw error;
    return offline(session, target, force);
  });
  session.print(session.json ? JSON.stringify(copy) : `wrote ${copy.file} (${formatSize(copy.bytes)})`);
};

const online = async (session: Session, target: string | undefined, force: boolean): Promise<Copy> => {
  const { file, bytes } = await callDaemon(session, ({ operate }) => operate.backupStore({ file: target ?? '', force }, UNBOUNDED));
  return { file, bytes: Number(bytes) };
};

const offline = async (session: Session, target: string | undefined, force: boolean): Promise<Copy> => {
  requireStore(session);
  const copy = await withStateLock(session, () =>
    backUpOffline(session.paths.store, { ...(target === undefined ? {} : { target }), force }),
  );
  session.notice('the daemon is down: the copy is made by this command');
  return copy;
};
