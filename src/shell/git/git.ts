// Asks git about a working directory: local, read-only, without credentials, hooks or prompts (SPEC-0027 REQ-4).
import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { formatInstant } from '../../core/kernel/time.js';
import { repositoryKey } from '../../core/run/repository-key.js';
import type { GitSample } from '../../core/run/session.js';
import { cleanLine } from '../../core/untrusted/clean.js';
import type { World } from '../daemon/world.js';

const GIT_TIMEOUT_MS = 5_000;
const GIT_OUTPUT_BYTES = 1_024 * 1_024;
const BRANCH_BYTES = 256;

/** `unknown` means that git could not be asked: the directory may well stand in a repository. */
export type GitPlace =
  | { readonly kind: 'inside'; readonly sample: GitSample }
  | { readonly kind: 'outside' }
  | { readonly kind: 'unknown'; readonly why: string };

type GitWorld = Pick<World, 'now' | 'digest' | 'environment'>;

/** The repository, branch and commit a directory stands in. Bare repositories count: there is a git directory. */
export const sampleGit = async (cwd: string, world: GitWorld): Promise<GitPlace> => {
  const ask = (...args: readonly string[]): Promise<GitAnswer> => runGit(cwd, args, world.environment);
  const found = await ask('rev-parse', '--git-common-dir', '--is-inside-work-tree');
  if (found.kind === 'failed') return { kind: 'unknown', why: found.why };
  if (found.kind === 'refused') return found.outside ? { kind: 'outside' } : { kind: 'unknown', why: 'git refused to look' };
  const [commonDir = '', inWorktree] = found.text.split('\n');
  const common = resolve(cwd, commonDir);
  const place = inWorktree === 'true' ? await ask('rev-parse', '--show-toplevel', '--show-prefix') : undefined;
  const [worktree = common, prefix = ''] = place === undefined ? [] : (textOf(place)?.split('\n') ?? []);
  const [remote, branch, head, originHead] = await Promise.all([
    ask('config', '--get', 'remote.origin.url'),
    ask('symbolic-ref', '--quiet', '--short', 'HEAD'),
    ask('rev-parse', '--verify', '--quiet', 'HEAD'),
    ask('symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD'),
  ]);
  const real = await realpath(common).catch(() => common);
  const name = basename(real) === '.git' ? basename(dirname(real)) : basename(worktree);
  const sample: GitSample = {
    at: formatInstant(world.now()),
    cwd,
    worktree,
    prefix: prefix.replace(/\/$/, ''),
    ...repositoryKey(textOf(remote), real, name, world.digest),
    ...optional('branch', textOf(branch)),
    ...optional('head', textOf(head)),
    ...optional('origin_head', textOf(originHead)?.replace(/^origin\//, '')),
  };
  return { kind: 'inside', sample };
};

type GitAnswer =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'refused'; readonly outside: boolean }
  | { readonly kind: 'failed'; readonly why: string };

const textOf = (answer: GitAnswer): string | undefined => (answer.kind === 'said' && answer.text !== '' ? answer.text : undefined);

/** What git says of names is text from outside: one redacted line, bounded. */
const optional = (key: 'branch' | 'head' | 'origin_head', text: string | undefined): Partial<GitSample> =>
  text === undefined ? {} : { [key]: cleanLine(text, BRANCH_BYTES) };

const runGit = (cwd: string, args: readonly string[], environment: Readonly<Record<string, string>>): Promise<GitAnswer> =>
  new Promise((done) => {
    const env = { ...withoutGit(environment), GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
    const full = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'safe.directory=*', ...args];
    try {
      execFile('git', full, { cwd, env, timeout: GIT_TIMEOUT_MS, maxBuffer: GIT_OUTPUT_BYTES }, (error, stdout, stderr) => {
        if (error === null) done({ kind: 'said', text: stdout.replace(/\n$/, '') });
        else if (error.killed === true || typeof error.code !== 'number') done({ kind: 'failed', why: whyOf(error) });
        else done({ kind: 'refused', outside: /not a git repository/i.test(stderr) });
      });
    } catch {
      // A path that no process can be started in, such as one with a NUL, is told synchronously.
      done({ kind: 'failed', why: 'the directory has no usable path' });
    }
  });

const whyOf = (error: { readonly killed?: boolean | undefined; readonly code?: unknown }): string =>
  error.killed === true ? `no answer within ${GIT_TIMEOUT_MS} ms` : `git cannot be run here (${String(error.code)})`;

/** GIT_DIR and its kin of the daemon's own environment would answer for the wrong repository. */
const withoutGit = (environment: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('GIT_')));
