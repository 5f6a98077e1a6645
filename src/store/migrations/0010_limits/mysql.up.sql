-- Limits: those that the cluster shares, by name, and those of jobs, by job and path.
CREATE TABLE IF NOT EXISTS evertick_limits (
  id VARCHAR(300) NOT NULL,
  -- Of one that is shared, else null.
  name VARCHAR(200),
  -- Of one that is a job's own, else null.
  job_id VARCHAR(64),
  concurrency INT,
  rate_count INT,
  rate_per_ms BIGINT,
  -- What code has written last, where code has.
  code_hash VARCHAR(64),
  changed_at BIGINT NOT NULL,
  changed_by VARCHAR(255) NOT NULL,
  PRIMARY KEY (id),
  KEY evertick_limits_job (job_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- What carries one key shares its numbers. Whoever changes what hangs on a key holds its row.
CREATE TABLE IF NOT EXISTS evertick_limit_keys (
  limit_key VARCHAR(64) NOT NULL,
  limit_id VARCHAR(300) NOT NULL,
  -- How many have ever started, where there is a rate.
  starts BIGINT NOT NULL DEFAULT 0,
  -- How many left its list lately, and have not begun; it counts until then.
  released INT NOT NULL DEFAULT 0,
  released_until BIGINT NOT NULL DEFAULT 0,
  made_at BIGINT NOT NULL,
  PRIMARY KEY (limit_key),
  KEY evertick_limit_keys_limit (limit_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- Who has a share of a key now: a row for each key of what runs.
CREATE TABLE IF NOT EXISTS evertick_limit_leases (
  limit_key VARCHAR(64) NOT NULL,
  execution_id VARCHAR(64) NOT NULL,
  PRIMARY KEY (limit_key, execution_id),
  KEY evertick_limit_leases_execution (execution_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- When the last ones started under a rate, by the number of the start.
CREATE TABLE IF NOT EXISTS evertick_limit_starts (
  limit_key VARCHAR(64) NOT NULL,
  n BIGINT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (limit_key, n)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- Which turn was claimed last in a queue in which keys take turns, and in which one something without a key was.
CREATE TABLE IF NOT EXISTS evertick_fair_turns (
  queue VARCHAR(200) NOT NULL,
  priority INT NOT NULL,
  turn BIGINT NOT NULL,
  others BIGINT NOT NULL,
  PRIMARY KEY (queue, priority)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- The lists of what waits at a key, or for its turn. Of plain work these are null.
ALTER TABLE evertick_job_executions
  ADD KEY evertick_job_executions_list (wait_key, priority, turn, wait_ready_at, seq),
  ADD KEY evertick_job_executions_turn (fair_key, turn);
