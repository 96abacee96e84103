// Names a repository: `<host>/<owner>/<name>` from its origin remote with credentials stripped, else a local key
// from its common git directory, so that repositories without a remote have memory too (SPEC-0027 REQ-1, REQ-4).
import type { Digest } from '../kernel/digest.js';

const HEX = 12;
/** First parts of keys that no remote gives. */
const RESERVED_HOSTS = new Set(['local', 'redacted']);
const SCHEMES = new Set(['https', 'http', 'ssh', 'git', 'git+ssh', 'ssh+git']);

/** The key of a remote URL, or undefined for local paths, `file:` and paths of fewer than two segments. */
export const repoKeyOfRemote = (remote: string): string | undefined => {
  const text = remote.trim();
  const url = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(.*)$/.exec(text);
  if (url) return keyOfUrl((url[1] ?? '').toLowerCase(), url[2] ?? '');
  const scp = /^(?:[^@/\s]+@)?(\[[0-9A-Fa-f:.]+\]|[^:@/\s]+):(?!\/\/)(.+)$/.exec(text);
  return scp ? joinKey(scp[1] ?? '', scp[2] ?? '') : undefined;
};

/** `local/<12 hex of the real path of the common git directory>/<directory name>`: stable, never synced. */
export const localRepoKey = (commonGitDir: string, directoryName: string, digest: Digest): string =>
  `local/${digest(commonGitDir).slice(0, HEX)}/${directoryName.replace(/\s+/g, '-')}`;

/** What replaces a key that the redactor would change, so that no secret-shaped name travels as a scope. */
export const redactedRepoKey = (key: string, digest: Digest): string => `redacted/${digest(key).slice(0, HEX)}/repo`;

/** What an operator may write for a repository: its key, or a remote that has one. Hosts are in lower case. */
export const readRepoKey = (text: string): string | undefined => {
  const fromRemote = repoKeyOfRemote(text);
  if (fromRemote !== undefined) return fromRemote;
  const [host = '', ...path] = text.split('/');
  return path.length < 2 || [host, ...path].some(isUnfit) ? undefined : [host.toLowerCase(), ...path].join('/');
};

const keyOfUrl = (scheme: string, rest: string): string | undefined => {
  const slash = rest.indexOf('/');
  if (slash < 0 || !SCHEMES.has(scheme)) return undefined;
  const host = rest.slice(0, slash).replace(/^.*@/, '').replace(/:\d*$/, '');
  const path = rest.slice(slash + 1);
  if (!HOST.test(host)) return undefined;
  return joinKey(host, scheme.startsWith('http') ? path.replace(/[?#].*$/, '') : path);
};

/** An authority whose password holds a bare slash would leave half of it as the host. */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[^:@[\]\s]+)$/;

const joinKey = (host: string, path: string): string | undefined => {
  const segments = path.split('/').filter((segment) => segment !== '');
  const last = segments.at(-1);
  if (host === '' || last === undefined || RESERVED_HOSTS.has(host.toLowerCase())) return undefined;
  segments[segments.length - 1] = last.replace(/\.git$/, '');
  return segments.length < 2 || segments.some(isUnfit) ? undefined : `${host.toLowerCase()}/${segments.join('/')}`;
};

const isUnfit = (segment: string): boolean =>
  segment === '' || segment === '.' || segment === '..' || /[\s\u0000-\u001f\u007f-\u009f]/.test(segment);
