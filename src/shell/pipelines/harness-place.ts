// Where a harness stands for its memory: the repository its current run recorded, else the one its workdir is in (SPEC-0030 REQ-9).
import type { HarnessConfig } from '../../core/config/config.js';
import { primarySession } from '../../core/run/primary-session.js';
import type { RunKey } from '../../core/run/record.js';
import type { World } from '../daemon/world.js';
import { sampleGit } from '../git/git.js';
import type { Store } from '../store/operations.js';

export interface HarnessPlace {
  readonly repo: string;
  /** As it is checked out now; a detached HEAD has none. */
  readonly branch?: string;
}

export const placeHarness = async (
  harness: HarnessConfig,
  current: RunKey | undefined,
  { store, world }: { readonly store: Store; readonly world: World },
): Promise<HarnessPlace | undefined> => {
  const workdir = harness.workdir ?? process.cwd();
  const session = current === undefined ? undefined : primarySession(await store.read('readSessions', current));
  const found = await sampleGit(session?.cwd ?? workdir, world);
  const here = found.kind === 'inside' ? found.sample : undefined;
  const repo = session?.repo ?? here?.repo;
  if (repo === undefined) return undefined;
  return { repo, ...(here?.branch === undefined || here.repo !== repo ? {} : { branch: here.branch }) };
};
