// Reads the first rows of a transcript until they say whose session it is, where it works and since when.

import { isRow, type Row } from '../../../core/trace/fields.js';
import { addToHead, type FileFamily, isWholeHead, type PartialHead, type TranscriptHead } from '../../../core/trace/transcript-head.js';
import type { StreamLine } from '../../supervise/line-stream.js';
import { TranscriptFile } from './transcript-file.js';

/** A file that has not said so by then says it to nobody. */
const ROWS_READ = 200;
const BYTES_READ = 16 * 1_024 * 1_024;

export type HeadAnswer =
  | { readonly kind: 'head'; readonly head: TranscriptHead; readonly rows: readonly Row[] }
  /** Not yet written, or never. */
  | { readonly kind: 'unsaid' }
  | { readonly kind: 'unreadable' };

export const readHead = async (path: string, family: FileFamily, piece?: Buffer): Promise<HeadAnswer> => {
  let head: PartialHead = {};
  const rows: Row[] = [];
  let lines = 0;
  const taker = {
    line: (line: StreamLine): void => {
      lines += 1;
      const row = line.kind === 'too_long' || isWholeHead(head) ? undefined : parsed(line.bytes);
      if (row === undefined) return;
      rows.push(row);
      head = addToHead(family, head, row);
    },
    again: () => undefined,
    stopped: () => isWholeHead(head) || lines >= ROWS_READ,
  };
  const reading = await new TranscriptFile(path, piece).read(taker, undefined, BYTES_READ);
  if (reading === 'unreadable') return { kind: 'unreadable' };
  return isWholeHead(head) ? { kind: 'head', head, rows } : { kind: 'unsaid' };
};

const parsed = (bytes: Buffer): Row | undefined => {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isRow(value) ? value : undefined;
  } catch {
    return undefined;
  }
};
