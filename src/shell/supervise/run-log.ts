// The files of a run under its jobs directory: the log people read and, for streaming clients, the redacted stream.
import { createWriteStream, mkdirSync, rmSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { LINE_START, type LineState, redactLine } from '../../core/untrusted/redact-lines.js';
import { namesIn, RUN_FILE, runIdsIn } from '../files/run-files.js';

export interface RunFile {
  readonly path: string;
  /** Resolves when the text is accepted; a full disk loses the text, never the run. */
  readonly write: (text: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens a file for appending, mode 0600, in a private directory. `onFault` is told once, when the rest of the text will be missing. */
export const openRunFile = (directory: string, name: string, onFault: (code: string) => void): RunFile => {
  makeDirectory(directory);
  const path = join(directory, name);
  const stream = createWriteStream(path, { flags: 'a', mode: 0o600 });
  let failed = false;
  stream.on('error', (cause: NodeJS.ErrnoException) => {
    if (!failed) onFault(cause.code ?? cause.name);
    failed = true;
  });
  return {
    path,
    write: (text) => writeTo(stream, text, () => failed),
    close: () => new Promise((resolve) => (failed ? resolve() : stream.end(() => resolve()))),
  };
};

/** A directory that cannot be made shows as a file that cannot be opened. */
const makeDirectory = (directory: string): void => {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch {
    // Told by the stream's own error.
  }
};

const writeTo = (stream: WriteStream, text: string, failed: () => boolean): Promise<void> => {
  if (failed() || stream.write(text)) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done);
      stream.off('error', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('error', done);
  });
};

/** Writes lines of plain text through the redactor, remembering whether a private key is open. */
export const redactingWriter = (file: RunFile, prefix = ''): ((line: string) => Promise<void>) => {
  let state: LineState = LINE_START;
  return (line) => {
    const step = redactLine(state, line);
    state = step.state;
    return file.write(`${prefix}${step.line}\n`);
  };
};

/** Removes the files of all but the newest `keep` runs, and never those of the runs named. */
export const pruneRunFiles = (directory: string, keep: number, spared: ReadonlySet<number>): number => {
  const ids = [...new Set(runIdsIn(directory))].sort((a, b) => b - a);
  const gone = new Set(ids.slice(keep).filter((id) => !spared.has(id)));
  for (const name of namesIn(directory)) {
    const id = RUN_FILE.exec(name)?.[1];
    if (id !== undefined && gone.has(Number(id))) rmSync(join(directory, name), { force: true });
  }
  return gone.size;
};
