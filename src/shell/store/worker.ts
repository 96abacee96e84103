// The body of a store worker: it owns one connection and runs what it is sent, first come, first served.
import { parentPort, workerData } from 'node:worker_threads';
import type { Database } from './database.js';
import { openForReading, openForWriting } from './open-database.js';
import { READ_OPERATIONS, runOperation, WRITE_OPERATIONS } from './operations.js';
import { StoreError } from './store-error.js';
import type { WorkerReply, WorkerRequest, WorkerRole } from './worker-protocol.js';

const { file, role } = workerData as { file: string; role: WorkerRole };
const table = role === 'writer' ? WRITE_OPERATIONS : READ_OPERATIONS;
let db: Database | undefined;

const answer = (request: WorkerRequest): WorkerReply => {
  try {
    if (request.name === 'open') {
      db = role === 'writer' ? openForWriting(file) : openForReading(file);
      return { id: request.id, value: undefined };
    }
    if (request.name === 'close') {
      db?.close();
      db = undefined;
      return { id: request.id, value: undefined };
    }
    if (db === undefined) throw new StoreError('store_closed', `${file} is closed`);
    return { id: request.id, value: runOperation(table, db, request.name, request.args) };
  } catch (error) {
    const code = error instanceof StoreError ? error.code : 'store_failed';
    return { id: request.id, error: { code, message: error instanceof Error ? error.message : String(error) } };
  }
};

parentPort?.on('message', (request: WorkerRequest) => {
  parentPort?.postMessage(answer(request));
});
