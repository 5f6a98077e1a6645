-- Instants are milliseconds since 1970 (UTC), but in scheduler_leader_log, which keeps readable timestamps.
-- JSON is text. Ids are UUIDv7, made by Evertick.

CREATE TABLE evertick_jobs (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('active', 'paused', 'disabled', 'completed', 'cancelled', 'error')),
  -- Grows with every change that a scheduler's stale view must not survive.
  version INTEGER NOT NULL DEFAULT 1,
  revision INTEGER NOT NULL DEFAULT 1,
  revision_from INTEGER NOT NULL,
  spec TEXT NOT NULL,
  handler TEXT NOT NULL,
  queue TEXT NOT NULL,
  priority INTEGER NOT NULL,
  overlap TEXT NOT NULL,
  max_attempts INTEGER NOT NULL,
  -- Of its schedule, null without one; the zone of a cron.
  schedule_kind TEXT,
  timezone TEXT,
  -- Of a fixedDelay schedule, else null.
  delay_ms INTEGER,
  -- Where the job has a start deadline, else null.
  start_deadline_ms INTEGER,
  -- A due tick that is unstarted for longer makes the job late.
  late_ms INTEGER NOT NULL DEFAULT 60000,
  -- The cursor: a tick is accounted exactly if it is below it.
  accounted_until INTEGER NOT NULL,
  ledger_from INTEGER NOT NULL,
  -- The time zone data that computed its last ticks.
  tz_version TEXT NOT NULL,
  next_due_at INTEGER,
  open_tick_at INTEGER,
  runs INTEGER NOT NULL DEFAULT 0,
  chain_yields INTEGER NOT NULL DEFAULT 0,
  paused_at INTEGER,
  paused_until INTEGER,
  paused_reason TEXT,
  paused_by TEXT,
  managed_by TEXT NOT NULL,
  managed_hash TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER
);

CREATE UNIQUE INDEX evertick_jobs_name ON evertick_jobs (name) WHERE deleted_at IS NULL;
CREATE INDEX evertick_jobs_due ON evertick_jobs (next_due_at) WHERE next_due_at IS NOT NULL;
CREATE INDEX evertick_jobs_updated ON evertick_jobs (updated_at);
-- Few, and to be counted: an active job, whose row each tick writes, is not in it.
CREATE INDEX evertick_jobs_resting ON evertick_jobs (state, id)
  WHERE deleted_at IS NULL AND state <> 'active';
-- Whose handler no node has is counted at every look at the whole. A tick leaves the handler as it is, and so this, too.
CREATE INDEX evertick_jobs_handler ON evertick_jobs (handler)
  WHERE deleted_at IS NULL AND state = 'active';

-- The tags of the spec, so that jobs are found by them.
CREATE TABLE evertick_job_tags (
  tag TEXT NOT NULL,
  job_id TEXT NOT NULL,
  PRIMARY KEY (tag, job_id)
) WITHOUT ROWID;
CREATE INDEX evertick_job_tags_job ON evertick_job_tags (job_id);

-- No CHECK here, and as few partial indexes on `state` as can be: each costs every claim and every completion
-- (measured: 3 us of 12 for three CHECKs). States are spelled by OR: for an IN of three, SQLite builds a table each time.
CREATE TABLE evertick_job_executions (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  job_id TEXT NOT NULL,
  cause TEXT NOT NULL,
  -- Set only where this execution IS the account of that tick.
  tick_at INTEGER,
  account TEXT,
  scheduled_for INTEGER NOT NULL,
  state TEXT NOT NULL,
  ready_at INTEGER NOT NULL,
  start_by INTEGER,
  queue TEXT NOT NULL,
  priority INTEGER NOT NULL,
  handler TEXT NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0,
  max_attempts INTEGER NOT NULL,
  caught_up_index INTEGER,
  caught_up_of INTEGER,
  input TEXT,
  result TEXT,
  error TEXT,
  cancel_reason TEXT,
  cancel_requested_at INTEGER,
  progress REAL,
  progress_note TEXT,
  metadata TEXT,
  unique_key TEXT,
  retry_of TEXT,
  idempotency_key TEXT,
  -- Grows at every claim; every write after a claim names it.
  fence INTEGER NOT NULL DEFAULT 0,
  leased_by TEXT,
  leased_until INTEGER,
  -- Where it stands in its holder's reserve, else null.
  reserve_place INTEGER,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER
);

CREATE UNIQUE INDEX evertick_job_executions_id ON evertick_job_executions (id);
-- The second belt: a tick has one execution.
CREATE UNIQUE INDEX evertick_job_executions_tick ON evertick_job_executions (job_id, tick_at) WHERE tick_at IS NOT NULL;
CREATE UNIQUE INDEX evertick_job_executions_unique ON evertick_job_executions (job_id, unique_key)
  WHERE unique_key IS NOT NULL AND (state = 'blocked' OR state = 'pending' OR state = 'running' OR state = 'retrying');
