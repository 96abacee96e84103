// Asks git about a working directory: local, read-only, without credentials, hooks or prompts (SPEC-0027 REQ-4).
import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { formatInstant } from '../../core/kernel/time.js';
import { localRepoKey, redactedRepoKey, repoKeyOfRemote } from '../../core/run/repo-key.js';
import type { GitSample } from '../../core/run/session.js';
import { redactOneLine } from '../../core/untrusted/clean.js';
import type { World } from '../daemon/world.js';

const GIT_TIMEOUT_MS = 5_000;
const GIT_OUTPUT_BYTES = 1_024 * 1_024;

/** The repository, branch and commit a directory stands in; undefined outside every repository or where git is missing. */
export const sampleGit = async (cwd: string, world: Pick<World, 'now' | 'digest' | 'environment'>): Promise<GitSample | undefined> => {
  const ask = (...args: readonly string[]): Promise<string | undefined> => runGit(cwd, args, world.environment);
  const place = await ask('rev-parse', '--show-toplevel', '--git-common-dir', '--show-prefix');
  if (place === undefined) return undefined;
  const [worktree, commonDir, prefix = ''] = place.split('\n');
  if (worktree === undefined || worktree === '' || commonDir === undefined) return undefined;
  const [remote, branch, head, originHead] = await Promise.all([
    ask('config', '--get', 'remote.origin.url'),
    ask('symbolic-ref', '--quiet', '--short', 'HEAD'),
    ask('rev-parse', '--verify', '--quiet', 'HEAD'),
    ask('symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD'),
  ]);
  const { repo, local } = await nameRepository(resolve(cwd, commonDir), worktree, remote, world);
  return {
    at: formatInstant(world.now()),
    cwd,
    worktree,
    prefix: prefix.replace(/\/$/, ''),
    repo,
    local,
    ...(branch === undefined ? {} : { branch }),
    ...(head === undefined ? {} : { head }),
    ...(originHead === undefined ? {} : { origin_head: originHead.replace(/^origin\//, '') }),
  };
};

const nameRepository = async (
  commonDir: string,
  worktree: string,
  remote: string | undefined,
  { digest }: Pick<World, 'digest'>,
): Promise<{ repo: string; local: boolean }> => {
  const real = await realpath(commonDir).catch(() => commonDir);
  const name = basename(real) === '.git' ? basename(dirname(real)) : basename(worktree);
  const fromRemote = remote === undefined ? undefined : repoKeyOfRemote(remote);
  const key = fromRemote ?? localRepoKey(real, name, digest);
  // A key that looks like a secret would be masked in some places and not in others: it is replaced everywhere.
  const repo = redactOneLine(key) === key ? key : redactedRepoKey(key, digest);
  return { repo, local: fromRemote === undefined };
};

const runGit = (cwd: string, args: readonly string[], environment: Readonly<Record<string, string>>): Promise<string | undefined> =>
  new Promise((done) => {
    const env = { ...withoutGit(environment), GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
    const full = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'safe.directory=*', ...args];
    execFile('git', full, { cwd, env, timeout: GIT_TIMEOUT_MS, maxBuffer: GIT_OUTPUT_BYTES }, (error, stdout) => {
      const text = stdout.replace(/\n$/, '');
      done(error === null && text !== '' ? text : undefined);
    });
  });

/** GIT_DIR and its kin of the daemon's own environment would answer for the wrong repository. */
const withoutGit = (environment: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('GIT_')));
