// What is typed to a resident, on its way into the terminal: written as far as the process takes it, bounded where it takes nothing,
// forgotten when it ends. The library's own queue asks again without a pause, and has no bound.
import { write } from 'node:fs';

/** More waiting input than this is dropped, in bytes. */
export const INPUT_BYTES = 64 * 1_024;
const RETRY_MS = 25;

export interface PtyInput {
  /** False when it was dropped: the process takes nothing. */
  readonly write: (bytes: Uint8Array) => boolean;
  readonly close: () => void;
}

export const openPtyInput = (fd: number): PtyInput => new QueuedInput(fd);

class QueuedInput implements PtyInput {
  private readonly fd: number;
  private readonly queue: Uint8Array[] = [];
  private pending = 0;
  private busy = false;
  private closed = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(fd: number) {
    this.fd = fd;
  }

  readonly write: PtyInput['write'] = (bytes) => {
    if (this.closed || this.pending + bytes.length > INPUT_BYTES) return false;
    this.queue.push(bytes);
    this.pending += bytes.length;
    this.pump();
    return true;
  };

  readonly close: PtyInput['close'] = () => {
    this.closed = true;
    clearTimeout(this.timer);
    this.queue.splice(0);
  };

  private pump(): void {
    const head = this.queue[0];
    if (this.busy || this.closed || head === undefined) return;
    this.busy = true;
    write(this.fd, head, 0, head.length, null, (error, written) => {
      this.busy = false;
      if (this.closed) return;
      if (error === null) this.advance(head, written);
      else if (error.code !== 'EAGAIN') return this.close();
      if (error === null) return this.pump();
      // A full terminal is asked again after a while, not at once.
      this.timer = setTimeout(() => this.pump(), RETRY_MS);
      this.timer.unref();
    });
  }

  private advance(head: Uint8Array, written: number): void {
    this.pending -= written;
    if (written === head.length) this.queue.shift();
    else this.queue[0] = head.subarray(written);
  }
}
