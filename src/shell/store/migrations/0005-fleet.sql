-- What operators want of harnesses, where schedules stand, and the projects that were brought up.

CREATE TABLE schedule_cursor (
  harness TEXT PRIMARY KEY,
  -- The schedule as it was: another one starts anew.
  schedule TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE intent (
  harness TEXT PRIMARY KEY,
  -- What an operator said over the configuration, and what the configuration said then.
  enabled INTEGER,
  declared INTEGER,
  -- Stopped by an operator, and not started by one since.
  stopped INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE project (
  name TEXT PRIMARY KEY,
  root TEXT NOT NULL,
  definitions TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
