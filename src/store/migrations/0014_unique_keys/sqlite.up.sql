-- Which execution stands for the events of a key, by mode; `keep` has no row here, it is a key of the execution's own row.
-- One row of a key is held by whoever enqueues under it: the one that no other has followed.
CREATE TABLE evertick_unique_keys (
  job_id TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('replace', 'debounce', 'throttle')),
  unique_key TEXT NOT NULL,
  -- The execution that a later event made; empty while new events come here.
  followed_by TEXT NOT NULL DEFAULT '',
  execution_id TEXT NOT NULL,
  -- How many it stands for, the first of them, and the last.
  events INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  -- debounce: put off to here at most. throttle: the end of its span.
  until_at INTEGER,
  -- Of a span that outlasts what is kept of its execution.
  expires_at INTEGER,
  PRIMARY KEY (job_id, mode, unique_key, followed_by)
) WITHOUT ROWID;
CREATE INDEX evertick_unique_keys_execution ON evertick_unique_keys (execution_id);
CREATE INDEX evertick_unique_keys_expiry ON evertick_unique_keys (expires_at) WHERE expires_at IS NOT NULL;
