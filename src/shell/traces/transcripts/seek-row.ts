// Finds the place in a long transcript from which on its rows are of the run, by halving: what came before is never read.
import type { FileHandle } from 'node:fs/promises';

/** When a row says it was written; undefined for one that does not say. */
export type RowAt = (line: string) => number | undefined;

/** Rows this close to the place are read and left out one by one. */
const GRAIN_BYTES = 256 * 1_024;
/** How far a row with a date is looked for, from any place. */
const PROBE_BYTES = 4 * 1_024 * 1_024;
const PIECE_BYTES = 64 * 1_024;
const LF = 0x0a;

/** The start of a row such that all rows before it are older than `since`; rows are taken to be in order. */
export const seekRow = async (
  handle: FileHandle,
  size: number,
  since: number,
  rowAt: RowAt,
  stopped: () => boolean = () => false,
): Promise<number> => {
  let from = 0;
  let to = size;
  while (to - from > GRAIN_BYTES && !stopped()) {
    const middle = Math.floor((from + to) / 2);
    const found = await datedRow(handle, middle, to, rowAt);
    if (found === 'too_far') return from;
    if (found === undefined || found.at >= since) to = middle;
    else from = found.start;
  }
  return from;
};

interface DatedRow {
  readonly start: number;
  readonly at: number;
}

/** The first row that starts after `from` and has a date; undefined when there is none before `to`. */
const datedRow = async (handle: FileHandle, from: number, to: number, rowAt: RowAt): Promise<DatedRow | undefined | 'too_far'> => {
  let held = Buffer.alloc(0);
  let heldFrom = from;
  // The row that `from` stands in does not start here.
  let aligned = false;
  for (let at = from; at < to; ) {
    if (at - from > PROBE_BYTES) return 'too_far';
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, at);
    if (bytesRead === 0) return undefined;
    at += bytesRead;
    held = Buffer.concat([held, buffer.subarray(0, bytesRead)]);
    for (let end = held.indexOf(LF); end >= 0; end = held.indexOf(LF)) {
      const when = aligned && heldFrom < to ? rowAt(held.toString('utf8', 0, end)) : undefined;
      if (when !== undefined) return { start: heldFrom, at: when };
      aligned = true;
      heldFrom += end + 1;
      held = held.subarray(end + 1);
    }
  }
  return undefined;
};
