-- Limits: those that the cluster shares, by name, and those of jobs, by job and path.
CREATE TABLE evertick_limits (
  id TEXT NOT NULL PRIMARY KEY,
  -- Of one that is shared, else null.
  name TEXT,
  -- Of one that is a job's own, else null.
  job_id TEXT,
  concurrency INTEGER,
  rate_count INTEGER,
  rate_per_ms INTEGER,
  -- What code has written last, where code has.
  code_hash TEXT,
  changed_at INTEGER NOT NULL,
  changed_by TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX evertick_limits_job ON evertick_limits (job_id) WHERE job_id IS NOT NULL;

-- What carries one key shares its numbers. Whoever changes what hangs on a key holds its row.
CREATE TABLE evertick_limit_keys (
  limit_key TEXT NOT NULL PRIMARY KEY,
  limit_id TEXT NOT NULL,
  -- How many have ever started, where there is a rate.
  starts INTEGER NOT NULL DEFAULT 0,
  -- How many left its list lately, and have not begun; it counts until then.
  released INTEGER NOT NULL DEFAULT 0,
  released_until INTEGER NOT NULL DEFAULT 0,
  made_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX evertick_limit_keys_limit ON evertick_limit_keys (limit_id);

-- Who has a share of a key now: a row for each key of what runs.
CREATE TABLE evertick_limit_leases (
  limit_key TEXT NOT NULL,
  execution_id TEXT NOT NULL,
  PRIMARY KEY (limit_key, execution_id)
) WITHOUT ROWID;
CREATE INDEX evertick_limit_leases_execution ON evertick_limit_leases (execution_id);

-- When the last ones started under a rate, by the number of the start.
CREATE TABLE evertick_limit_starts (
  limit_key TEXT NOT NULL,
  n INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (limit_key, n)
) WITHOUT ROWID;

-- Which turn was claimed last in a queue in which keys take turns, and in which one something without a key was.
CREATE TABLE evertick_fair_turns (
  queue TEXT NOT NULL,
  priority INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  others INTEGER NOT NULL,
  PRIMARY KEY (queue, priority)
) WITHOUT ROWID;

-- The lists of what waits at a key, or for its turn. Plain work is in neither.
CREATE INDEX evertick_job_executions_list ON evertick_job_executions (wait_key, priority, turn, wait_ready_at, seq)
  WHERE wait_key IS NOT NULL AND waits_for IS NOT NULL;
CREATE INDEX evertick_job_executions_turn ON evertick_job_executions (fair_key, turn)
  WHERE fair_key IS NOT NULL AND waits_for IS NOT NULL;
