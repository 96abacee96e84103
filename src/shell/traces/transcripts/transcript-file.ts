// Reads what was appended to a transcript since it was last read, in pieces of bounded size. A file that was truncated, replaced or
// written anew is read again from its start; the caller is told, since it knows its rows.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type LineSplitter, type StreamLine, splitLines } from '../../supervise/line-stream.js';
import { type RowAt, seekRow } from './seek-row.js';

const PIECE_BYTES = 256 * 1_024;
/** The bytes before the place reading goes on from, by which a file that was written anew is known. */
const MARK_BYTES = 64;

/** `gone`: not there. `unreadable`: there, and no file that can be read. */
export type FileReading = 'read' | 'gone' | 'unreadable';

export interface LineTaker {
  readonly line: (line: StreamLine) => void;
  /** The file is another than before; its lines come again. */
  readonly again: () => void;
  /** True when no more is wanted. */
  readonly stopped: () => boolean;
}

/** Where to begin in a file that may be long: at the first row that is not older, as `row` dates them. */
export interface Beginning {
  readonly at: number;
  readonly row: RowAt;
}

export class TranscriptFile {
  readonly path: string;
  private offset = 0;
  private identity = '';
  private mark: Buffer = Buffer.alloc(0);
  private splitter: LineSplitter = splitLines();
  private readonly piece: Buffer;

  constructor(path: string, piece: Buffer = newPiece()) {
    this.path = path;
    this.piece = piece;
  }

  /** Reads to the end that the file has now, or `most` bytes. `beginning` counts where reading starts, not where it goes on. */
  async read(taker: LineTaker, beginning?: Beginning, most = Number.POSITIVE_INFINITY): Promise<FileReading> {
    const opened = await openFile(this.path);
    if (typeof opened === 'string') return opened;
    const { handle, size, identity } = opened;
    try {
      if (!(await this.isSame(handle, size, identity))) {
        if (this.identity !== '') taker.again();
        this.begin(identity);
        if (beginning !== undefined) this.offset = await seekRow(handle, size, beginning.at, beginning.row, taker.stopped);
      }
      await this.readTo(handle, Math.min(size, this.offset + most), taker);
      return 'read';
    } catch {
      return 'unreadable';
    } finally {
      await handle.close().catch(() => undefined);
    }
  }

  /** A last line without its end. */
  rest(): readonly StreamLine[] {
    return this.splitter.end();
  }

  private async isSame(handle: FileHandle, size: number, identity: string): Promise<boolean> {
    if (identity !== this.identity || size < this.offset) return false;
    if (this.mark.length === 0) return true;
    const seen = Buffer.alloc(this.mark.length);
    await handle.read(seen, 0, seen.length, this.offset - seen.length);
    return seen.equals(this.mark);
  }

  private begin(identity: string): void {
    this.identity = identity;
    this.offset = 0;
    this.mark = Buffer.alloc(0);
    this.splitter = splitLines();
  }

  private async readTo(handle: FileHandle, size: number, taker: LineTaker): Promise<void> {
    while (this.offset < size && !taker.stopped()) {
      const { bytesRead } = await handle.read(this.piece, 0, Math.min(this.piece.length, size - this.offset), this.offset);
      if (bytesRead === 0) return;
      const bytes = this.piece.subarray(0, bytesRead);
      this.offset += bytesRead;
      this.mark = Buffer.from(Buffer.concat([this.mark, bytes.subarray(-MARK_BYTES)]).subarray(-MARK_BYTES));
      for (const line of this.splitter.push(bytes)) {
        if (taker.stopped()) return;
        taker.line(line);
      }
    }
  }
}

/** What files that are read one after another may share. */
export const newPiece = (): Buffer => Buffer.allocUnsafe(PIECE_BYTES);

interface OpenTranscript {
  readonly handle: FileHandle;
  readonly size: number;
  readonly identity: string;
}

/** Opening a pipe must not wait for its other end. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

const openFile = async (path: string): Promise<OpenTranscript | Exclude<FileReading, 'read'>> => {
  let handle: FileHandle;
  try {
    handle = await open(path, FLAGS);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'gone' : 'unreadable';
  }
  try {
    const found = await handle.stat();
    if (found.isFile()) return { handle, size: found.size, identity: `${found.dev} ${found.ino}` };
  } catch {
    // As one that could not be opened.
  }
  await handle.close().catch(() => undefined);
  return 'unreadable';
};
