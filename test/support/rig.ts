// A daemon of the built binary in directories of its own, and the CLI to talk to it: what end-to-end tests stand on.
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Episode } from '../../src/core/episode/episode.js';
import type { RunRecord } from '../../src/core/run/record.js';
import { connectDaemon, type DaemonClient } from '../../src/shell/rpc/client.js';

const root = join(import.meta.dirname, '..', '..');
export const CLI = join(root, 'dist', 'harness', 'harness.js');
export const DEMO_AGENT = join(root, 'dist', 'harness', 'demo-agent.js');

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Rig {
  readonly dir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly store: string;
  readonly jobs: string;
  readonly socket: string;
  readonly configFile: string;
  readonly path: (...parts: readonly string[]) => string;
  readonly write: (name: string, text: string, mode?: number) => string;
  readonly configure: (toml: string) => void;
  /** Starts the daemon and waits until it answers; rejects with its output when it exits first. */
  readonly start: (env?: NodeJS.ProcessEnv) => Promise<ChildProcess>;
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
  readonly log: () => string;
  readonly daemonPid: () => number;
  readonly cli: (...args: readonly string[]) => Promise<CliResult>;
  /** The same with variables added; an undefined one is removed. */
  readonly cliWith: (extra: NodeJS.ProcessEnv, ...args: readonly string[]) => Promise<CliResult>;
  /** The daemon's own services, without the cost of a process for each call. */
  readonly daemon: () => DaemonClient;
  /** Triggers the harness and waits for the record of its end. */
  readonly run: (harness: string) => Promise<RunRecord>;
  readonly json: <A>(...args: readonly string[]) => Promise<A>;
  readonly repo: (name: string, options?: RepoOptions) => string;
  readonly runs: (harness?: string) => Promise<readonly RunRecord[]>;
  /** Waits until the store holds this many episodes. */
  readonly episodes: (count: number) => Promise<readonly (Episode & { readonly at: string; readonly recorded_at: string })[]>;
  readonly dispose: () => Promise<void>;
}

export interface RepoOptions {
  readonly remote?: string | undefined;
  readonly branch?: string;
  readonly files?: Readonly<Record<string, string>>;
}

export const makeRig = (): Rig => {
  const dir = mkdtempSync(join(tmpdir(), 'hrn-'));
  chmodSync(dir, 0o700);
  const state = join(dir, 'state');
  const socket = join(dir, 'h.sock');
  const configFile = join(dir, 'harness.toml');
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    HOME: join(dir, 'home'),
    XDG_STATE_HOME: state,
    XDG_RUNTIME_DIR: dir,
    XDG_CONFIG_HOME: join(dir, 'xdg-config'),
    HARNESS_SOCKET: socket,
    HARNESS_CONFIG: configFile,
    NO_COLOR: '1',
  };
  mkdirSync(join(dir, 'home'));
  let daemon: ChildProcess | undefined;
  let output = '';

  const cliWith: Rig['cliWith'] = (extra, ...args) =>
    new Promise((resolve) => {
      execFile(process.execPath, [CLI, ...args], { env: { ...env, ...extra }, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, stdout, stderr });
      });
    });
  const cli: Rig['cli'] = (...args) => cliWith({}, ...args);
  const client = (): DaemonClient => connectDaemon(socket, 'test');

  const run: Rig['run'] = async (harness) => {
    const { runId, decision, reason } = await client().control.trigger({ harness });
    if (decision !== 'started' || runId === undefined) throw new Error(`${harness}: ${decision} ${reason}`);
    return JSON.parse((await client().control.wait({ harness, runId })).recordJson) as RunRecord;
  };

  const json = async <A>(...args: readonly string[]): Promise<A> => {
    const result = await cli(...args, '--json');
    if (result.stdout === '') throw new Error(`harness ${args.join(' ')}: ${result.stderr}`);
    return JSON.parse(result.stdout) as A;
  };

  const start = async (extra: NodeJS.ProcessEnv = {}): Promise<ChildProcess> => {
    output = '';
    const child = spawn(process.execPath, [CLI, 'daemon'], { env: { ...env, ...extra }, stdio: ['ignore', 'pipe', 'pipe'] });
    daemon = child;
    const exited = new Promise<never>((_resolve, reject) =>
      child.once('exit', (code) => reject(new Error(`the daemon exited with ${code}: ${output}`))),
    );
    exited.catch(() => undefined);
    const started = new Promise<void>((resolve) => {
      const hear = (chunk: Buffer): void => {
        output += chunk.toString();
        if (output.includes('daemon_started')) resolve();
      };
      child.stdout.on('data', hear);
      child.stderr.on('data', hear);
    });
    await Promise.race([started, exited]);
    return child;
  };

  const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> =>
    new Promise((resolve) => {
      const child = daemon;
      daemon = undefined;
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return resolve();
      child.once('exit', () => resolve());
      child.kill(signal);
    });

  const write = (name: string, text: string, mode = 0o600): string => {
    const path = join(dir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode });
    return path;
  };

  return {
    dir,
    env,
    store: join(state, 'harness', 'harness.db'),
    jobs: join(state, 'harness', 'jobs'),
    socket,
    configFile,
    path: (...parts) => join(dir, ...parts),
    write,
    configure: (toml) => writeFileSync(configFile, toml),
    start,
    stop,
    log: () => output,
    daemonPid: () => daemon?.pid ?? 0,
    cli,
    cliWith,
    daemon: client,
    run,
    json,
    repo: (name, options) => makeRepo(join(dir, name), options),
    runs: async (harness) => (await json<{ runs: RunRecord[] }>('runs', ...(harness === undefined ? [] : [harness]))).runs,
    episodes: (count) =>
      until(async () => {
        const { episodes } = await client().memory.listEpisodes({ limit: 1_000 });
        if (episodes.length < count) return undefined;
        return episodes.map((row) => ({ ...(JSON.parse(row.episodeJson) as Episode), at: row.at, recorded_at: row.recordedAt }));
      }, `${count} episodes`),
    dispose: async () => {
      await stop('SIGKILL');
      rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
};

/** A repository with one commit; `remote: undefined` gives it none. */
export const makeRepo = (
  path: string,
  { remote = 'https://forge.example/acme/api.git', branch = 'main', files = { 'a.txt': 'a\n' } }: RepoOptions = {},
): string => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  git(path, 'init', '-q', '-b', branch);
  if (remote !== '') git(path, 'remote', 'add', 'origin', remote);
  git(path, 'add', '.');
  git(path, 'commit', '-q', '-m', 'first');
  return path;
};

export const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@forge.example', '-c', 'commit.gpgsign=false', ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

const POLL_MS = 50;
const POLLS = 400;

/** Asks until there is an answer. */
export const until = async <A>(ask: () => Promise<A | undefined> | A | undefined, what: string): Promise<A> => {
  for (let polls = 0; polls < POLLS; polls += 1) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`waited in vain for ${what}`);
};

/** The live children of a process. */
export const childrenOf = (pid: number): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isAlive(Number(name)))
    .filter((name) => {
      const stat = statOf(name);
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid;
    })
    .map(Number);

/** Empty for a process that has gone meanwhile. */
const statOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return '';
  }
};

/** True while a process lives (a zombie does not). */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
};
