// A file that lines are appended to and that is set aside when it is full: no line is lost by that, nor when somebody else moves
// the file, and a disk that is full never stops who writes. What could not be written yet is kept, up to a bound.
import { closeSync, existsSync, fchmodSync, fstatSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** A file is set aside before a line would make it larger. */
export const ROTATE_BYTES = 10 * 1_024 * 1_024;
/** Files kept beside the one in use: `.1` is the newest. */
export const ROTATED_KEPT = 5;
/** What waits in memory while nothing can be written. */
export const WAITING_BYTES = 256 * 1_024;

export interface RotatingFile {
  /** Appends one line, its line break included, before it returns. Never throws. */
  readonly write: (line: string) => void;
  readonly close: () => void;
}

export interface RotationRules {
  readonly maxBytes: number;
  readonly kept: number;
  /** The line that tells how many lines were dropped while nothing could be written. */
  readonly lost: (lines: number) => string;
}

/** The `n`th newest of the files set aside. */
export const rotatedName = (path: string, n: number): string => `${path}.${n}`;

/** Throws when the file cannot be opened for a reason that will not go away by itself. */
export const openRotatingFile = (path: string, rules: RotationRules): RotatingFile => {
  const writer = new RotatingWriter(path, rules);
  writer.open();
  return writer;
};

/** Reasons that go away when there is room again. */
const NO_ROOM = ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EIO'];

/** Its functions are bound, so each may be handed on by itself. */
class RotatingWriter implements RotatingFile {
  private readonly path: string;
  private readonly rules: RotationRules;
  private fd: number | undefined;
  /** What was not written yet, in order; the first piece may be the rest of a line. */
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private torn = false;
  private dropped = 0;

  constructor(path: string, rules: RotationRules) {
    this.path = path;
    this.rules = rules;
  }

  open(): void {
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      this.reopen();
    } catch (error) {
      if (!NO_ROOM.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }

  readonly write: RotatingFile['write'] = (line) => {
    // What has waited goes first: with room again there is no reason to drop this one.
    if (this.waiting.length > 0) attempted(() => this.flush());
    this.keep(Buffer.from(line));
    attempted(() => this.flush());
  };

  readonly close: RotatingFile['close'] = () => {
    attempted(() => this.flush());
    if (this.fd !== undefined) attempted(() => closeSync(this.fd as number));
    this.fd = undefined;
  };

  private keep(bytes: Buffer): void {
    if (this.waitingBytes + bytes.length > WAITING_BYTES && this.waiting.length > 0) {
      this.dropped += 1;
      return;
    }
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
  }

  private flush(): void {
    while (this.waiting.length > 0) this.put(this.waiting[0] as Buffer);
    if (this.dropped === 0) return;
    const note = Buffer.from(this.rules.lost(this.dropped));
    this.dropped = 0;
    this.keep(note);
    this.put(note);
  }

  /** Writes the first piece that waits, all of it or as much as there is room for; throws when something is left. */
  private put(bytes: Buffer): void {
    const fd = this.fileFor(bytes.length);
    let done = 0;
    try {
      while (done < bytes.length) done += writeSync(fd, bytes, done);
    } finally {
      this.waitingBytes -= done;
      if (done === bytes.length) this.waiting.shift();
      else this.waiting[0] = bytes.subarray(done);
      this.torn = done < bytes.length && (this.torn || done > 0);
    }
  }

  /** The file that the next bytes belong in: another one when this one was moved away, or is full. */
  private fileFor(bytes: number): number {
    // The rest of a line belongs beside its beginning.
    if (this.torn && this.fd !== undefined) return this.fd;
    const own = this.fd === undefined ? undefined : fstatSync(this.fd);
    const there = statSync(this.path, { throwIfNoEntry: false });
    const inPlace = own !== undefined && there?.ino === own.ino && there.dev === own.dev;
    if (inPlace && (own.size === 0 || own.size + bytes <= this.rules.maxBytes)) return this.fd as number;
    attempted(() => {
      if (inPlace) this.setAside();
      this.reopen();
    });
    // A file that could not be set aside, or opened, is written on: better too long than lost.
    if (this.fd === undefined) throw new Error(`${this.path} cannot be opened`);
    return this.fd;
  }

  private setAside(): void {
    for (let n = this.rules.kept - 1; n > 0; n -= 1) {
      const from = rotatedName(this.path, n);
      if (existsSync(from)) renameSync(from, rotatedName(this.path, n + 1));
    }
    renameSync(this.path, rotatedName(this.path, 1));
  }

  private reopen(): void {
    // A device's mode is not ours to change, and a pipe would wait for its reader.
    if (statSync(this.path, { throwIfNoEntry: false })?.isFile() === false) throw new Error('it is no regular file');
    const fd = openSync(this.path, 'a', 0o600);
    fchmodSync(fd, 0o600);
    if (this.fd !== undefined) closeSync(this.fd);
    this.fd = fd;
  }
}

/** A log that cannot be written is nobody's failure but its own. */
const attempted = (work: () => void): void => {
  try {
    work();
  } catch {
    // What was to be written waits for the next line.
  }
};