CREATE INDEX evertick_job_executions_claim ON evertick_job_executions (queue, priority DESC, ready_at, seq)
  WHERE state IN ('pending', 'retrying');
CREATE INDEX evertick_job_executions_lease ON evertick_job_executions (leased_until) WHERE state = 'running';
CREATE INDEX evertick_job_executions_lane ON evertick_job_executions (job_id)
  WHERE cause <> 'enqueue' AND (state = 'pending' OR state = 'running' OR state = 'retrying');
CREATE INDEX evertick_job_executions_blocked ON evertick_job_executions (job_id, cause, seq)
  WHERE state = 'blocked';
-- A start clears start_by, so that only what still waits is found here.
CREATE INDEX evertick_job_executions_deadline ON evertick_job_executions (start_by) WHERE start_by IS NOT NULL;
CREATE INDEX evertick_job_executions_history ON evertick_job_executions (job_id, seq);
CREATE INDEX evertick_job_executions_failed ON evertick_job_executions (seq) WHERE state = 'failed';

-- Attempts that ended otherwise than by plain completion: the execution's own row tells of that one.
CREATE TABLE evertick_attempts (
  seq INTEGER PRIMARY KEY,
  execution_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  node_id TEXT,
  started_at INTEGER,
  finished_at INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  error TEXT
);
CREATE INDEX evertick_attempts_execution ON evertick_attempts (execution_id);

CREATE TABLE evertick_execution_logs (
  seq INTEGER PRIMARY KEY,
  execution_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  level TEXT NOT NULL,
  message TEXT NOT NULL
);
CREATE INDEX evertick_execution_logs_execution ON evertick_execution_logs (execution_id);

-- One row for a run of ticks that became the same and have no execution, or none any more; from_at and to_at are its first
-- and last tick. 'mixed': an hour of ticks that became different things, in order, in `packed`.
CREATE TABLE evertick_tick_ranges (
  id INTEGER PRIMARY KEY,
  job_id TEXT NOT NULL,
  from_at INTEGER NOT NULL,
  to_at INTEGER NOT NULL,
  count INTEGER NOT NULL,
  account TEXT NOT NULL CHECK (account IN ('fired', 'caught_up', 'coalesced', 'skipped', 'mixed')),
  -- Of skipped and coalesced ticks.
  reason TEXT,
  -- Of ticks that had executions: their final state, and why they were cancelled.
  outcome TEXT CHECK (outcome IN ('completed', 'failed', 'cancelled')),
  cancel_reason TEXT,
  -- Of coalesced ticks: what stands for them.
  execution_id TEXT,
  into_at INTEGER,
  revision INTEGER NOT NULL,
  tz_version TEXT NOT NULL,
  packed TEXT,
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX evertick_tick_ranges_job ON evertick_tick_ranges (job_id, from_at);
CREATE INDEX evertick_tick_ranges_end ON evertick_tick_ranges (to_at);

-- What the ledger has passed, so that totals + ledger = all ticks.
CREATE TABLE evertick_ledger_totals (
  job_id TEXT NOT NULL,
  account TEXT NOT NULL,
  reason TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (job_id, account, reason)
);

-- Executions without a tick that are no longer kept, by the UTC day of their end.
CREATE TABLE evertick_day_totals (
  job_id TEXT NOT NULL,
  day_at INTEGER NOT NULL,
  state TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (job_id, day_at, state)
) WITHOUT ROWID;
CREATE INDEX evertick_day_totals_day ON evertick_day_totals (day_at);

-- From when on a job's ticks were computed with other time zone data than its revision names.
CREATE TABLE evertick_zone_spans (
  job_id TEXT NOT NULL,
  from_at INTEGER NOT NULL,
  tz_version TEXT NOT NULL,
  PRIMARY KEY (job_id, from_at)
) WITHOUT ROWID;

CREATE TABLE evertick_job_revisions (
  job_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  from_at INTEGER NOT NULL,
  spec TEXT NOT NULL,
  changed_by TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  tz_version TEXT NOT NULL,
  PRIMARY KEY (job_id, revision)
);

CREATE TABLE evertick_locks (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  token TEXT NOT NULL,
  fence INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  lifeline TEXT
);

CREATE TABLE evertick_nodes (
  id TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  roles TEXT NOT NULL,
  queues TEXT NOT NULL,
  version TEXT NOT NULL,
  lease_ms INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
);

CREATE TABLE evertick_node_handlers (
  handler TEXT NOT NULL,
  node_id TEXT NOT NULL,
  PRIMARY KEY (handler, node_id)
) WITHOUT ROWID;

-- A worker's reserve of a queue: what it has claimed ahead stands in it by `reserve_place`, and up to `begun_to` the handlers
-- have begun, of those from `from_place` on. Whoever takes something out of it, or asks it to stop, raises `turn`: a mark under the old one is refused.
CREATE TABLE evertick_reserves (
  node_id TEXT NOT NULL,
  queue TEXT NOT NULL,
  turn INTEGER NOT NULL,
  from_place INTEGER NOT NULL,
  begun_to INTEGER NOT NULL,
  begun_at INTEGER NOT NULL,
  PRIMARY KEY (node_id, queue)
) WITHOUT ROWID;

-- Since when nobody names or can run a job; a row goes when somebody does again.
CREATE TABLE evertick_orphans (
  job_id TEXT PRIMARY KEY,
  since_at INTEGER NOT NULL
);

-- Jobs whose last final outcome is no success: none yet, or a failure. A success removes the row, so that a job that does
-- well costs its completions a look at a small table, and no write.
CREATE TABLE evertick_unproven (
  job_id TEXT PRIMARY KEY,
  -- Final failures in a row; 0 where nothing has ended yet.
  failures INTEGER NOT NULL,
  -- The last of them.
  failed_at INTEGER,
  execution_id TEXT
) WITHOUT ROWID;

CREATE TABLE evertick_queues (
  name TEXT PRIMARY KEY,
  paused_at INTEGER,
  paused_by TEXT,
  paused_reason TEXT
);

-- Its ids are never given twice: a seal names those that it stands for.
CREATE TABLE evertick_audit_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  origin TEXT,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  before_value TEXT,
  after_value TEXT
);
CREATE INDEX evertick_audit_log_subject ON evertick_audit_log (subject, id);
CREATE INDEX evertick_audit_log_actor ON evertick_audit_log (actor, id);
CREATE INDEX evertick_audit_log_at ON evertick_audit_log (at);

