-- Limits: those that the cluster shares, by name, and those of jobs, by job and path.
CREATE TABLE evertick.limits (
  id TEXT COLLATE "C" PRIMARY KEY,
  -- Of one that is shared, else null.
  name TEXT COLLATE "C",
  -- Of one that is a job's own, else null.
  job_id UUID,
  concurrency INTEGER,
  rate_count INTEGER,
  rate_per_ms BIGINT,
  -- What code has written last, where code has.
  code_hash TEXT COLLATE "C",
  changed_at BIGINT NOT NULL,
  changed_by TEXT COLLATE "C" NOT NULL
);
CREATE INDEX limits_job ON evertick.limits (job_id) WHERE job_id IS NOT NULL;

-- What carries one key shares its numbers. Whoever changes what hangs on a key holds its row.
CREATE TABLE evertick.limit_keys (
  limit_key TEXT COLLATE "C" PRIMARY KEY,
  limit_id TEXT COLLATE "C" NOT NULL,
  -- How many have ever started, where there is a rate.
  starts BIGINT NOT NULL DEFAULT 0,
  -- How many left its list lately, and have not begun; it counts until then.
  released INTEGER NOT NULL DEFAULT 0,
  released_until BIGINT NOT NULL DEFAULT 0,
  made_at BIGINT NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX limit_keys_limit ON evertick.limit_keys (limit_id);

-- Who has a share of a key now: a row for each key of what runs.
CREATE TABLE evertick.limit_leases (
  limit_key TEXT COLLATE "C" NOT NULL,
  execution_id UUID NOT NULL,
  PRIMARY KEY (limit_key, execution_id)
);
CREATE INDEX limit_leases_execution ON evertick.limit_leases (execution_id);

-- When the last ones started under a rate, by the number of the start.
CREATE TABLE evertick.limit_starts (
  limit_key TEXT COLLATE "C" NOT NULL,
  n BIGINT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (limit_key, n)
);

-- Which turn was claimed last in a queue in which keys take turns, and in which one something without a key was.
CREATE TABLE evertick.fair_turns (
  queue TEXT COLLATE "C" NOT NULL,
  priority INTEGER NOT NULL,
  turn BIGINT NOT NULL,
  others BIGINT NOT NULL,
  PRIMARY KEY (queue, priority)
);

-- The lists of what waits at a key, or for its turn. Plain work is in neither.
CREATE INDEX live_executions_list ON evertick.live_executions (wait_key, priority, turn, wait_ready_at, seq)
  WHERE wait_key IS NOT NULL AND waits_for IS NOT NULL;
CREATE INDEX live_executions_turn ON evertick.live_executions (fair_key, turn)
  WHERE fair_key IS NOT NULL AND waits_for IS NOT NULL;
