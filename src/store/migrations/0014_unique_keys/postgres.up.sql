-- Which execution stands for the events of a key, by mode; `keep` has no row here, it is a key of the execution's own row.
-- One row of a key is held by whoever enqueues under it: the one that no other has followed.
CREATE TABLE evertick.unique_keys (
  job_id UUID NOT NULL,
  mode TEXT COLLATE "C" NOT NULL CHECK (mode IN ('replace', 'debounce', 'throttle')),
  unique_key TEXT COLLATE "C" NOT NULL,
  -- The execution that a later event made; empty while new events come here.
  followed_by TEXT COLLATE "C" NOT NULL DEFAULT '',
  execution_id UUID NOT NULL,
  -- How many it stands for, the first of them, and the last.
  events BIGINT NOT NULL,
  first_at BIGINT NOT NULL,
  last_at BIGINT NOT NULL,
  -- debounce: put off to here at most. throttle: the end of its span.
  until_at BIGINT,
  -- Of a span that outlasts what is kept of its execution.
  expires_at BIGINT,
  PRIMARY KEY (job_id, mode, unique_key, followed_by)
);
CREATE INDEX unique_keys_execution ON evertick.unique_keys (execution_id);
CREATE INDEX unique_keys_expiry ON evertick.unique_keys (expires_at) WHERE expires_at IS NOT NULL;
