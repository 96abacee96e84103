// Where a run stood: repository keys from remotes of every form, paths inside a repository, the session that decides.
import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, test } from 'vitest';
import { primarySession } from '../../src/core/run/primary-session.js';
import { localRepoKey, redactedRepoKey, repoKeyOfRemote } from '../../src/core/run/repo-key.js';
import { cleanRepoPath, pathInRepo } from '../../src/core/run/repo-path.js';
import type { SessionRow } from '../../src/core/run/session.js';
import { NO_TOKENS } from '../../src/core/run/usage.js';
import { sha256Hex } from '../../src/shell/daemon/world.js';
import { name, nastyText } from '../support/arbitraries.js';

describe('the key of a remote', () => {
  test.each([
    ['https://forge.example/acme/api.git', 'forge.example/acme/api'],
    ['https://forge.example/acme/api', 'forge.example/acme/api'],
    ['https://forge.example/acme/api/', 'forge.example/acme/api'],
    ['https://forge.example//acme//api.git/', 'forge.example/acme/api'],
    ['HTTPS://u:tok@Forge.Example:8443/Acme/api.git', 'forge.example/Acme/api'],
    ['http://forge.example:3000/acme/api', 'forge.example/acme/api'],
    ['https://tok@forge.example/acme/api', 'forge.example/acme/api'],
    ['https://user:p@ss:w0rd@forge.example/acme/api', 'forge.example/acme/api'],
    ['https://forge.example:/acme/api', 'forge.example/acme/api'],
    ['https://forge.example/acme/api.git?ref=main#readme', 'forge.example/acme/api'],
    ['https://forge.example/acme/api.git.git', 'forge.example/acme/api.git'],
    ['https://forge.example/group/sub/deep/api.git', 'forge.example/group/sub/deep/api'],
    ['ssh://git@forge.example:2222/acme/api.git', 'forge.example/acme/api'],
    ['ssh://forge.example/acme/api', 'forge.example/acme/api'],
    ['ssh://git@forge.example/~git/acme/api.git', 'forge.example/~git/acme/api'],
    ['ssh://git@forge.example/acme/c%23.git', 'forge.example/acme/c%23'],
    ['ssh://forge.example/acme/c#', 'forge.example/acme/c#'],
    ['git://forge.example/acme/api.git', 'forge.example/acme/api'],
    ['git+ssh://git@forge.example/acme/api.git', 'forge.example/acme/api'],
    ['git@forge.example:acme/api.git', 'forge.example/acme/api'],
    ['forge.example:acme/api', 'forge.example/acme/api'],
    ['git@forge.example:/srv/git/acme/api.git', 'forge.example/srv/git/acme/api'],
    ['git@forge.example:acme/c#.git', 'forge.example/acme/c#'],
    ['git@Forge.Example:Acme/API.git', 'forge.example/Acme/API'],
    ['git@forge.example:2222/acme/api', 'forge.example/2222/acme/api'],
    ['https://[2001:DB8::1]/acme/api.git', '[2001:db8::1]/acme/api'],
    ['ssh://git@[2001:db8::1]:2222/acme/api.git', '[2001:db8::1]/acme/api'],
    ['git@[::1]:acme/api.git', '[::1]/acme/api'],
    ['  https://forge.example/acme/api.git \n', 'forge.example/acme/api'],
  ])('%s is %s', (remote, key) => expect(repoKeyOfRemote(remote)).toBe(key));

  test.each([
    '',
    '/srv/git/acme/api.git',
    './acme/api',
    '../acme/api',
    '~/acme/api',
    'acme/api',
    './with:colon/api',
    'file:///srv/git/acme/api.git',
    'ftp://forge.example/acme/api',
    'https://forge.example',
    'https://forge.example/',
    'https://forge.example/api.git',
    'https://forge.example/acme/.git',
    'https://forge.example/acme/..',
    'https://forge.example/a b/api',
    'https:///acme/api',
    'git@forge.example:api.git',
    'C:\\repos\\api',
    // A password with a bare slash must not become a host and an owner.
    'https://user:pa/ss@forge.example/acme/api',
    // Keys that mark repositories without a remote, or with a secret in their name, come from nowhere else.
    'https://local/0123456789ab/api',
    'git@redacted:0123456789ab/repo',
  ])('of %j is none', (remote) => expect(repoKeyOfRemote(remote)).toBeUndefined());

  test('holds no credential, scheme or port, and does not depend on them', () => {
    const host = fc.constantFrom('forge.example', 'Git.Example', '[::1]');
    const login = fc.constantFrom('', 'git@', 'u:hunter2@', 'hunter2@');
    const scheme = fc.constantFrom('https', 'ssh', 'git', 'HTTP');
    fc.assert(
      fc.property(scheme, login, host, fc.constantFrom('', ':22', ':8443'), name, name, (protocol, who, at, port, owner, repo) => {
        fc.pre(!repo.endsWith('.git'));
        const key = repoKeyOfRemote(`${protocol}://${who}${at}${port}/${owner}/${repo}.git`);
        expect(key).toBe(`${at.toLowerCase()}/${owner}/${repo}`);
        expect(repoKeyOfRemote(`git@${at}:${owner}/${repo}`)).toBe(key);
      }),
    );
  });

  test('of any text is none or one line of a host and at least two plain segments', () => {
    const remote = fc.oneof(
      nastyText,
      fc.tuple(fc.constantFrom('https://', 'ssh://', 'git@', ''), nastyText, nastyText).map(([a, b, c]) => `${a}${b}:/${c}`),
    );
    fc.assert(
      fc.property(remote, (text) => {
        const key = repoKeyOfRemote(text);
        if (key === undefined) return;
        expect(key).not.toMatch(/[\s\u0000-\u001f\u007f-\u009f]/);
        const [, ...segments] = key.split('/');
        expect(segments.length).toBeGreaterThanOrEqual(2);
        for (const segment of segments) expect(['', '.', '..']).not.toContain(segment);
      }),
    );
  });

  test('of a repository without a remote is local, of one line, and its own', () => {
    const key = localRepoKey('/home/me/my repo/.git', 'my repo', sha256Hex);
    expect(key).toMatch(/^local\/[0-9a-f]{12}\/my-repo$/);
    expect(key.startsWith('local/')).toBe(true);
    expect(localRepoKey('/home/me/other/.git', 'my repo', sha256Hex)).not.toBe(key);
    expect(redactedRepoKey('forge.example/acme/ghp_x', sha256Hex)).toMatch(/^redacted\/[0-9a-f]{12}\/repo$/);
  });
});

