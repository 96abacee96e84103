-- Harness's own copy and index of episodes. An index row outlives the deleted body, hence no foreign key.
CREATE TABLE episodes (
  episode_id TEXT PRIMARY KEY,
  harness TEXT NOT NULL,
  run_id INTEGER NOT NULL,
  repo TEXT NOT NULL,
  scope TEXT NOT NULL,
  trust_class TEXT NOT NULL,
  recorded_at TEXT NOT NULL,
  at TEXT NOT NULL,
  body TEXT,
  text TEXT,
  forgotten_at TEXT
) STRICT;
CREATE INDEX episodes_recorded ON episodes (recorded_at);
CREATE INDEX episodes_harness ON episodes (harness, recorded_at);
CREATE INDEX episodes_repo ON episodes (repo, recorded_at);

CREATE TABLE episode_index (
  provider TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  episode_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  recorded_at TEXT NOT NULL,
  forgotten_at TEXT,
  PRIMARY KEY (provider, provider_id)
) STRICT;
CREATE INDEX episode_index_episode ON episode_index (episode_id);

-- A second episode that a provider tied to an id of the same scope: forgetting either forgets the id.
CREATE TABLE episode_link (
  provider TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  episode_id TEXT NOT NULL,
  PRIMARY KEY (provider, provider_id, episode_id)
) STRICT;

-- An id that a provider used for two scopes: it is served to no one.
CREATE TABLE episode_conflict (
  provider TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  PRIMARY KEY (provider, provider_id)
) STRICT;

CREATE TABLE episode_outbox (
  episode_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('record', 'forget')),
  attempts INTEGER NOT NULL,
  next_at TEXT NOT NULL,
  deadline_at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'record_failed', 'forget_failed')),
  PRIMARY KEY (episode_id, provider, kind)
) STRICT;
CREATE INDEX episode_outbox_due ON episode_outbox (state, next_at);

CREATE TABLE episode_skip (
  harness TEXT NOT NULL,
  run_id INTEGER NOT NULL,
  reason TEXT NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (harness, run_id)
) STRICT;

CREATE TABLE memory_degraded (at TEXT NOT NULL, reason TEXT NOT NULL) STRICT;
CREATE INDEX memory_degraded_at ON memory_degraded (at);
