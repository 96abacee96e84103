// A database as crush keeps one: tables, columns and triggers of the client's published migrations, and rows as it writes them.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';

const TIMES = 'created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL';

const SCHEMA = `
CREATE TABLE IF NOT EXISTS sessions (
  id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL,
  message_count INTEGER NOT NULL DEFAULT 0 CHECK (message_count >= 0),
  prompt_tokens INTEGER NOT NULL DEFAULT 0 CHECK (prompt_tokens >= 0),
  completion_tokens INTEGER NOT NULL DEFAULT 0 CHECK (completion_tokens >= 0),
  cost REAL NOT NULL DEFAULT 0.0 CHECK (cost >= 0.0), ${TIMES}, summary_message_id TEXT, todos TEXT
);
CREATE TABLE IF NOT EXISTS files (
  id TEXT PRIMARY KEY, session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  path TEXT NOT NULL, content TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 0, ${TIMES},
  UNIQUE (path, session_id, version)
);
CREATE TABLE IF NOT EXISTS messages (
  id TEXT PRIMARY KEY, session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  role TEXT NOT NULL, parts TEXT NOT NULL DEFAULT '[]', model TEXT, ${TIMES}, finished_at INTEGER,
  provider TEXT, is_summary_message INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS idx_messages_session_id ON messages (session_id);
${['sessions', 'messages', 'files']
  .map(
    (table) => `CREATE TRIGGER IF NOT EXISTS update_${table}_updated_at AFTER UPDATE ON ${table}
      BEGIN UPDATE ${table} SET updated_at = strftime('%s', 'now') WHERE id = new.id; END;`,
  )
  .join('\n')}
CREATE TRIGGER IF NOT EXISTS update_session_message_count_on_insert AFTER INSERT ON messages
  BEGIN UPDATE sessions SET message_count = message_count + 1 WHERE id = new.session_id; END;
`;

/** Writes below the directory; the connection stays open, as the client's does. */
export const crushWriter = (directory) => {
  mkdirSync(join(directory, '.crush'), { recursive: true });
  const db = new Sqlite(join(directory, '.crush', 'crush.db'), { timeout: 30_000 });
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.exec(SCHEMA);
  const seconds = (ago = 0) => Math.floor((Date.now() - ago) / 1_000);
  let session = '';
  let root = '';
  let count = 0;

  const message = (role, parts) => {
    const at = seconds();
    db.prepare(
      'INSERT INTO messages (id, session_id, role, parts, model, provider, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    ).run(
      crypto.randomUUID(),
      session,
      role,
      JSON.stringify(parts.map(([type, data]) => ({ type, data }))),
      role === 'assistant' ? 'scripted-1' : '',
      role === 'assistant' ? 'scripted' : null,
      at,
      at,
    );
  };
  const call = (name, input, output, failed) => {
    count += 1;
    const id = `call_${session}_${count}`;
    message('assistant', [
      ['tool_call', { id, name, input: JSON.stringify(input), provider_executed: false, finished: true }],
      ['finish', { reason: 'tool_use', time: seconds() }],
    ]);
    message('tool', [
      ['tool_result', { tool_call_id: id, name, content: output, metadata: '', is_error: failed }],
      ['finish', { reason: 'stop', time: 0 }],
    ]);
    spend(10, 5, 0.01);
  };
  const spend = (input, output, cost) =>
    db
      .prepare(
        'UPDATE sessions SET prompt_tokens = prompt_tokens + ?, completion_tokens = completion_tokens + ?, cost = cost + ? WHERE id = ?',
      )
      .run(input, output, cost, session);
  const version = (path, number) =>
    db
      .prepare('INSERT INTO files (id, session_id, path, content, version, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(crypto.randomUUID(), session, path, 'text', number, seconds(), seconds());
  const kinds = {
    user: (said) =>
      message('user', [
        ['text', { text: said }],
        ['finish', { reason: 'stop', time: 0 }],
      ]),
    edit: (path, failed) => {
      const file = resolve(directory, path);
      call('edit', { file_path: file, old_string: 'a', new_string: 'b' }, failed ? 'not found' : 'replaced', failed);
      if (failed) return;
      version(file, 0);
      version(file, 1);
    },
    run: (command, failed) => call('bash', { command }, failed ? 'Exit code 1' : 'ok', failed),
    say: (said) =>
      message('assistant', [
        ['text', { text: said }],
        ['finish', { reason: 'end_turn', time: seconds() }],
      ]),
    cost: (dollars) => spend(0, 0, dollars),
    version: (path) => version(resolve(directory, path), 1),
  };
  return {
    db,
    begin: (id, { ago, child = false } = {}) => {
      const at = seconds(ago);
      root = child ? root : id;
      session = id;
      db.prepare('INSERT INTO sessions (id, parent_session_id, title, created_at, updated_at) VALUES (?, ?, ?, ?, ?)').run(
        id,
        child ? root : null,
        'Title of a secret plan',
        at,
        at,
      );
    },
    goOn: (id) => {
      session = id;
      root = id;
    },
    rows: (kind, ...said) => kinds[kind](...said),
    again: () => undefined,
    truncate: () => undefined,
    close: () => db.close(),
  };
};
