-- Which execution stands for the events of a key, by mode; `keep` has no row here, it is a key of the execution's own row.
-- One row of a key is held by whoever enqueues under it: the one that no other has followed.
CREATE TABLE IF NOT EXISTS evertick_unique_keys (
  job_id VARCHAR(64) NOT NULL,
  mode VARCHAR(32) NOT NULL CHECK (mode IN ('replace', 'debounce', 'throttle')),
  unique_key VARCHAR(500) NOT NULL,
  -- The execution that a later event made; empty while new events come here.
  followed_by VARCHAR(64) NOT NULL DEFAULT '',
  execution_id VARCHAR(64) NOT NULL,
  -- How many it stands for, the first of them, and the last.
  events BIGINT NOT NULL,
  first_at BIGINT NOT NULL,
  last_at BIGINT NOT NULL,
  -- debounce: put off to here at most. throttle: the end of its span.
  until_at BIGINT,
  -- Of a span that outlasts what is kept of its execution.
  expires_at BIGINT,
  PRIMARY KEY (job_id, mode, unique_key, followed_by),
  KEY evertick_unique_keys_execution (execution_id),
  KEY evertick_unique_keys_expiry (expires_at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;
