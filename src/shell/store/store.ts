// The daemon's store: two worker threads, one that writes and one that reads, so that the main thread never waits on SQLite.
import { Worker } from 'node:worker_threads';
import type { Backup, BackupRequest } from './backup.js';
import type { Store } from './operations.js';
import { StoreError } from './store-error.js';
import type { WorkerReply, WorkerRole } from './worker-protocol.js';

/** Opens the store at `file`, migrating it first. `onLost` is told when a thread ends that should not. Rejects with StoreError when it is newer, damaged or unopenable. */
export const openStore = async (file: string, workerScript: URL, onLost: (why: string) => void = () => undefined): Promise<Store> => {
  const writer = startWorker(file, 'writer', workerScript, onLost);
  try {
    await writer.call('open', undefined);
  } catch (error) {
    await writer.end();
    throw error;
  }
  const reader = startWorker(file, 'reader', workerScript, onLost);
  await reader.call('open', undefined);
  return {
    file,
    write: (name, args) => writer.call(name, args) as never,
    read: (name, args) => reader.call(name, args) as never,
    close: async () => {
      await reader.end();
      await writer.end();
    },
  };
};

/** Checks a large file in a thread of its own, so that no search waits for it. Rejects with `store_damaged`. */
export const checkInBackground = (file: string, workerScript: URL): Promise<void> => inBackground(file, workerScript, 'checkPages', file);

/** Copies the store in a thread of its own, so that neither a fact nor a search waits for it. Rejects with StoreError. */
export const backUpInBackground = (file: string, workerScript: URL, request: BackupRequest): Promise<Backup> =>
  inBackground(file, workerScript, 'backUpStore', request);

const inBackground = async <A>(file: string, workerScript: URL, operation: string, args: unknown): Promise<A> => {
  const worker = startWorker(file, 'reader', workerScript);
  try {
    await worker.call('open', undefined);
    return (await worker.call(operation, args)) as A;
  } finally {
    await worker.end();
  }
};

interface WorkerHandle {
  readonly call: (name: string, args: unknown) => Promise<unknown>;
  readonly end: () => Promise<void>;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: StoreError) => void;
}

const startWorker = (file: string, role: WorkerRole, script: URL, onLost: (why: string) => void = () => undefined): WorkerHandle => {
  const worker = new Worker(script, { workerData: { file, role } });
  const waiting = new Map<number, Waiting>();
  let nextId = 1;
  let ended = false;
  let ending = false;
  const failAll = (why: string): void => {
    if (!ended && !ending) onLost(why);
    ended = true;
    for (const { reject } of waiting.values()) reject(new StoreError('store_failed', why));
    waiting.clear();
  };
  worker.on('message', (reply: WorkerReply) => {
    const entry = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (reply.error === undefined) entry?.resolve(reply.value);
    else entry?.reject(new StoreError(reply.error.code, reply.error.message));
  });
  worker.on('error', (error) => failAll(`the store's ${role} thread failed: ${error.message}`));
  worker.on('exit', () => failAll(`the store's ${role} thread is gone`));
  const call = (name: string, args: unknown): Promise<unknown> => {
    if (ended) return Promise.reject(new StoreError('store_closed', `${file} is closed`));
    const id = nextId;
    nextId += 1;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      worker.postMessage({ id, name, args });
    });
  };
  const end = async (): Promise<void> => {
    ending = true;
    if (!ended) await call('close', undefined).catch(() => undefined);
    await worker.terminate();
  };
  return { call, end };
};
