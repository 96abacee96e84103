// Where Harness keeps its files: state under XDG_STATE_HOME, the socket under XDG_RUNTIME_DIR.
import { chmodSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** A Unix socket path may not be longer, in bytes. */
export const SOCKET_PATH_BYTES = 103;

export interface StatePaths {
  readonly state: string;
  readonly store: string;
  readonly jobs: string;
  readonly socket: string;
  readonly lock: string;
  /** Says who holds the lock, for messages. */
  readonly pid: string;
  /** The log of a daemon that a service manager keeps. */
  readonly log: string;
  readonly backups: string;
}

const xdg = (env: Env, name: string, fallback: string): string => {
  const value = env[name];
  return value === undefined || value === '' ? fallback : value;
};

export const home = (env: Env): string => xdg(env, 'HOME', homedir());

export const configHome = (env: Env): string => xdg(env, 'XDG_CONFIG_HOME', join(home(env), '.config'));

export const statePaths = (env: Env, socket?: string): StatePaths => {
  const state = join(xdg(env, 'XDG_STATE_HOME', join(home(env), '.local', 'state')), 'harness');
  return {
    state,
    store: join(state, 'harness.db'),
    jobs: join(state, 'jobs'),
    socket: socket === undefined || socket === '' ? socketPath(env, state) : socket,
    lock: join(state, 'daemon.lock'),
    pid: join(state, 'daemon.pid'),
    log: join(state, 'daemon.log'),
    backups: join(state, 'backups'),
  };
};

/** `--socket`, else HARNESS_SOCKET, else XDG_RUNTIME_DIR, else the state directory's `run`. */
const socketPath = (env: Env, state: string): string => {
  const named = env['HARNESS_SOCKET'];
  if (named !== undefined && named !== '') return named;
  const runtime = env['XDG_RUNTIME_DIR'];
  return runtime === undefined || runtime === '' ? join(state, 'run', 'harness.sock') : join(runtime, 'harness.sock');
};

/** The global file: `--config`, else HARNESS_CONFIG, else XDG_CONFIG_HOME. */
export const configPath = (env: Env, flag?: string): string => {
  const named = flag ?? (env['HARNESS_CONFIG'] === '' ? undefined : env['HARNESS_CONFIG']);
  return named ?? join(configHome(env), 'harness', 'harness.toml');
};

/** Makes a directory that only its owner may enter. */
export const makePrivateDirectory = (path: string): void => {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
};

/** The directory of a socket is private unless somebody else owns it (XDG_RUNTIME_DIR is private already). */
export const prepareSocketDirectory = (socket: string): void => {
  mkdirSync(dirname(socket), { recursive: true, mode: 0o700 });
};

/** `<jobs>/<harness>`; a project harness sits one directory deeper. */
export const jobsDirectory = (jobs: string, harness: string): string => join(jobs, ...harness.split('/'));
