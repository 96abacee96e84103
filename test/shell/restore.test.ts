// What a restore must not undo, and what it must not leave: seen on real files, crash leftovers included.
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { backUpStore, listBackups, newBackupName } from '../../src/shell/store/backup.js';
import { connect } from '../../src/shell/store/database.js';
import { openStoreInProcess } from '../../src/shell/store/in-process.js';
import { migrate } from '../../src/shell/store/migrate.js';
import { MIGRATIONS } from '../../src/shell/store/migrations/migrations.js';
import { backUpOffline, stageRestore } from '../../src/shell/store/offline.js';
import { backUpInBackground, openStore } from '../../src/shell/store/store.js';
import { safeEpisode, storeEpisode } from '../support/stores.js';

const WORKER = new URL('../../dist/harness/store-worker.js', import.meta.url);
const AT = '2026-09-28T02:14:07.000000000Z';
const CANARY = 'CANARY-4c1d-numbat';

let dir: string;
let file: string;
let copy: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hrn-restore-'));
  file = join(dir, 'harness.db');
  copy = join(dir, 'copy.db');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const line = (seq: number) => ({ v: 1, seq, type: 'decided', at: AT, harness: 'h', run_id: seq, outcome: 'skipped' }) as const;
const entry = (seq: number) => ({ line: line(seq), text: JSON.stringify(line(seq)) });

describe('what was forgotten', () => {
  test('is forgotten again, whatever the copy holds of it', async () => {
    const episode = safeEpisode({ episode_id: 'ep_1', result_excerpt: CANARY });
    const bound = { provider: 'builtin', episode_id: 'ep_1', ids: ['ep_1'], recorded_at: AT };
    const memory = {
      id: 'ep_1',
      scope: episode.scope,
      text: CANARY,
      digest: CANARY,
      body: CANARY,
      files: [],
      content_hash: 'h',
      recorded_at: AT,
    };
    const store = openStoreInProcess(file);
    await storeEpisode(store, episode, AT);
    await store.write('builtinRecord', memory);
    await store.write('bindProviderIds', bound);
    backUpOffline(file, { target: copy, force: false });
    await store.write('builtinForget', 'ep_1');
    await store.write('forgetEpisode', { episode_id: 'ep_1', at: AT, deadline_at: AT });
    await store.close();
    expect(readFileSync(copy, 'latin1')).toContain('numbat');

    expect(
      stageRestore(file, copy)
        .commit()
        .carried?.forgotten.map(({ episode_id }) => episode_id),
    ).toEqual(['ep_1']);
    expect(readFileSync(file, 'latin1').toLowerCase()).not.toContain('numbat');
    const restored = openStoreInProcess(file);
    expect(await restored.read('getEpisode', 'ep_1')).toBeUndefined();
    const search = { scopes: [episode.scope], match: '"numbat"', paths: [] };
    expect((await restored.read('builtinSearch', search)).rows).toEqual([]);
    await restored.close();
  });

  test('stays so when its run is recorded only after the restore', async () => {
    const store = openStoreInProcess(file);
    backUpOffline(file, { target: copy, force: false });
    await storeEpisode(store, safeEpisode({ episode_id: 'ep_2' }), AT);
    await store.write('bindProviderIds', { provider: 'zep', episode_id: 'ep_2', ids: ['z1'], recorded_at: AT });
    await store.write('forgetEpisode', { episode_id: 'ep_2', at: AT, deadline_at: AT });
    await store.close();
    stageRestore(file, copy).commit();
    const restored = openStoreInProcess(file);
    await storeEpisode(restored, safeEpisode({ episode_id: 'ep_2' }), AT);
    expect(await restored.read('listEpisodes', { limit: 5 })).toEqual([]);
    expect(await restored.write('readIndex', { provider: 'zep', ids: ['z1'] })).toMatchObject([{ forgotten: true }]);
    expect((await restored.read('memoryCounts', { provider: 'zep', since: AT })).pending_forgets).toBe(1);
    await restored.close();
  });
});

