// Runs that a daemon closed and could not seal before it was killed: the next one records them without waiting for each, and a
// long backlog holds up no stop.
import { expect, onTestFinished, test } from 'vitest';
import { zeroCounters } from '../../src/shell/daemon/counters.js';
import { readEpisodeCursor, recordNewEpisodes } from '../../src/shell/pipelines/record-episode.js';
import { openBuiltinProvider } from '../../src/shell/provider/open-builtin.js';
import { openJournal } from '../../src/shell/supervise/journal.js';
import { openTestStore, testWorld } from '../support/stores.js';

const openBacklog = async () => {
  const held = openTestStore();
  let now = Date.UTC(2026, 8, 30);
  const world = testWorld(() => now);
  const journal = openJournal(held.store, await held.store.write('readLedgerState', undefined), {}, world);
  for (let index = 0; index < 20; index += 1) {
    const key = { harness: 'h', run_id: journal.allocateRunId('h') };
    await journal.append('opened', key, { kind: 'oneshot', trigger: 'manual', started_at: '2026' });
    await journal.append('closed', key, { outcome: 'success', exit_code: 0 });
  }
  now += 60_000;
  const provider = openBuiltinProvider({ store: held.store, world, version: '1', queryEmbedMs: 10 });
  onTestFinished(async () => {
    await provider.close();
    await held.close();
  });
  return { held, deps: { store: held.store, provider, world, counters: zeroCounters() } };
};

test('a backlog of closed runs without a seal is decided on a clock that stands still', async () => {
  const { held, deps } = await openBacklog();
  expect((await recordNewEpisodes(0, deps)).cursor).toBe(40);
  expect((await held.store.read('memoryCounts', { provider: 'builtin', since: '' })).skipped).toEqual({ no_process: 20 });
});

test('a daemon that stops leaves the rest of a backlog to the next one, which goes on where it stood', async () => {
  const { held, deps } = await openBacklog();
  const { cursor } = await recordNewEpisodes(0, deps, () => false);
  expect(cursor).toBe(2);
  expect(await readEpisodeCursor(deps)).toBe(2);
  expect((await recordNewEpisodes(await readEpisodeCursor(deps), deps)).cursor).toBe(40);
  expect((await held.store.read('memoryCounts', { provider: 'builtin', since: '' })).skipped).toEqual({ no_process: 20 });
});
