// Reads the end of a log that is set aside when it is full, and what is added to it, without losing a line between two files.
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { ROTATED_KEPT, rotatedName } from './rotating-file.js';

const CHUNK_BYTES = 65_536;
const POLL_MS = 250;
const LINE_BREAK = 0x0a;

export interface LogEnd {
  /** Whole lines, oldest first. */
  readonly lines: readonly string[];
  /** Where the next line of the newest file begins, in bytes. */
  readonly end: number;
}

/** The last lines, from as many files as it takes; undefined when there is no file. */
export const lastLines = (path: string, count: number): LogEnd | undefined => {
  const newest = readEnd(path, count);
  const lines = [...(newest?.lines ?? [])];
  let known = newest !== undefined;
  for (let n = 1; n <= ROTATED_KEPT && lines.length < count; n += 1) {
    const older = readEnd(rotatedName(path, n), count - lines.length);
    known ||= older !== undefined;
    lines.unshift(...(older?.lines ?? []));
  }
  return known ? { lines, end: newest?.end ?? 0 } : undefined;
};

/** The last whole lines of one file, read from its end. */
const readEnd = (path: string, count: number): LogEnd | undefined => {
  const fd = opened(path);
  if (fd === undefined) return undefined;
  try {
    const { size } = fstatSync(fd);
    let start = size;
    let bytes = Buffer.alloc(0);
    let breaks = 0;
    while (start > 0 && breaks <= count) {
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, start));
      start -= chunk.length;
      readSync(fd, chunk, 0, chunk.length, start);
      breaks += chunk.reduce((sum, byte) => sum + (byte === LINE_BREAK ? 1 : 0), 0);
      bytes = Buffer.concat([chunk, bytes]);
    }
    const whole = bytes.subarray(0, bytes.lastIndexOf(LINE_BREAK) + 1);
    const lines = whole
      .toString('utf8')
      .split('\n')
      .slice(start > 0 ? 1 : 0, -1);
    return { lines: count === 0 ? [] : lines.slice(-count), end: size - bytes.length + whole.length };
  } finally {
    closeSync(fd);
  }
};

/** Lines from a place on, as they are added, until the signal; goes over to the next file when this one was set aside. */
export async function* newLines(path: string, from: number, signal: AbortSignal): AsyncGenerator<readonly string[]> {
  let fd = opened(path);
  let position = from;
  let rest = Buffer.alloc(0);
  while (!signal.aborted) {
    const moved = fd === undefined || !isSame(fd, path);
    if (fd !== undefined) {
      // What was written before it was moved is read first.
      const read = readFrom(fd, position);
      position = read.position;
      const bytes = Buffer.concat([rest, read.bytes]);
      const whole = bytes.lastIndexOf(LINE_BREAK) + 1;
      rest = bytes.subarray(whole);
      if (whole > 0) yield linesOf(bytes.subarray(0, whole));
    }
    const next = moved ? opened(path) : undefined;
    if (next !== undefined) {
      if (fd !== undefined) closeSync(fd);
      [fd, position, rest] = [next, 0, Buffer.alloc(0)];
      continue;
    }
    await wait(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
  if (fd !== undefined) closeSync(fd);
}

const readFrom = (fd: number, from: number): { readonly bytes: Buffer; readonly position: number } => {
  // A file that became shorter was emptied: it begins anew.
  let position = fstatSync(fd).size < from ? 0 : from;
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    const size = readSync(fd, chunk, 0, CHUNK_BYTES, position);
    if (size === 0) break;
    chunks.push(chunk.subarray(0, size));
    position += size;
  }
  return { bytes: Buffer.concat(chunks), position };
};

/** Of bytes that end with a line break. */
const linesOf = (bytes: Buffer): readonly string[] => bytes.toString('utf8').split('\n').slice(0, -1);

const isSame = (fd: number, path: string): boolean => {
  const there = statSync(path, { throwIfNoEntry: false });
  const own = fstatSync(fd);
  return there?.ino === own.ino && there.dev === own.dev;
};

const opened = (path: string): number | undefined => {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};
