// The log of a resident: one file for all its processes, moved aside when it has grown, and the oldest of those removed.
import { renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RESIDENT_LOG } from '../files/run-files.js';
import { openRunFile, type RunFile } from './run-log.js';

export const DURABLE_LOG_BYTES = 10 * 1_024 * 1_024;
/** How many older files are kept beside the one that is written. */
export const DURABLE_LOGS_KEPT = 3;

/** What is written after a move goes to the new file; nothing is lost between. */
export const openDurableLog = (directory: string, onFault: (code: string) => void, limit: number = DURABLE_LOG_BYTES): RunFile => {
  const path = join(directory, RESIDENT_LOG);
  const open = (): RunFile => openRunFile(directory, RESIDENT_LOG, onFault);
  let file = open();
  let bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return {
    path,
    write: (text) => {
      if (bytes > limit) {
        void file.close();
        moveAside(path);
        file = open();
        bytes = 0;
      }
      bytes += Buffer.byteLength(text);
      return file.write(text);
    },
    close: () => file.close(),
  };
};

/** A file that cannot be moved is written on: a log that is too long is better than none. */
const moveAside = (path: string): void => {
  try {
    rmSync(`${path}.${DURABLE_LOGS_KEPT}`, { force: true });
    for (let number = DURABLE_LOGS_KEPT - 1; number >= 1; number -= 1)
      if (exists(`${path}.${number}`)) renameSync(`${path}.${number}`, `${path}.${number + 1}`);
    if (exists(path)) renameSync(path, `${path}.1`);
  } catch {
    // Told by doctor, which sees the size.
  }
};

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;
