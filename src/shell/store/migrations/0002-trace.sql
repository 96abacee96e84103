CREATE TABLE trace_session (
  harness TEXT NOT NULL,
  run_id INTEGER NOT NULL,
  session_id TEXT NOT NULL,
  started_at TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (harness, run_id, session_id)
) STRICT;
CREATE INDEX trace_session_started ON trace_session (started_at);

CREATE TABLE trace_event (
  harness TEXT NOT NULL,
  run_id INTEGER NOT NULL,
  session_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (harness, run_id, session_id, seq)
) STRICT;

CREATE TABLE trace_result (
  harness TEXT NOT NULL,
  run_id INTEGER NOT NULL,
  session_id TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (harness, run_id, session_id)
) STRICT;

-- Once sealed, a run's trace is final: later rows are refused and counted.
CREATE TABLE trace_sealed (
  harness TEXT NOT NULL,
  run_id INTEGER NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (harness, run_id)
) STRICT;

CREATE TABLE session_sample (
  harness TEXT NOT NULL,
  run_id INTEGER NOT NULL,
  session_id TEXT NOT NULL,
  at TEXT NOT NULL,
  repo TEXT NOT NULL,
  branch TEXT,
  head TEXT,
  body TEXT NOT NULL,
  PRIMARY KEY (harness, run_id, session_id, at)
) STRICT;
CREATE INDEX session_sample_branch ON session_sample (repo, branch);
