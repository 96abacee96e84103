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
  readonly failed: () => string | undefined;
}

/** Opens a file for appending, mode 0600, in a private directory. */
export const openRunFile = (directory: string, name: string): RunFile => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, name);
  const stream = createWriteStream(path, { flags: 'a', mode: 0o600 });
  let error: string | undefined;
  stream.on('error', (cause) => {
    error = cause.message;
  });
  return {
    path,
    write: (text) => writeTo(stream, text, () => error !== undefined),
    close: () => new Promise((resolve) => (error === undefined ? stream.end(() => resolve()) : resolve())),
    failed: () => error,
  };
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
