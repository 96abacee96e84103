// Which key a repository goes by, everywhere: its remote's, else a local one; and never one that the redactor would mask in some
// places and not in others (SPEC-0027 REQ-4).
import type { Digest } from '../kernel/digest.js';
import { redactOneLine } from '../untrusted/clean.js';
import { localRepoKey, redactedRepoKey, repoKeyOfRemote } from './repo-key.js';

export interface RepositoryKey {
  readonly repo: string;
  /** Named after its directory, since it has no usable remote. */
  readonly local: boolean;
}

/** `commonGitDir` is the real path of the common git directory, `name` the directory's own name. */
export const repositoryKey = (remote: string | undefined, commonGitDir: string, name: string, digest: Digest): RepositoryKey => {
  const fromRemote = remote === undefined ? undefined : repoKeyOfRemote(remote);
  const key = fromRemote ?? localRepoKey(commonGitDir, name, digest);
  return { repo: redactOneLine(key) === key ? key : redactedRepoKey(key, digest), local: fromRemote === undefined };
};
