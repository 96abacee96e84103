// `harness attach <harness> [--read-only]`: a resident's terminal on this one, until the detach key.
import { once } from 'node:events';
import { UNBOUNDED } from '../../shell/rpc/client.js';
import { callDaemon } from '../daemon-call.js';
import { keyCode, openTerminal, windowSize } from '../own-terminal.js';
import type { Session } from '../session.js';

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
  let left = false;
  try {
    await callDaemon(session, async ({ attach }) => {
      const options = { ...UNBOUNDED, signal: terminal.left };
      const seen = readOnly ? attach.watch({ harness }, options) : attach.attach(terminal.requests({ harness, ...size }), options);
      for await (const { message } of seen) {
        // A slow terminal is waited for, so that what it has not shown is not piled up here.
        if (message.case === 'output' && !process.stdout.write(message.value)) await once(process.stdout, 'drain');
        if (message.case === 'notice') session.notice(`\r[${message.value}]\r`);
      }
    });
  } catch (error) {
    if (!terminal.left.aborted) throw error;
  } finally {
    left = terminal.left.aborted;
    terminal.close();
  }
  if (process.stdout.isTTY) process.stdout.write(RESET);
  session.notice(left ? `detached from ${harness}; it goes on` : 'the daemon let go of the terminal');
};
