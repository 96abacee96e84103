// Real store files for tests of the shell, and what it takes to fill them.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SafeEpisode } from '../../src/core/episode/episode.js';
import { renderEpisode } from '../../src/core/episode/render.js';
import { recordingLog } from '../../src/shell/daemon/log.js';
import { readWallClock } from '../../src/shell/daemon/wall-clock.js';
import { sha256Hex, type World } from '../../src/shell/daemon/world.js';
import { openStoreInProcess } from '../../src/shell/store/in-process.js';
import type { Store } from '../../src/shell/store/operations.js';
import { anEpisode } from './arbitraries.js';

export interface TestStore {
  readonly dir: string;
  readonly file: string;
  readonly store: Store;
  readonly close: () => Promise<void>;
}

export const openTestStore = (): TestStore => {
  const dir = mkdtempSync(join(tmpdir(), 'hrn-store-'));
  const file = join(dir, 'harness.db');
  const store = openStoreInProcess(file);
  return {
    dir,
    file,
    store,
    close: async () => {
      await store.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
};

export const testWorld = (now: () => number = Date.now): World & { readonly log: ReturnType<typeof recordingLog> } => {
  // Spawn ids find processes of the whole host: two worlds must not draw the same.
  const salt = randomUUID();
  let drawn = 0;
  return {
    now,
    wallClock: readWallClock,
    digest: sha256Hex,
    randomHex: (bytes) => {
      drawn += 1;
      return sha256Hex(`${salt} ${drawn}`).slice(0, bytes * 2);
    },
    uuid: () => '00000000-0000-4000-8000-000000000000',
    environment: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' },
    log: recordingLog(),
  };
};

/** An episode as the core would have made it safe. */
export const safeEpisode = (overrides: Parameters<typeof anEpisode>[0] = {}): SafeEpisode => anEpisode(overrides) as SafeEpisode;

/** Stores an episode as if a run with this id had just ended. */
export const storeEpisode = async (store: Store, episode: SafeEpisode, recordedAt: string, seq = 1): Promise<void> => {
  await store.write('recordEpisode', {
    episode,
    text: renderEpisode(episode),
    at: recordedAt,
    recorded_at: recordedAt,
    provider: 'builtin',
    deadline_at: '2099-01-01T00:00:00.000000000Z',
    seq,
  });
};
