// This terminal, while it shows another: its keys and sizes as requests, until the detach key.
import { CliFailure } from './session.js';

type Request =
  | { readonly message: { readonly case: 'open'; readonly value: { readonly harness: string; readonly size?: Size } } }
  | { readonly message: { readonly case: 'input'; readonly value: Uint8Array } }
  | { readonly message: { readonly case: 'resize'; readonly value: Size } };

interface Size {
  readonly cols: number;
  readonly rows: number;
}

export const windowSize = (): { readonly size?: Size } =>
  process.stdout.isTTY ? { size: { cols: process.stdout.columns, rows: process.stdout.rows } } : {};

/** Keys and resizes of this terminal as requests; `left` fires at the detach key, and at the end of an input that is no terminal. */
export const openTerminal = (key: number) => {
  const leaving = new AbortController();
  const queue: Request[] = [];
  let wake = (): void => undefined;
  const offer = (request: Request): void => {
    queue.push(request);
    wake();
  };
  const onData = (chunk: Buffer): void => {
    const at = chunk.indexOf(key);
    const typed = at < 0 ? chunk : chunk.subarray(0, at);
    if (typed.length > 0) offer({ message: { case: 'input', value: new Uint8Array(typed) } });
    if (at >= 0) leaving.abort();
  };
  const onResize = (): void => offer({ message: { case: 'resize', value: { cols: process.stdout.columns, rows: process.stdout.rows } } });
  if (process.stdin.isTTY) process.stdin.setRawMode(true);
  process.stdin.on('data', onData);
  process.stdin.once('end', () => setTimeout(() => leaving.abort(), LINGER_MS));
  process.stdout.on('resize', onResize);
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.once(signal, () => leaving.abort());
  leaving.signal.addEventListener('abort', () => wake());
  return {
    left: leaving.signal,
    async *requests(open: { readonly harness: string; readonly size?: Size }): AsyncGenerator<Request> {
      yield { message: { case: 'open', value: open } };
      while (!leaving.signal.aborted) {
        const next = queue.shift();
        if (next !== undefined) yield next;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
    /** Ends the requests as well: a call whose answer has ended still waits for them. */
    close: (): void => {
      leaving.abort();
      if (process.stdin.isTTY) process.stdin.setRawMode(false);
      process.stdin.off('data', onData);
      process.stdin.pause();
      // An input that nobody will end must not keep the command alive.
      // A file has nothing to let go of.
      if ('unref' in process.stdin) process.stdin.unref();
      process.stdout.off('resize', onResize);
    },
  };
};

/** What was piped in has an answer to wait for. */
const LINGER_MS = 1_000;

export const keyCode = (name: string): number => {
  const [, letter] = /^ctrl-([a-z\]^_\\])$/i.exec(name) ?? [];
  if (letter === undefined)
    throw new CliFailure('invalid_argument', `--detach-key must be ctrl- and a letter or one of ] ^ _ \\, such as ctrl-]`);
  return letter.toUpperCase().charCodeAt(0) & 0x1f;
};