describe('a path in a repository', () => {
  const root = { cwd: '/wt', worktree: '/wt', prefix: '' };
  const below = { cwd: '/wt/pkg', worktree: '/wt', prefix: 'pkg' };
  const linked = { cwd: '/link', worktree: '/wt', prefix: '' };
  const linkedBelow = { cwd: '/link/pkg', worktree: '/wt', prefix: 'pkg' };
  const linkedInto = { cwd: '/short', worktree: '/wt', prefix: 'pkg/deep' };

  test.each([
    ['a.go', root, 'a.go'],
    ['./src//b/../a.go', root, 'src/a.go'],
    ['/wt/src/a.go', root, 'src/a.go'],
    ['a.go', below, 'pkg/a.go'],
    ['../a.go', below, 'a.go'],
    ['/wt/a.go', below, 'a.go'],
    ['/wt/pkg/../other/a.go', below, 'other/a.go'],
    ['/link/a.go', linked, 'a.go'],
    ['/wt/a.go', linked, 'a.go'],
    ['/link/pkg/a.go', linkedBelow, 'pkg/a.go'],
    ['/link/a.go', linkedBelow, 'a.go'],
    ['/wt/pkg/a.go', linkedBelow, 'pkg/a.go'],
    ['/short/a.go', linkedInto, 'pkg/deep/a.go'],
    ['/wt/pkg/a.go', linkedInto, 'pkg/a.go'],
    ['.github/workflows/ci.yml', root, '.github/workflows/ci.yml'],
    ['.gitignore', root, '.gitignore'],
    ['a.git/b', root, 'a.git/b'],
    ['/a.go', { cwd: '/', worktree: '/', prefix: '' }, 'a.go'],
  ])('%s from %j is %s', (target, place, path) => expect(pathInRepo(target, place)).toEqual(E.right(path)));

  test.each([
    ['../x', root, 'outside_worktree'],
    ['~/x', root, 'outside_worktree'],
    ['~', root, 'outside_worktree'],
    ['../../x', below, 'outside_worktree'],
    ['/etc/passwd', root, 'outside_worktree'],
    ['/wt2/a.go', root, 'outside_worktree'],
    ['/wt/../etc/passwd', root, 'outside_worktree'],
    ['/../../wt', root, 'outside_worktree'],
    ['.', root, 'outside_worktree'],
    ['', root, 'outside_worktree'],
    ['/wt', root, 'outside_worktree'],
    ['/shortcut/a.go', linkedInto, 'outside_worktree'],
    ['.git/config', root, 'git_dir'],
    ['.git', root, 'git_dir'],
    ['../.git/hooks/pre-commit', below, 'git_dir'],
    ['vendor/lib/.git/config', root, 'git_dir'],
    ['/wt/.git/config', below, 'git_dir'],
  ])('%s from %j is dropped as %3$s', (target, place, reason) => expect(pathInRepo(target, place)).toEqual(E.left(reason)));

  test('never starts with / or .., has no empty or dot part, and lies in no .git', () => {
    const piece = fc.oneof(fc.constantFrom('..', '.', '', '.git', 'wt', 'pkg', 'link', 'a'), nastyText);
    const target = fc
      .tuple(fc.constantFrom('', '/', '/wt/', '/link/'), fc.array(piece, { maxLength: 6 }))
      .map(([at, all]) => at + all.join('/'));
    fc.assert(
      fc.property(target, fc.constantFrom(root, below, linked, linkedBelow, linkedInto), (path, place) => {
        const placed = pathInRepo(path, place);
        if (E.isLeft(placed)) return;
        for (const part of placed.right.split('/')) expect(['', '.', '..', '.git']).not.toContain(part);
      }),
    );
  });

  test.each([
    ['src/./a.ts', 'src/a.ts'],
    ['src/../a.ts', 'a.ts'],
    ['a//b', 'a/b'],
    ['../a', undefined],
    ['a/../../b', undefined],
    ['/a', undefined],
    ['.', undefined],
    ['', undefined],
  ])('asked for as %j is %j', (path, clean) => expect(cleanRepoPath(path)).toBe(clean));
});