-- Each seal is the hash of a run of entries and of the seal before it. The first that is left of a log whose begin was
-- pruned stands for what is gone.
CREATE TABLE evertick_audit_seals (
  id INTEGER PRIMARY KEY,
  from_id INTEGER NOT NULL,
  to_id INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  hash TEXT NOT NULL,
  sealed_at INTEGER NOT NULL,
  term_id INTEGER NOT NULL,
  pruned_at INTEGER
);

-- Who may call the API: tokens, the dashboard's sessions, and links to sign in with. No secret is here: a token is signed,
-- and a link is known by the hash of its code.
CREATE TABLE evertick_access_tokens (
  id TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('token', 'session', 'link')),
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  -- The token that it was made with, and that takes it along.
  parent_id TEXT,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  revoked_at INTEGER
);
CREATE INDEX evertick_access_tokens_parent ON evertick_access_tokens (parent_id);
CREATE INDEX evertick_access_tokens_expires ON evertick_access_tokens (expires_at);

-- Answers that a caller may ask for again under the same key.
CREATE TABLE evertick_idempotency_keys (
  actor TEXT NOT NULL,
  request_key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  begun_at INTEGER NOT NULL,
  taken_at INTEGER NOT NULL,
  status INTEGER,
  headers TEXT,
  body TEXT,
  PRIMARY KEY (actor, request_key)
);
CREATE INDEX evertick_idempotency_keys_begun ON evertick_idempotency_keys (begun_at);

CREATE TABLE scheduler_leader_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  leader_instance VARCHAR(255) NOT NULL,
  start_time DATETIME NOT NULL,
  stop_time DATETIME DEFAULT NULL,
  last_heartbeat DATETIME DEFAULT NULL,
  handled_missed_tasks BOOLEAN DEFAULT FALSE,
  created_at DATETIME DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
  updated_at DATETIME DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now'))
);
CREATE INDEX idx_start_time ON scheduler_leader_log (start_time DESC);
CREATE INDEX idx_leader_instance ON scheduler_leader_log (leader_instance);
-- By anybody's own UPDATE; one that writes the column itself is left alone.
CREATE TRIGGER trg_scheduler_leader_log_updated_at AFTER UPDATE ON scheduler_leader_log
WHEN NEW.updated_at IS OLD.updated_at
BEGIN
  UPDATE scheduler_leader_log SET updated_at = strftime('%Y-%m-%d %H:%M:%f', 'now') WHERE id = NEW.id;
END;

-- What each term found missed and what it did with it; apart, so that the seed's table keeps its columns.
CREATE TABLE evertick_term_repairs (
  term_id INTEGER PRIMARY KEY,
  found INTEGER NOT NULL DEFAULT 0,
  caught_up INTEGER NOT NULL DEFAULT 0,
  coalesced INTEGER NOT NULL DEFAULT 0,
  skipped INTEGER NOT NULL DEFAULT 0,
  tz_version TEXT NOT NULL
);

