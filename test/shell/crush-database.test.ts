// Crush's database beside its client: read in every state the client leaves it in, and changed in none.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CrushAnswer, type CrushCursor, readCrush } from '../../src/shell/store/crush-database.js';
import { type CrushWriter, crushWriter } from '../support/crush-writer.mjs';

const START = { at: 0, rowid: 0 };
const unused = new Sqlite(':memory:');

let directory: string;
let writer: CrushWriter;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'hrn-crush-'));
  writer = crushWriter(directory);
});
afterEach(() => {
  writer.close();
  rmSync(directory, { recursive: true });
});

const file = (): string => join(directory, '.crush', 'crush.db');
const read = (from: CrushCursor = START): CrushAnswer => readCrush(unused, { file: file(), from });
const rolesOf = (answer: CrushAnswer): readonly unknown[] =>
  answer.kind === 'rows' ? answer.messages.map((row) => row['role']) : [answer.kind];

/** All that is in the directory, but for the index that readers mark. */
const contents = (): readonly (readonly [string, string])[] =>
  readdirSync(join(directory, '.crush'))
    .sort()
    .map((name) => [name, name.endsWith('-shm') ? '' : readFileSync(join(directory, '.crush', name)).toString('base64')]);

const work = (): void => {
  writer.begin('s1');
  writer.rows('user', 'hi');
  writer.rows('edit', 'a.txt');
};

describe('the database', () => {
  test.each([
    ['beside its client', (): void => undefined],
    ['after its client has ended', (): void => writer.close()],
    ['in rollback mode', (): void => void writer.db.pragma('journal_mode = DELETE')],
  ] as const)('%s is read whole, and stays as it was', (_when, leave) => {
    work();
    leave();
    const before = contents();
    const answer = read();
    expect(rolesOf(answer)).toEqual(['user', 'assistant', 'tool']);
    expect(answer).toMatchObject({ kind: 'rows', sessions: [{ id: 's1' }], files: [{ version: 0 }, { version: 1 }], more: false });
    expect(contents()).toEqual(before);
  });

  test('during a write shows what was there before it, and the write goes on', () => {
    work();
    writer.db.exec('BEGIN IMMEDIATE');
    writer.rows('user', 'more');
    expect(rolesOf(read())).toHaveLength(3);
    writer.db.exec('COMMIT');
    expect(rolesOf(read())).toHaveLength(4);
  });

  test('during a write in rollback mode is busy, and holds no lock its client would wait for', () => {
    writer.db.pragma('journal_mode = DELETE');
    writer.db.pragma('busy_timeout = 0');
    work();
    writer.db.exec('BEGIN EXCLUSIVE');
    writer.rows('user', 'more');
    expect(read()).toEqual({ kind: 'busy' });
    writer.db.exec('COMMIT');
    expect(rolesOf(read())).toHaveLength(4);
  });

  test('that a crash left half written is left to its client', () => {
    work();
    writer.close();
    writeFileSync(`${file()}-wal`, 'half a log');
    expect(read()).toEqual({ kind: 'busy' });
  });

  test('of an early version of the client lacks columns, and is read all the same', () => {
    work();
    writer.db.exec('ALTER TABLE messages DROP COLUMN provider; ALTER TABLE messages DROP COLUMN is_summary_message');
    expect(rolesOf(read())).toHaveLength(3);
  });

  test('with many messages is read in turns, each message once', () => {
    writer.begin('s1');
    const add = writer.db.prepare(
      "INSERT INTO messages (id, session_id, role, parts, created_at, updated_at) VALUES (?, 's1', 'user', '[]', ?, ?)",
    );
    for (let id = 0; id < 1_200; id += 1) add.run(String(id), Math.floor(id / 3), Math.floor(id / 3));
    const seen: unknown[] = [];
    let turns = 0;
    let from: CrushCursor = START;
    for (let more = true; more; turns += 1) {
      const answer: CrushAnswer = read(from);
      if (answer.kind !== 'rows') throw new Error(answer.kind);
      seen.push(...answer.messages.map((row) => row['id']));
      more = answer.more;
      from = answer.cursor;
    }
    expect(turns).toBe(3);
    expect(seen).toEqual(Array.from({ length: 1_200 }, (_, id) => String(id)));
  });

  test('gives no parts of a message that are too long, or no JSON', () => {
    writer.begin('s1');
    const add = writer.db.prepare(
      "INSERT INTO messages (id, session_id, role, parts, created_at, updated_at) VALUES (?, 's1', 'user', ?, 1, 1)",
    );
    add.run('long', `[${' '.repeat(17 * 1_024 * 1_024)}]`);
    add.run('broken', '[{');
    add.run('bytes', Buffer.from('[]'));
    const answer = read();
    expect(answer.kind === 'rows' ? answer.messages.map((row) => row['parts']) : []).toEqual([undefined, undefined, []]);
  });

  test('that is none is told apart from one that is not there', () => {
    writer.close();
    const at = (name: string): CrushAnswer => readCrush(unused, { file: join(directory, name), from: START });
    writeFileSync(join(directory, 'text'), 'not a database, but longer than a hundred bytes '.repeat(5));
    writeFileSync(join(directory, 'empty'), '');
    mkdirSync(join(directory, 'directory'));
    const other = new Sqlite(join(directory, 'other'));
    other.exec('CREATE TABLE sessions (id)');
    other.close();
    expect(['absent', 'text', 'empty', 'directory', 'other'].map((name) => at(name).kind)).toEqual([
      'absent',
      'unreadable',
      'unreadable',
      'unreadable',
      'unreadable',
    ]);
  });
});
