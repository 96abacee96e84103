// The store on real files: what it refuses, what it keeps, what it forgets.
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { connect } from '../../src/shell/store/database.js';
import { appendLines } from '../../src/shell/store/ledger-table.js';
import { migrate } from '../../src/shell/store/migrate.js';
import { MIGRATIONS } from '../../src/shell/store/migrations/migrations.js';
import { openForReading, openForWriting } from '../../src/shell/store/open-database.js';
import { readRunsOffline } from '../../src/shell/store/read-only.js';
import { openStore } from '../../src/shell/store/store.js';
import { StoreError } from '../../src/shell/store/store-error.js';
import { openTestStore, safeEpisode, storeEpisode } from '../support/stores.js';

const folders: string[] = [];
const folder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'hrn-db-'));
  folders.push(dir);
  return dir;
};
afterEach(() => {
  for (const dir of folders.splice(0)) rmSync(dir, { recursive: true, force: true });
});

const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'none';
  } catch (error) {
    return error instanceof StoreError ? error.code : String(error);
  }
};

describe('opening', () => {
  test('makes a private file in WAL mode with synchronous commits and secure deletion', () => {
    const file = join(folder(), 'state', 'harness.db');
    const db = openForWriting(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(
      ['journal_mode', 'synchronous', 'secure_delete', 'foreign_keys', 'auto_vacuum'].map((name) => db.pragma(name, { simple: true })),
    ).toEqual(['wal', 2, 1, 1, 2]);
    db.close();
  });

  test('refuses a newer store and leaves its bytes alone', () => {
    const file = join(folder(), 'harness.db');
    const db = openForWriting(file);
    db.prepare('INSERT INTO schema_migrations VALUES (999, ?)').run('x');
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
    const before = readFileSync(file);
    expect(codeOf(() => openForWriting(file))).toBe('store_newer');
    expect(codeOf(() => openForReading(file))).toBe('store_newer');
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('refuses a damaged file, names the newest backup and never replaces it', () => {
    const dir = folder();
    const file = join(dir, 'harness.db');
    writeFileSync(file, 'this is no database, but it is longer than a header would be'.repeat(20));
    const backups = join(dir, 'backups');
    mkdirSync(backups);
    writeFileSync(join(backups, 'harness-20260101T000000000Z-v3.db'), '');
    const before = readFileSync(file);
    expect(() => openForWriting(file)).toThrow(/damaged.*harness-20260101T000000000Z-v3\.db/);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('refuses a file whose pages are damaged', () => {
    const file = join(folder(), 'harness.db');
    const db = openForWriting(file);
    for (let i = 0; i < 200; i += 1) db.prepare('INSERT INTO counter VALUES (?, ?)').run(`row ${i} ${'x'.repeat(100)}`, i);
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
    const bytes = readFileSync(file);
    bytes.fill(0x5a, bytes.length - 6 * 4_096, bytes.length - 4_096);
    writeFileSync(file, bytes);
    expect(codeOf(() => openForWriting(file))).toBe('store_damaged');
  });

  test('backs an older store up before it migrates, and keeps three backups', () => {
    const dir = folder();
    const file = join(dir, 'harness.db');
    const old = connect(file, { readonly: false });
    migrate(old, file, MIGRATIONS.slice(0, 2));
    old.close();
    for (const stamp of ['20260101T000000000Z', '20260102T000000000Z', '20260103T000000000Z']) {
      mkdirSync(join(dir, 'backups'), { recursive: true });
      copyFileSync(file, join(dir, 'backups', `harness-${stamp}-v1.db`));
    }
    openForWriting(file).close();
    const backups = readdirSync(join(dir, 'backups')).sort();
    expect(backups).toHaveLength(3);
    expect(backups[2]).toMatch(/-v2\.db$/);
    expect(backups).not.toContain('harness-20260101T000000000Z-v1.db');
  });

  test('says which migration failed, and where the backup is', () => {
    const file = join(folder(), 'harness.db');
    const db = connect(file, { readonly: false });
    migrate(db, file, MIGRATIONS.slice(0, 1));
    const broken = [...MIGRATIONS.slice(0, 1), { version: 2, name: '0002-broken', sql: 'CREATE TABLE a (x); CREATE TABLE a (x);' }];
    expect(() => migrate(db, file, broken)).toThrow(/0002-broken failed at version 1.*backups/);
    expect(db.prepare("SELECT count(*) FROM sqlite_master WHERE name = 'a'").pluck().get()).toBe(0);
    db.close();
  });
});

describe('reading with the daemon down', () => {
  test('changes nothing: no byte, no file beside it, even where nothing may be written', async () => {
    const dir = folder();
    const file = join(dir, 'harness.db');
    const db = openForWriting(file);
    const line = { v: 1, seq: 1, type: 'decided', at: '2026', harness: 'h', run_id: 1, outcome: 'skipped' } as const;
    appendLines(db, [{ line, text: JSON.stringify(line) }]);
    db.close();
    const before = readFileSync(file);
    chmodSync(dir, 0o500);
    expect(readRunsOffline(file, { limit: 5 }).map((row) => row.record.run_id)).toEqual([1]);
    chmodSync(dir, 0o700);
    expect(readdirSync(dir)).toEqual(['harness.db']);
    expect(readFileSync(file).equals(before)).toBe(true);
    writeFileSync(file, 'garbage'.repeat(1_000));
    expect(codeOf(() => readRunsOffline(file, { limit: 5 }))).toBe('store_damaged');
    expect(codeOf(() => readRunsOffline(join(dir, 'none.db'), { limit: 5 }))).toBe('store_unopenable');
  });
});

describe('the worker threads', () => {
  test('answer writes and reads, and reject with the code of what went wrong', async () => {
    const worker = new URL('../../dist/harness/store-worker.js', import.meta.url);
    const file = join(folder(), 'harness.db');
    const store = await openStore(file, worker);
    await storeEpisode(store, safeEpisode(), '2026-09-28T02:14:07.000000000Z');
    expect(await store.read('listEpisodes', { limit: 5 })).toHaveLength(1);
    await store.close();
    await expect(store.read('listEpisodes', { limit: 5 })).rejects.toMatchObject({ code: 'store_closed' });
    writeFileSync(file, 'garbage'.repeat(100));
    await expect(openStore(file, worker)).rejects.toMatchObject({ code: 'store_damaged' });
  });
});

describe('forgetting', () => {
  test('leaves no byte of the text in database, log or free pages', async () => {
    const { store, file, dir, close } = openTestStore();
    const canary = 'CANARY-7f3a-quokka';
    const episode = safeEpisode({ result_excerpt: `${canary} was here` });
    await storeEpisode(store, episode, '2026-09-28T02:14:07.000000000Z');
    await store.write('writeTrace', {
      sessions: [],
      events: [],
      samples: [],
      results: [{ harness: episode.harness, run_id: episode.run_id, session_id: 's', subtype: 'success', is_error: false, text: canary }],
    });
    await store.write('builtinRecord', {
      id: episode.episode_id,
      scope: episode.scope,
      text: canary,
      digest: canary,
      body: canary,
      files: [],
      content_hash: 'h',
      recorded_at: '2026-09-28T02:14:07.000000000Z',
      vector: { model_id: 'm', values: Float32Array.from([1, 0, 0]) },
    });
    await store.write('bindProviderIds', {
      provider: 'builtin',
      episode_id: episode.episode_id,
      ids: [episode.episode_id],
      recorded_at: '2026',
    });
    const held = (): string[] =>
      readdirSync(dir).filter((name) => readFileSync(join(dir, name), 'latin1').toLowerCase().includes(canary.toLowerCase()));
    expect(held().length).toBeGreaterThan(0);
    await store.write('builtinForget', episode.episode_id);
    const forgotten = await store.write('forgetEpisode', { episode_id: episode.episode_id, at: '2026-09-29', deadline_at: '2026-09-30' });
    expect(forgotten).toEqual({ found: true, ids: [{ provider: 'builtin', provider_id: episode.episode_id }] });
    expect(held()).toEqual([]);
    expect(readFileSync(file, 'latin1').toLowerCase()).not.toContain('quokka');
    expect(await store.read('getEpisode', episode.episode_id)).toBeUndefined();
    const [entry] = await store.read('readIndex', { provider: 'builtin', ids: [episode.episode_id] });
    expect(entry).toMatchObject({ forgotten: true });
    await close();
  });
});

describe('provider ids', () => {
  test('keep the scope of their first binding; a second scope makes them unservable', async () => {
    const { store, close } = openTestStore();
    const one = safeEpisode({ episode_id: 'ep_1' });
    const two = safeEpisode({ episode_id: 'ep_2', scope: 'project:forge.example/acme/billing', repo: 'forge.example/acme/billing' });
    const same = safeEpisode({ episode_id: 'ep_3' });
    for (const episode of [one, two, same]) await storeEpisode(store, episode, '2026');
    const bind = (episode_id: string, id: string) =>
      store.write('bindProviderIds', { provider: 'zep', episode_id, ids: [id], recorded_at: '2026' });
    expect((await bind('ep_1', 'm1')).conflicts).toEqual([]);
    expect((await bind('ep_3', 'm1')).conflicts).toEqual([]);
    expect((await store.read('readIndex', { provider: 'zep', ids: ['m1'] }))[0]).toMatchObject({ episode_id: 'ep_1', conflict: false });
    expect((await bind('ep_2', 'm1')).conflicts).toEqual([{ provider_id: 'm1', first_episode_id: 'ep_1' }]);
    expect((await store.read('readIndex', { provider: 'zep', ids: ['m1'] }))[0]).toMatchObject({ scope: one.scope, conflict: true });
    const forgotten = await store.write('forgetEpisode', { episode_id: 'ep_3', at: '2026', deadline_at: '2026' });
    expect(forgotten.ids).toEqual([{ provider: 'zep', provider_id: 'm1' }]);
    expect((await store.read('readIndex', { provider: 'zep', ids: ['m1'] }))[0]).toMatchObject({ forgotten: true });
    await close();
  });
});
