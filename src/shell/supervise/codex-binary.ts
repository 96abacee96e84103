// Codex as npm installs it is a script around a native binary. A signal to the script does not reach the binary, so the
// binary of the platform package beside it is executed instead.
import { existsSync, realpathSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { Environment } from '../../core/run/environment.js';

const TRIPLES: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
};

/** What to execute; a script is left when its platform's package is not beside it. */
export interface CodexExecutable {
  readonly path: string;
  readonly script: boolean;
}

export const codexBinary = (executable: string, env: Environment): CodexExecutable => {
  const found = executable.includes('/') ? executable : findOnPath(executable, env['PATH'] ?? '');
  if (found === undefined || !existsSync(found)) return { path: executable, script: false };
  const real = realpathSync(found);
  if (!/\/@openai\/codex\/bin\/[^/]+\.m?js$/.test(real)) return { path: executable, script: false };
  const name = `${platform()}-${arch()}`;
  const triple = TRIPLES[name];
  if (triple === undefined) return { path: executable, script: true };
  const packageRoot = dirname(dirname(real));
  const places = [join(packageRoot, '..', `codex-${name}`), join(packageRoot, 'node_modules', '@openai', `codex-${name}`), packageRoot];
  const binaries = places.flatMap((place) => [
    join(place, 'vendor', triple, 'bin', 'codex'),
    join(place, 'vendor', triple, 'codex', 'codex'),
  ]);
  const native = binaries.find((binary) => existsSync(binary));
  return native === undefined ? { path: executable, script: true } : { path: native, script: false };
};

const findOnPath = (name: string, path: string): string | undefined =>
  path
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find((candidate) => existsSync(candidate));
