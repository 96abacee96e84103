// Places a path a client named inside its repository, lexically: joined, cleaned, `/`-separated, never outside (SPEC-0027 REQ-1, REQ-4).
import * as E from 'fp-ts/lib/Either.js';

export type PathDrop = 'outside_worktree' | 'git_dir';

/** Where a session stood: absolute roots, and cwd's own path inside the worktree ('' at the root). */
export interface PathPlace {
  /** As the client knows it; it may run through a symlink. */
  readonly cwd: string;
  /** As git knows it: symlinks resolved. */
  readonly worktree: string;
  readonly prefix: string;
}

/** The repository-relative path of a target, or why it has none. */
export const pathInRepo = (target: string, place: PathPlace): E.Either<PathDrop, string> => {
  if (target === '~' || target.startsWith('~/')) return E.left('outside_worktree');
  const path = target.startsWith('/') ? relativeToAny(target, place) : joinClean(place.prefix, target);
  if (path === undefined || path === '') return E.left('outside_worktree');
  return path.split('/').includes('.git') ? E.left('git_dir') : E.right(path);
};

/** Cleans a path an operator or agent asks for; undefined when it is absolute or escapes. */
export const cleanRepoPath = (path: string): string | undefined => {
  if (path.startsWith('/')) return undefined;
  const clean = joinClean('', path);
  return clean === '' ? undefined : clean;
};

const relativeToAny = (target: string, place: PathPlace): string | undefined => {
  const clean = `/${joinClean('', target.slice(1)) ?? ''}`;
  const under = (root: string): string | undefined => {
    const base = root === '/' ? '/' : `${root}/`;
    return clean.startsWith(base) ? clean.slice(base.length) : undefined;
  };
  const below = under(place.cwd);
  if (below !== undefined) return joinClean(place.prefix, below);
  const linkedRoot = withoutSuffix(place.cwd, place.prefix);
  const beside = linkedRoot === undefined ? undefined : under(linkedRoot);
  if (beside !== undefined) return beside;
  return under(place.worktree);
};

/** The root that a symlinked cwd implies: `/link/pkg` with prefix `pkg` stands in `/link`. */
const withoutSuffix = (cwd: string, prefix: string): string | undefined => {
  if (prefix === '') return undefined;
  return cwd.endsWith(`/${prefix}`) ? cwd.slice(0, -prefix.length - 1) : undefined;
};

const joinClean = (base: string, path: string): string | undefined => {
  const parts: string[] = [];
  for (const part of `${base}/${path}`.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
};
