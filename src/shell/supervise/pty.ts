// Starts a resident's process on a pseudoterminal of its own: session leader, group leader, and nobody else's terminal.
import { statSync } from 'node:fs';
import type { IPty } from 'node-pty';
import type { ProcessExit } from '../../core/run/close.js';
import { findExecutable } from '../files/executable.js';
import { type ChildSpec, describeStartError, type StartError, valueWithNul } from './child.js';
import { openPtyInput } from './pty-input.js';

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

export const DEFAULT_SIZE: TerminalSize = { cols: 120, rows: 40 };
const SIZE_MAX = 1_000;

export interface TerminalChild {
  readonly pid: number;
  readonly exited: Promise<ProcessExit>;
  /** Called with what the process writes. */
  readonly onOutput: (listener: (bytes: Buffer) => void) => void;
  /** False when it was dropped: the process takes no input. */
  readonly write: (bytes: Uint8Array) => boolean;
  readonly resize: (size: TerminalSize) => void;
  /** While it is paused the process waits as soon as its terminal is full. */
  readonly pause: () => void;
  readonly resume: () => void;
}

/** The platform's fork reports a program that is not there as an exit, so it is looked for before. */
export const startOnTerminal = async (spec: ChildSpec, size: TerminalSize): Promise<TerminalChild | StartError> => {
  if (statSync(spec.cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    return { code: 'no_workdir', message: `workdir ${spec.cwd} does not exist or is no directory` };
  const nul = valueWithNul(spec);
  if (nul !== undefined) return { code: 'not_started', message: `${nul} holds a NUL character, which no process can be given` };
  const executable = findExecutable(spec.executable, spec.env['PATH'] ?? '', spec.cwd);
  if (executable.kind !== 'found') return describeStartError(executable.kind === 'missing' ? 'ENOENT' : 'EACCES', spec.executable);
  const { spawn } = await import('node-pty');
  try {
    const pty = spawn(executable.path, [...spec.argv], {
      name: spec.env['TERM'] ?? 'xterm-256color',
      cwd: spec.cwd,
      env: { ...spec.env },
      encoding: null,
      ...size,
    });
    return terminalChild(pty);
  } catch (error) {
    return describeStartError((error as NodeJS.ErrnoException).code ?? (error as Error).name, spec.executable);
  }
};

const terminalChild = (pty: IPty): TerminalChild => {
  let alive = true;
  // The library has the descriptor and does not name it in its types.
  const input = openPtyInput((pty as unknown as { readonly fd: number }).fd);
  const exited = new Promise<ProcessExit>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      alive = false;
      input.close();
      resolve({ code: signal === undefined || signal === 0 ? exitCode : null, signal: signalName(signal) });
    });
  });
  return {
    pid: pty.pid,
    exited,
    onOutput: (listener) => {
      // Without an encoding the library hands out bytes; its types know only text.
      pty.onData((data) => listener(data as unknown as Buffer));
    },
    write: input.write,
    resize: ({ cols, rows }) => {
      if (alive) pty.resize(bounded(cols), bounded(rows));
    },
    pause: () => pty.pause(),
    resume: () => pty.resume(),
  };
};

const bounded = (cells: number): number => Math.min(SIZE_MAX, Math.max(1, Math.floor(cells)));

const SIGNALS: Readonly<Record<number, string>> = { 1: 'SIGHUP', 2: 'SIGINT', 3: 'SIGQUIT', 6: 'SIGABRT', 9: 'SIGKILL', 15: 'SIGTERM' };

const signalName = (signal: number | undefined): string | null =>
  signal === undefined || signal === 0 ? null : (SIGNALS[signal] ?? `signal ${signal}`);
