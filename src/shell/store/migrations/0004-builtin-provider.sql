-- The built-in provider's own tables; nothing else of Harness reads them.
CREATE TABLE builtin_scope (id INTEGER PRIMARY KEY, scope TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE builtin_memory (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  scope_id INTEGER NOT NULL,
  text TEXT NOT NULL,
  digest TEXT NOT NULL,
  files TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  recorded_at TEXT NOT NULL
) STRICT;
CREATE INDEX builtin_memory_hash ON builtin_memory (content_hash);

CREATE TABLE builtin_file (
  scope_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  memory INTEGER NOT NULL,
  PRIMARY KEY (scope_id, path, memory)
) STRICT, WITHOUT ROWID;
CREATE INDEX builtin_file_memory ON builtin_file (memory);

-- The scope is one opaque token inside the MATCH: its own text would also match look-alike scopes.
CREATE VIRTUAL TABLE builtin_fts USING fts5 (scope_key, body, tokenize = 'porter unicode61');
INSERT INTO builtin_fts (builtin_fts, rank) VALUES ('secure-delete', 1);

CREATE TABLE embedding (
  content_hash TEXT NOT NULL,
  model_id TEXT NOT NULL,
  dim INTEGER NOT NULL,
  vec BLOB NOT NULL,
  PRIMARY KEY (content_hash, model_id)
) STRICT;

-- One vec0 table per model and dimension; the table's name is derived from id.
CREATE TABLE vector_table (id INTEGER PRIMARY KEY, model_id TEXT NOT NULL, dim INTEGER NOT NULL, UNIQUE (model_id, dim)) STRICT;