describe('the primary session', () => {
  const session = (session_id: string, started_at: string, more: Partial<SessionRow> = {}): SessionRow => ({
    harness: 'h',
    run_id: 1,
    session_id,
    adapter: 'a',
    source: 'stream',
    started_at,
    models: [],
    tokens: NO_TOKENS,
    model_calls: 0,
    cost_source: 'unknown',
    trace_id: 't',
    events_complete: true,
    ...more,
  });
  const repo = { repo: 'forge.example/acme/api' };
  const child = { parent_session: 'x' };

  const cases: readonly (readonly [string, readonly SessionRow[], string | undefined])[] = [
    ['the first by start', [session('b', '2'), session('a', '3', repo), session('c', '1', repo)], 'c'],
    ['the first by id among equal starts', [session('b', '1', repo), session('a', '1', repo)], 'a'],
    ['never a subagent while its parent has a repository', [session('s', '0', { ...repo, ...child }), session('m', '1', repo)], 'm'],
    ['the first with a repository when the first has none', [session('m', '0'), session('n', '2', repo), session('o', '1', repo)], 'o'],
    [
      'an own session in a repository before an earlier subagent in one',
      [session('m', '0'), session('s', '1', { ...repo, ...child }), session('n', '2', repo)],
      'n',
    ],
    ['a subagent in a repository when no own session is in one', [session('m', '0'), session('s', '1', { ...repo, ...child })], 's'],
    ['the first own session when nobody is in a repository', [session('s', '0', child), session('m', '1'), session('n', '2')], 'm'],
    ['one without a start last', [session('u', '', repo), session('m', '2026', repo)], 'm'],
    ['none without sessions', [], undefined],
  ];

  test.each(cases)('is %s', (_rule, sessions, id) => {
    expect(primarySession(sessions)?.session_id).toBe(id);
    expect(primarySession([...sessions].reverse())?.session_id).toBe(id);
  });

  test('is the first that is no subagent’s, in whatever order the rows come', () => {
    const row = fc
      .tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2', '3'), fc.boolean())
      .map(([id, at, isChild]) => session(id, at, { ...repo, ...(isChild ? child : {}) }));
    const rows = fc.uniqueArray(row, { selector: (each) => each.session_id, minLength: 1 });
    fc.assert(
      fc.property(rows, fc.nat(), (all, turn) => {
        const chosen = primarySession(all);
        const turned = [...all.slice(turn % all.length), ...all.slice(0, turn % all.length)];
        expect(primarySession(turned)?.session_id).toBe(chosen?.session_id);
        const own = all.filter((each) => each.parent_session === undefined);
        if (own.length > 0) expect(chosen?.parent_session).toBeUndefined();
        for (const other of own) expect((chosen?.started_at ?? '') <= other.started_at).toBe(true);
      }),
    );
  });
});
