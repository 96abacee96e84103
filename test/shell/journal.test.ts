// The ledger's journal on a real store: order, ids, recovery from a store that fails, and lossless replay.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { foldLines } from '../../src/core/run/fold.js';
import type { Store } from '../../src/shell/store/operations.js';
import { type FeedItem, openJournal } from '../../src/shell/supervise/journal.js';
import { openTestStore, type TestStore, testWorld } from '../support/stores.js';

let held: TestStore;
beforeEach(() => {
  held = openTestStore();
});
afterEach(() => held.close());

const open = async (store: Store = held.store, floors: Record<string, number> = {}) =>
  openJournal(store, await held.store.write('readLedgerState', undefined), floors, testWorld());

describe('the journal', () => {
  test('numbers lines without a gap, stores the fold beside them and publishes in order', async () => {
    const journal = await open();
    const heard: FeedItem[] = [];
    journal.subscribe((item) => heard.push(item));
    const key = { harness: 'h', run_id: journal.allocateRunId('h') };
    await journal.append('opened', key, { kind: 'oneshot', trigger: 'manual', started_at: '2026' });
    await journal.append('updated', key, { model_calls: 0, tokens: { input: 1, output: 2, cache_read: 0, cache_write: 0 } });
    await journal.append('closed', key, { outcome: 'success', exit_code: 0 });
    const { lines } = await held.store.read('readLinesAfter', { after: 0, limit: 10 });
    expect(lines.map((line) => [line.seq, line.type])).toEqual([
      [1, 'opened'],
      [2, 'updated'],
      [3, 'closed'],
    ]);
    expect(heard.map((item) => [item.seq, item.type, item.open])).toEqual([
      [1, 'opened', true],
      [3, 'closed', false],
    ]);
    const stored = await held.store.read('readRun', key);
    expect(stored?.record).toEqual(foldLines(lines));
    expect(stored?.record).toMatchObject({ exit_code: 0, model_calls: 0, kind: 'oneshot' });
    expect(await held.store.read('refoldRun', key)).toEqual(stored?.record);
  });

  test('never gives an id twice: not after a restart, not after pruning, not while files carry it', async () => {
    const first = await open();
    for (let i = 0; i < 3; i += 1)
      await first.append('decided', { harness: 'h', run_id: first.allocateRunId('h') }, { outcome: 'skipped', reason: 'overlap' });
    await held.store.write('pruneBatch', { ledger_before: '9999', trace_before: '9999', ledger_max_bytes: 1e9, trace_max_bytes: 1e9 });
    expect(await held.store.read('readRuns', { limit: 9 })).toEqual([]);
    const second = await open();
    expect(second.allocateRunId('h')).toBe(4);
    const third = await open(held.store, { h: 17 });
    expect(third.allocateRunId('h')).toBe(18);
    await third.append('decided', { harness: 'h', run_id: 18 }, { outcome: 'skipped' });
    const { lines } = await held.store.read('readLinesAfter', { after: 0, limit: 10 });
    expect(lines.map((line) => line.seq)).toEqual([4]);
  });

  test('keeps lines that the store refuses, tells callers at once, and writes them in order later', async () => {
    let broken = true;
    const flaky: Store = {
      ...held.store,
      write: (name, args) => (broken && name === 'appendLines' ? Promise.reject(new Error('disk full')) : held.store.write(name, args)),
    };
    const journal = await open(flaky);
    const heard: number[] = [];
    journal.subscribe((item) => heard.push(item.seq));
    expect(await journal.append('decided', { harness: 'h', run_id: 1 }, { outcome: 'skipped' })).toBe('late');
    expect(await journal.append('decided', { harness: 'h', run_id: 2 }, { outcome: 'skipped' })).toBe('late');
    expect(journal.health()).toMatchObject({ queued: 2, errors: 1 });
    expect(heard).toEqual([]);
    broken = false;
    await journal.drain(5_000);
    expect(journal.health().queued).toBe(0);
    expect(heard).toEqual([1, 2]);
    expect((await held.store.read('readLinesAfter', { after: 0, limit: 9 })).lines.map((line) => line.run_id)).toEqual([1, 2]);
  });

  test('refuses a line over 16 KiB and cuts strings over 256 bytes, counting both', async () => {
    const journal = await open();
    const key = { harness: 'h', run_id: 1 };
    const huge = Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`k${i}`, 'x'.repeat(256)]));
    expect(await journal.append('updated', key, { loadout: huge })).toBe('refused');
    expect(await journal.append('decided', key, { outcome: 'skipped', model: 'é'.repeat(200) })).toBe('stored');
    expect((await held.store.read('readRun', key))?.record.model).toBe('é'.repeat(128));
    expect(journal.health()).toMatchObject({ errors: 1, cut: 1 });
  });

  test('an appended line that is stored already is left alone', async () => {
    const journal = await open();
    const key = { harness: 'h', run_id: 1 };
    await journal.append('opened', key, { started_at: '2026' });
    const { lines } = await held.store.read('readLinesAfter', { after: 0, limit: 9 });
    const again = { ...lines[0], outcome: 'failed' } as never;
    await held.store.write('appendLines', [{ line: again, text: JSON.stringify(again) }]);
    expect((await held.store.read('readRun', key))?.record.outcome).toBeUndefined();
  });
});