describe('the swap', () => {
  test('keeps what a crash left only in the log, and lets no log of the old store meet the new one', async () => {
    const store = openStoreInProcess(file);
    backUpOffline(file, { target: copy, force: false });
    await store.write('appendLines', [entry(1)]);
    const crashed = join(dir, 'crashed');
    for (const suffix of ['', '-wal']) copyFileSync(`${file}${suffix}`, `${crashed}${suffix}`);
    await store.close();
    for (const suffix of ['', '-wal']) copyFileSync(`${crashed}${suffix}`, `${file}${suffix}`);

    const { replaced = '' } = stageRestore(file, copy).commit();
    expect(readdirSync(dir).filter((name) => name.startsWith('harness.db'))).toEqual(['harness.db']);
    const before = connect(replaced, { readonly: true });
    expect(before.prepare('SELECT count(*) FROM ledger_line').pluck().get()).toBe(1);
    before.close();
    const after = connect(file, { readonly: true });
    expect(after.prepare('SELECT count(*) FROM ledger_line').pluck().get()).toBe(0);
    after.close();
  });

  test('takes a copy with its log, as a file manager would have made it', async () => {
    const store = openStoreInProcess(file);
    await store.write('appendLines', [entry(1), entry(2)]);
    for (const suffix of ['', '-wal']) copyFileSync(`${file}${suffix}`, `${copy}${suffix}`);
    await store.close();
    const before = readFileSync(copy);
    const staged = stageRestore(join(dir, 'other.db'), copy);
    expect(staged.runs).toBe(2);
    staged.commit();
    expect(readFileSync(copy).equals(before)).toBe(true);
  });

  test('brings an older copy to this version', () => {
    const old = connect(copy, { readonly: false });
    migrate(old, copy, MIGRATIONS.slice(0, 2));
    old.close();
    const staged = stageRestore(file, copy);
    expect(staged.version).toBe(2);
    staged.commit();
    const store = connect(file, { readonly: true });
    expect(store.prepare('SELECT max(version) FROM schema_migrations').pluck().get()).toBe(MIGRATIONS.at(-1)?.version);
    store.close();
    expect(listBackups(file)).toEqual([]);
  });

  test('that is not wanted leaves nothing', () => {
    openStoreInProcess(copy).close();
    stageRestore(file, copy).discard();
    expect(readdirSync(dir)).toEqual(['copy.db']);
  });
});

describe('a copy', () => {
  test('is made while facts are written, and holds a moment between two of them', async () => {
    const store = await openStore(file, WORKER);
    await store.write('appendLines', [entry(1)]);
    const copying = backUpInBackground(file, WORKER, { target: copy, force: false });
    let seq = 1;
    let done = false;
    void copying.finally(() => {
      done = true;
    });
    while (!done) {
      seq += 1;
      await store.write('appendLines', [entry(seq)]);
    }
    await copying;
    await store.close();
    const db = connect(copy, { readonly: true });
    const count = (table: string) => db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
    expect(count('ledger_line')).toBeGreaterThan(0);
    expect(count('ledger_line')).toBe(count('run'));
    expect(count('ledger_line')).toBeLessThanOrEqual(seq);
    db.close();
  });

  test('never takes the place of a file that is there', () => {
    const db = connect(file, { readonly: false });
    migrate(db, file);
    writeFileSync(copy, 'mine');
    expect(() => backUpStore(db, { target: copy, force: false })).toThrow(/is there already/);
    db.close();
    expect(readFileSync(copy, 'utf8')).toBe('mine');
  });

  test('by hand or of a replaced store does not count among those kept of migrations', () => {
    for (const kind of ['manual', 'replaced'] as const) writeFileSync(newBackupName(file, kind), '');
    for (let version = 1; version < 5; version += 1) {
      const db = connect(file, { readonly: false });
      migrate(db, file, MIGRATIONS.slice(0, version));
      db.close();
    }
    const kinds = listBackups(file).map((name) => /-(\w+)\.db$/.exec(name)?.[1]);
    expect(kinds).toEqual(['manual', 'replaced', 'v1', 'v2', 'v3']);
    const db = connect(file, { readonly: false });
    migrate(db, file, MIGRATIONS.slice(0, 5));
    db.close();
    expect(listBackups(file).map((name) => /-(\w+)\.db$/.exec(name)?.[1])).toEqual(['manual', 'replaced', 'v2', 'v3', 'v4']);
    expect(existsSync(file)).toBe(true);
  });
});
