// The terminal of a resident as people see it: it outlives the process, remembers the last screens, and shows them to whoever
// attaches. Nobody who looks on can hold up the process: a viewer that does not keep up is let go.
import type { TerminalChild, TerminalSize } from './pty.js';
import { DEFAULT_SIZE } from './pty.js';

/** How much output a new viewer is shown, in bytes. */
export const SCROLLBACK_BYTES = 256 * 1_024;
/** Small pieces of output are kept together: one by one they would weigh more than what they say. */
const CHUNK_BYTES = 4_096;
/** How much a viewer may be behind, in bytes. */
export const VIEWER_BYTES = 4 * 1_024 * 1_024;

export type Seen =
  | { readonly type: 'output'; readonly bytes: Buffer }
  /** From Harness itself: a process ended, another began. */
  | { readonly type: 'notice'; readonly text: string };

export interface Viewer {
  /** What happens, beginning with the scrollback; ends when the viewer is let go or leaves. */
  readonly events: AsyncIterable<Seen>;
  readonly leave: () => void;
}

export interface Terminal {
  readonly attach: () => Viewer;
  /** False when it was dropped: there is no process, or it takes no input. */
  readonly write: (bytes: Uint8Array) => boolean;
  readonly resize: (size: TerminalSize) => void;
  readonly size: () => TerminalSize;
  readonly connect: (child: TerminalChild) => void;
  readonly disconnect: () => void;
  readonly output: (bytes: Buffer) => void;
  readonly notice: (text: string) => void;
  /** Lets everybody go. */
  readonly close: () => void;
}

export const openTerminal = (): Terminal => new ResidentTerminal();

/** Its functions are bound, so each may be handed on by itself. */
class ResidentTerminal implements Terminal {
  private child: TerminalChild | undefined;
  private current: TerminalSize = DEFAULT_SIZE;
  private readonly scrollback: Buffer[] = [];
  private held = 0;
  /** The last input was dropped, and that was told. */
  private deaf = false;
  private readonly attached = new Set<QueuedViewer>();

  readonly attach: Terminal['attach'] = () => {
    const viewer = new QueuedViewer(() => this.attached.delete(viewer));
    for (const bytes of this.scrollback) viewer.offer({ type: 'output', bytes });
    this.attached.add(viewer);
    return viewer;
  };

  readonly write: Terminal['write'] = (bytes) => {
    if (this.child === undefined) return false;
    const taken = this.child.write(bytes);
    if (!taken && !this.deaf) this.notice('the process takes no input: what is typed is dropped until it does');
    this.deaf = !taken;
    return taken;
  };

  readonly resize: Terminal['resize'] = (size) => {
    const same = size.cols === this.current.cols && size.rows === this.current.rows;
    this.current = size;
    // A full-screen program draws itself anew only for a new size, and whoever attaches wants to see all of it.
    if (same) this.child?.resize({ cols: size.cols, rows: Math.max(1, size.rows - 1) });
    this.child?.resize(size);
  };

  readonly size: Terminal['size'] = () => this.current;

  readonly connect: Terminal['connect'] = (child) => {
    this.child = child;
  };

  readonly disconnect: Terminal['disconnect'] = () => {
    this.child = undefined;
  };

  readonly output: Terminal['output'] = (bytes) => {
    const last = this.scrollback.at(-1);
    if (last !== undefined && last.length + bytes.length <= CHUNK_BYTES) this.scrollback.splice(-1, 1, Buffer.concat([last, bytes]));
    else this.scrollback.push(bytes);
    this.held += bytes.length;
    while (this.held > SCROLLBACK_BYTES && this.scrollback.length > 1) this.held -= this.scrollback.shift()?.length ?? 0;
    this.tell({ type: 'output', bytes });
  };

  readonly notice: Terminal['notice'] = (text) => this.tell({ type: 'notice', text });

  readonly close: Terminal['close'] = () => {
    for (const viewer of this.attached) viewer.leave();
  };

  private tell(seen: Seen): void {
    for (const viewer of this.attached) viewer.offer(seen);
  }
}

class QueuedViewer implements Viewer {
  private readonly queue: Seen[] = [];
  private readonly onLeave: () => void;
  private behind = 0;
  private gone = false;
  private wake: (() => void) | undefined;

  constructor(onLeave: () => void) {
    this.onLeave = onLeave;
  }

  readonly leave = (): void => {
    this.gone = true;
    this.onLeave();
    this.wake?.();
  };

  offer(seen: Seen): void {
    if (this.gone) return;
    this.queue.push(seen);
    this.behind += seen.type === 'output' ? seen.bytes.length : 0;
    if (this.behind > VIEWER_BYTES) {
      this.queue.splice(0, this.queue.length, { type: 'notice', text: 'this viewer does not keep up and is let go: attach again' });
      this.leave();
    }
    this.wake?.();
  }

  get events(): AsyncIterable<Seen> {
    return this.take();
  }

  private async *take(): AsyncGenerator<Seen> {
    for (;;) {
      const next = this.queue.shift();
      if (next !== undefined) {
        this.behind -= next.type === 'output' ? next.bytes.length : 0;
        yield next;
      } else if (this.gone) return;
      else
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
    }
  }
}
