// Starts a one-shot's process on pipes, in a process group of its own, and says how it ended.
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { ProcessExit } from '../../core/run/close.js';
import type { Environment } from '../../core/run/environment.js';

export interface ChildSpec {
  readonly executable: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
  /** Given on standard input, then closed; without it standard input is /dev/null. */
  readonly stdin?: string;
}

export interface Child {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<ProcessExit>;
}

/** Why a process could not be started; the message names what to mend. */
export type StartError = { readonly code: 'no_workdir' | 'no_executable' | 'argv_too_long' | 'not_started'; readonly message: string };

export const startChild = (spec: ChildSpec): Promise<Child | StartError> => {
  if (!isDirectory(spec.cwd))
    return Promise.resolve({ code: 'no_workdir', message: `workdir ${spec.cwd} does not exist or is no directory` });
  const nul = valueWithNul(spec);
  if (nul !== undefined)
    return Promise.resolve({ code: 'not_started', message: `${nul} holds a NUL character, which no process can be given` });
  return new Promise((resolve) => {
    try {
      const child = spawn(spec.executable, [...spec.argv], {
        cwd: spec.cwd,
        env: spec.env,
        detached: true,
        stdio: [spec.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      });
      const exited = new Promise<ProcessExit>((done) => {
        child.on('exit', (code, signal) => done({ code, signal }));
      });
      child.on('error', (error: NodeJS.ErrnoException) => resolve(describe(error, spec)));
      child.on('spawn', () => {
        child.stdin?.on('error', () => undefined);
        child.stdin?.end(spec.stdin);
        if (child.pid !== undefined && child.stdout !== null && child.stderr !== null)
          resolve({ pid: child.pid, stdout: child.stdout, stderr: child.stderr, exited });
      });
    } catch (error) {
      resolve(describe(error as NodeJS.ErrnoException, spec));
    }
  });
};

export const isStartError = <A extends object>(started: A | StartError): started is StartError => 'code' in started;

const describe = (error: NodeJS.ErrnoException, { executable }: ChildSpec): StartError =>
  describeStartError(error.code ?? error.name, executable);

/** What a platform's error code means for who wanted the start. */
export const describeStartError = (code: string, executable: string): StartError => {
  switch (code) {
    case 'ENOENT':
      return { code: 'no_executable', message: `executable "${executable}" was not found: install it, or set its path` };
    case 'EACCES':
      return { code: 'no_executable', message: `executable "${executable}" may not be executed: check its mode` };
    case 'E2BIG':
      return {
        code: 'argv_too_long',
        message: 'the arguments and environment exceed what the platform takes: use prompt_delivery "stdin" or "file"',
      };
    default:
      // The platform's own words may quote an argument, hence a prompt: only its code is told.
      return { code: 'not_started', message: `"${executable}" could not be started (${code})` };
  }
};

/** Says what is wrong without saying the value. */
export const valueWithNul = ({ executable, argv, env }: Pick<ChildSpec, 'executable' | 'argv' | 'env'>): string | undefined => {
  if (executable.includes('\0')) return 'the executable';
  if (argv.some((argument) => argument.includes('\0'))) return 'an argument or the prompt';
  const name = Object.keys(env).find((key) => key.includes('\0') || env[key]?.includes('\0') === true);
  return name === undefined ? undefined : `the environment variable ${name.replace(/\0/g, '')}`;
};

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
