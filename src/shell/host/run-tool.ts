// Runs one of the host's own programs to its end and says what it answered.
import { spawnSync } from 'node:child_process';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ToolAnswer {
  readonly ok: boolean;
  readonly stdout: string;
  /** One line, when it did not succeed: what it said, or why it could not be run. */
  readonly why: string;
}

const TOOL_MS = 30_000;
const OUTPUT_BYTES = 1_024 * 1_024;

export const runTool = (argv: readonly string[], env: Environment, deadlineMs = TOOL_MS): ToolAnswer => {
  const [program = '', ...args] = argv;
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    env,
    encoding: 'utf8',
    timeout: deadlineMs,
    killSignal: 'SIGKILL',
    maxBuffer: OUTPUT_BYTES,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (error !== undefined) return { ok: false, stdout: stdout ?? '', why: cause(program, error, deadlineMs) };
  const said = (stderr.trim() === '' ? stdout : stderr).trim().split('\n').at(-1) ?? '';
  return { ok: status === 0, stdout, why: status === 0 ? '' : said === '' ? `${program} exited with ${status ?? 'a signal'}` : said };
};

const cause = (program: string, error: NodeJS.ErrnoException, deadlineMs: number): string => {
  if (error.code === 'ENOENT') return `${program} was not found`;
  if (error.code === 'ETIMEDOUT') return `${program} did not answer within ${deadlineMs / 1_000} s`;
  return `${program} could not be run (${error.code ?? error.message})`;
};
