// A daemon of the built binary in a directory of its own, for benchmarks.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface BenchDaemon {
  readonly dir: string;
  readonly store: string;
  readonly socket: string;
  readonly cli: string;
  readonly env: NodeJS.ProcessEnv;
  readonly configure: (toml: string) => void;
  /** Resolves when the socket answers; the milliseconds it took. */
  readonly start: () => Promise<number>;
  /** Resident memory in MB. */
  readonly memory: () => number;
  readonly dispose: () => Promise<void>;
}

export const makeBenchDaemon = (root: string): BenchDaemon => {
  const dir = mkdtempSync(join(tmpdir(), 'hrn-bench-'));
  const cli = join(root, 'dist', 'harness', 'harness.js');
  const socket = join(dir, 'h.sock');
  const config = join(dir, 'harness.toml');
  const env = {
    ...process.env,
    HOME: dir,
    XDG_STATE_HOME: join(dir, 'state'),
    XDG_RUNTIME_DIR: dir,
    HARNESS_SOCKET: socket,
    HARNESS_CONFIG: config,
  };
  mkdirSync(join(dir, 'state', 'harness'), { recursive: true, mode: 0o700 });
  writeFileSync(config, '');
  let daemon: ChildProcess | undefined;
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      if (daemon === undefined || daemon.exitCode !== null) return resolve();
      daemon.once('exit', () => resolve());
      daemon.kill('SIGTERM');
    });
  return {
    dir,
    store: join(dir, 'state', 'harness', 'harness.db'),
    socket,
    cli,
    env,
    configure: (toml) => writeFileSync(config, toml),
    start: async () => {
      await stop();
      const began = performance.now();
      const child = spawn(process.execPath, [cli, 'daemon'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      daemon = child;
      await new Promise<void>((resolve, reject) => {
        child.once('exit', (code) => reject(new Error(`the daemon exited with ${code}`)));
        child.stdout.on('data', (chunk: Buffer) => {
          if (chunk.toString().includes('daemon_started')) resolve();
        });
      });
      return performance.now() - began;
    },
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${daemon?.pid}/status`, 'latin1'))?.[1] ?? Number.NaN) / 1_024,
    dispose: async () => {
      await stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
};
