// What the other scripts share: run a command with its output shown, make sure that the dependencies are there.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Runs a command in the project's root and exits with its code when it fails. */
export const run = (command, args, options = {}) => {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (error) {
    process.stderr.write(`${command}: ${error.message}\n`);
    process.exit(1);
  }
  if (status !== 0) process.exit(status ?? 1);
};

/** Native packages are compiled when no prebuilt binary is at hand: node's own headers serve where they are installed. */
const headers = () => {
  const prefix = dirname(dirname(process.execPath));
  return existsSync(join(prefix, 'include', 'node', 'node.h')) ? { npm_config_nodedir: prefix } : {};
};

/** `npm ci`, unless what is installed is newer than the lockfile. */
export const ensureInstalled = (folder = root) => {
  const stamp = join(folder, 'node_modules', '.package-lock.json');
  if (existsSync(stamp) && statSync(stamp).mtimeMs >= statSync(join(folder, 'package-lock.json')).mtimeMs) return;
  run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, env: { ...process.env, ...headers() } });
};

export const bin = (name) => join(root, 'node_modules', '.bin', name);

/** Type-checks and bundles. */
export const build = () => {
  run(bin('tsc'), ['-b']);
  run(process.execPath, ['scripts/bundle.mjs']);
};

/** Vitest's reporters: the default one, and a JSON file where HARNESS_TEST_REPORT names it. */
export const reporters = () => {
  const file = process.env.HARNESS_TEST_REPORT;
  return file ? ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`] : [];
};
