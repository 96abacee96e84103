CREATE TABLE ledger_line (
  seq INTEGER PRIMARY KEY,
  type TEXT NOT NULL CHECK (type IN ('opened', 'updated', 'closed', 'decided')),
  at TEXT NOT NULL,
  harness TEXT NOT NULL,
  run_id INTEGER NOT NULL,
  line TEXT NOT NULL
) STRICT;
CREATE INDEX ledger_line_run ON ledger_line (harness, run_id, seq);
CREATE INDEX ledger_line_at ON ledger_line (at);

-- The fold of a run's lines, kept beside them in the same transaction.
CREATE TABLE run (
  harness TEXT NOT NULL,
  run_id INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  open INTEGER NOT NULL CHECK (open IN (0, 1)),
  at TEXT NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (harness, run_id)
) STRICT;
CREATE INDEX run_at ON run (at);
CREATE INDEX run_open ON run (open) WHERE open = 1;

-- Outlives the runs it counted, so that an id is never given twice.
CREATE TABLE run_sequence (harness TEXT PRIMARY KEY, last_run_id INTEGER NOT NULL) STRICT;

CREATE TABLE run_context (
  harness TEXT NOT NULL,
  run_id INTEGER NOT NULL,
  context TEXT NOT NULL,
  PRIMARY KEY (harness, run_id)
) STRICT;

CREATE TABLE feed_cursor (name TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT;
CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