-- The same by job, for the story that is told of it: written with the accounts, whatever becomes of those later.
CREATE TABLE evertick_missed_ticks (
  id INTEGER PRIMARY KEY,
  term_id INTEGER NOT NULL,
  job_name TEXT NOT NULL,
  account TEXT NOT NULL,
  reason TEXT,
  count INTEGER NOT NULL
);
CREATE INDEX evertick_missed_ticks_term ON evertick_missed_ticks (term_id);

-- What a LeaderLogCoordinator has put, or was about to put, into a queue that is not Evertick's.
CREATE TABLE evertick_enqueue_marks (
  -- taskId:scheduleTime
  mark TEXT PRIMARY KEY,
  -- The fence of the leader who claimed it.
  claimed_by INTEGER NOT NULL,
  -- Null until it is surely in the queue.
  enqueued_at INTEGER,
  expires_at INTEGER NOT NULL
);
CREATE INDEX evertick_enqueue_marks_expiry ON evertick_enqueue_marks (expires_at);

-- For people at a SQL prompt.
CREATE VIEW evertick_readable_jobs AS
SELECT
  name,
  state,
  strftime('%Y-%m-%d %H:%M:%f', next_due_at / 1000.0, 'unixepoch') AS next_due,
  strftime('%Y-%m-%d %H:%M:%f', accounted_until / 1000.0, 'unixepoch') AS accounted_until,
  paused_reason,
  managed_by,
  revision,
  id
FROM evertick_jobs
WHERE deleted_at IS NULL;

CREATE VIEW evertick_readable_executions AS
SELECT
  e.id,
  j.name AS job,
  e.state,
  e.cause,
  strftime('%Y-%m-%d %H:%M:%f', e.scheduled_for / 1000.0, 'unixepoch') AS scheduled_for,
  strftime('%Y-%m-%d %H:%M:%f', e.started_at / 1000.0, 'unixepoch') AS started,
  e.finished_at - e.started_at AS duration_ms,
  e.attempt,
  e.leased_by,
  e.error
FROM evertick_job_executions e
JOIN evertick_jobs j ON j.id = e.job_id;

CREATE VIEW evertick_readable_ticks AS
SELECT
  j.name AS job,
  strftime('%Y-%m-%d %H:%M:%f', e.tick_at / 1000.0, 'unixepoch') AS from_tick,
  strftime('%Y-%m-%d %H:%M:%f', e.tick_at / 1000.0, 'unixepoch') AS to_tick,
  1 AS ticks,
  e.account,
  NULL AS reason,
  e.id AS execution_id,
  e.state
FROM evertick_job_executions e
JOIN evertick_jobs j ON j.id = e.job_id
WHERE e.tick_at IS NOT NULL
UNION ALL
SELECT
  j.name,
  strftime('%Y-%m-%d %H:%M:%f', r.from_at / 1000.0, 'unixepoch'),
  strftime('%Y-%m-%d %H:%M:%f', r.to_at / 1000.0, 'unixepoch'),
  r.count,
  r.account,
  r.reason,
  r.execution_id,
  r.outcome
FROM evertick_tick_ranges r
JOIN evertick_jobs j ON j.id = r.job_id;

-- The jobs of ProcessingWorker in the words of its document.
CREATE VIEW processing_jobs AS
SELECT
  e.id,
  COALESCE(json_extract(e.metadata, '$.job_id'), e.id) AS job_id,
  CASE e.state
    WHEN 'blocked' THEN 'pending'
    WHEN 'running' THEN 'processing'
    WHEN 'retrying' THEN 'retry'
    WHEN 'completed' THEN 'done'
    WHEN 'cancelled' THEN 'failed'
    ELSE e.state
  END AS status,
  CASE WHEN e.state = 'running' THEN e.leased_by END AS locked_by,
  strftime('%Y-%m-%d %H:%M:%f', e.leased_until / 1000.0, 'unixepoch') AS locked_until,
  e.attempt AS attempts,
  CASE
    WHEN e.error IS NULL THEN 'cancelled: ' || e.cancel_reason
    ELSE json_extract(e.error, '$.message')
  END AS last_error,
  strftime('%Y-%m-%d %H:%M:%f', e.created_at / 1000.0, 'unixepoch') AS created_at,
  strftime('%Y-%m-%d %H:%M:%f', COALESCE(
    e.finished_at,
    CASE WHEN e.state = 'running' THEN e.started_at END,
    (SELECT max(a.finished_at) FROM evertick_attempts a WHERE a.execution_id = e.id),
    e.created_at
  ) / 1000.0, 'unixepoch') AS updated_at,
  e.queue
FROM evertick_job_executions e
JOIN evertick_jobs j ON j.id = e.job_id
WHERE j.name = 'processing' OR j.name LIKE 'processing:%';
