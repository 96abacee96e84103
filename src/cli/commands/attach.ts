// `harness attach <harness> [--read-only]`: a resident's terminal on this one, until the detach key.
import { UNBOUNDED } from '../../shell/rpc/client.js';
import { callDaemon } from '../daemon-call.js';
import { CliFailure, type Session } from '../session.js';

export interface AttachFlags {
  readonly readOnly: boolean;
  /** `ctrl-` and a letter or one of `]^_\`. */
  readonly detachKey: string;
}

/** What leaves a full-screen program's modes behind: cursor, mouse, paste, alternate screen, colours. */
const RESET = '\u001b[?1049l\u001b[?25h\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l\u001b[?2004l\u001b[?1l\u001b[0m';

export const runAttach = async (session: Session, harness: string, { readOnly, detachKey }: AttachFlags): Promise<void> => {
  const key = keyCode(detachKey);
  const terminal = openTerminal(key);
  const size = windowSize();
  if (process.stdout.isTTY) session.notice(`attached to ${harness}${readOnly ? ', read-only' : ''}: ${detachKey} detaches`);
  try {
    await callDaemon(session, async ({ attach }) => {
      const options = { ...UNBOUNDED, signal: terminal.left };
      const seen = readOnly ? attach.watch({ harness }, options) : attach.attach(terminal.requests({ harness, ...size }), options);
      for await (const { message } of seen) {
        if (message.case === 'output') process.stdout.write(message.value);
        if (message.case === 'notice') session.notice(`\r[${message.value}]\r`);
      }
    });
  } catch (error) {
    if (!terminal.left.aborted) throw error;
  } finally {
    terminal.close();
  }
  if (process.stdout.isTTY) process.stdout.write(RESET);
  session.notice(terminal.left.aborted ? `detached from ${harness}; it goes on` : 'the daemon let go of the terminal');
};

type Request =
  | { readonly message: { readonly case: 'open'; readonly value: { readonly harness: string; readonly size?: Size } } }
  | { readonly message: { readonly case: 'input'; readonly value: Uint8Array } }
  | { readonly message: { readonly case: 'resize'; readonly value: Size } };

interface Size {
  readonly cols: number;
  readonly rows: number;
}

const windowSize = (): { readonly size?: Size } =>
  process.stdout.isTTY ? { size: { cols: process.stdout.columns, rows: process.stdout.rows } } : {};

/** Keys and resizes of this terminal as requests; `left` fires at the detach key, and at the end of an input that is no terminal. */
const openTerminal = (key: number) => {
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
    close: (): void => {
      if (process.stdin.isTTY) process.stdin.setRawMode(false);
      process.stdin.off('data', onData);
      process.stdin.pause();
      process.stdout.off('resize', onResize);
    },
  };
};

/** What was piped in has an answer to wait for. */
const LINGER_MS = 1_000;

const keyCode = (name: string): number => {
  const [, letter] = /^ctrl-([a-z\]^_\\])$/i.exec(name) ?? [];
  if (letter === undefined)
    throw new CliFailure('invalid_argument', `--detach-key must be ctrl- and a letter or one of ] ^ _ \\, such as ctrl-]`);
  return letter.toUpperCase().charCodeAt(0) & 0x1f;
};
