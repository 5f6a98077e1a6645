-- Instants are milliseconds since 1970 (UTC), but in scheduler_leader_log, which keeps readable timestamps.
-- JSON is text. Ids of jobs and executions are UUIDv7, made by Evertick. COLLATE "C": text is equal and sorts by its
-- bytes, as on SQLite, whatever the locale of the database.

CREATE TABLE evertick.jobs (
  id UUID PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL
    CHECK (state IN ('active', 'paused', 'disabled', 'completed', 'cancelled', 'error')),
  -- Grows with every change that a scheduler's stale view must not survive.
  version BIGINT NOT NULL DEFAULT 1,
  revision INTEGER NOT NULL DEFAULT 1,
  revision_from BIGINT NOT NULL,
  spec TEXT COLLATE "C" NOT NULL,
  handler TEXT COLLATE "C" NOT NULL,
  queue TEXT COLLATE "C" NOT NULL,
  priority INTEGER NOT NULL,
  overlap TEXT COLLATE "C" NOT NULL,
  max_attempts INTEGER NOT NULL,
  -- Of its schedule, null without one; the zone of a cron.
  schedule_kind TEXT COLLATE "C",
  timezone TEXT COLLATE "C",
  -- Of a fixedDelay schedule, else null.
  delay_ms BIGINT,
  -- Where the job has a start deadline, else null.
  start_deadline_ms BIGINT,
  -- A due tick that is unstarted for longer makes the job late.
  late_ms BIGINT NOT NULL DEFAULT 60000,
  -- The cursor: a tick is accounted exactly if it is below it.
  accounted_until BIGINT NOT NULL,
  ledger_from BIGINT NOT NULL,
  -- The time zone data that computed its last ticks.
  tz_version TEXT COLLATE "C" NOT NULL,
  next_due_at BIGINT,
  open_tick_at BIGINT,
  runs BIGINT NOT NULL DEFAULT 0,
  chain_yields INTEGER NOT NULL DEFAULT 0,
  paused_at BIGINT,
  paused_until BIGINT,
  paused_reason TEXT COLLATE "C",
  paused_by TEXT COLLATE "C",
  managed_by TEXT COLLATE "C" NOT NULL,
  managed_hash TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deleted_at BIGINT
);

CREATE UNIQUE INDEX jobs_name ON evertick.jobs (name) WHERE deleted_at IS NULL;
CREATE INDEX jobs_due ON evertick.jobs (next_due_at) WHERE next_due_at IS NOT NULL;
CREATE INDEX jobs_updated ON evertick.jobs (updated_at);
-- Few, and to be counted: an active job, whose row each tick writes, is not in it.
CREATE INDEX jobs_resting ON evertick.jobs (state, id)
  WHERE deleted_at IS NULL AND state <> 'active';

-- The tags of the spec, so that jobs are found by them.
CREATE TABLE evertick.job_tags (
  tag TEXT COLLATE "C" NOT NULL,
  job_id UUID NOT NULL,
  PRIMARY KEY (tag, job_id)
);
CREATE INDEX job_tags_job ON evertick.job_tags (job_id);

-- Executions that are not finished. Claims and ends are what a server does most, so what they touch is small and has few
-- indexes, and an end costs its row here no index entry at all. Vacuum comes early: every claim begins at the head of its
-- index, where the dead entries of the last ones lie.
CREATE TABLE evertick.live_executions (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  scheduled_for BIGINT NOT NULL,
  ready_at BIGINT NOT NULL,
  -- Grows at every claim; every write after a claim names it.
  fence BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL,
  -- Set only where this execution IS the account of that tick.
  tick_at BIGINT,
  start_by BIGINT,
  leased_until BIGINT,
  -- Where it stands in its holder's reserve, else null.
  reserve_place BIGINT,
  started_at BIGINT,
  finished_at BIGINT,
  cancel_requested_at BIGINT,
  priority INTEGER NOT NULL,
  attempt INTEGER NOT NULL DEFAULT 0,
  max_attempts INTEGER NOT NULL,
  caught_up_index INTEGER,
  caught_up_of INTEGER,
  progress DOUBLE PRECISION,
  id UUID NOT NULL,
  job_id UUID NOT NULL,
  retry_of UUID,
  state TEXT COLLATE "C" NOT NULL,
  cause TEXT COLLATE "C" NOT NULL,
  account TEXT COLLATE "C",
  queue TEXT COLLATE "C" NOT NULL,
  handler TEXT COLLATE "C" NOT NULL,
  leased_by TEXT COLLATE "C",
  cancel_reason TEXT COLLATE "C",
  unique_key TEXT COLLATE "C",
  idempotency_key TEXT COLLATE "C",
  progress_note TEXT COLLATE "C",
  metadata TEXT COLLATE "C",
  input TEXT COLLATE "C",
  result TEXT COLLATE "C",
  error TEXT COLLATE "C"
) WITH (
  fillfactor = 90,
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.02
);

CREATE UNIQUE INDEX live_executions_id ON evertick.live_executions (id);
-- The second belt: a tick has one execution. (Whoever makes one also looks among the finished.)
CREATE UNIQUE INDEX live_executions_tick ON evertick.live_executions (job_id, tick_at) WHERE tick_at IS NOT NULL;
CREATE UNIQUE INDEX live_executions_unique ON evertick.live_executions (job_id, unique_key)
  WHERE unique_key IS NOT NULL;
CREATE INDEX live_executions_claim ON evertick.live_executions (queue, priority DESC, ready_at, seq)
  WHERE state IN ('pending', 'retrying');
CREATE INDEX live_executions_lease ON evertick.live_executions (leased_until) WHERE state = 'running';
CREATE INDEX live_executions_lane ON evertick.live_executions (job_id)
  WHERE cause <> 'enqueue' AND (state = 'pending' OR state = 'running' OR state = 'retrying');
CREATE INDEX live_executions_blocked ON evertick.live_executions (job_id, cause, seq)
  WHERE state = 'blocked';
-- A start clears start_by, so that only what still waits is found here.
CREATE INDEX live_executions_deadline ON evertick.live_executions (start_by) WHERE start_by IS NOT NULL;
CREATE INDEX live_executions_job ON evertick.live_executions (job_id, seq);

-- Executions that have ended, each moved here by the transaction that ended it, and never changed again. Columns of one
-- width come first: a row has no gaps then.
CREATE TABLE evertick.finished_executions (
  seq BIGINT PRIMARY KEY,
  scheduled_for BIGINT NOT NULL,
  ready_at BIGINT NOT NULL,
  fence BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  finished_at BIGINT NOT NULL,
  started_at BIGINT,
  tick_at BIGINT,
  cancel_requested_at BIGINT,
  priority INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  caught_up_index INTEGER,
  caught_up_of INTEGER,
  progress DOUBLE PRECISION,
  id UUID NOT NULL,
  job_id UUID NOT NULL,
  retry_of UUID,
  state TEXT COLLATE "C" NOT NULL CHECK (state IN ('completed', 'failed', 'cancelled')),
  cause TEXT COLLATE "C" NOT NULL,
  account TEXT COLLATE "C",
  queue TEXT COLLATE "C" NOT NULL,
  handler TEXT COLLATE "C" NOT NULL,
  leased_by TEXT COLLATE "C",
  cancel_reason TEXT COLLATE "C",
  unique_key TEXT COLLATE "C",
  idempotency_key TEXT COLLATE "C",
  progress_note TEXT COLLATE "C",
  metadata TEXT COLLATE "C",
  input TEXT COLLATE "C",
  result TEXT COLLATE "C",
  error TEXT COLLATE "C"
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

CREATE UNIQUE INDEX finished_executions_id ON evertick.finished_executions (id);
CREATE UNIQUE INDEX finished_executions_tick ON evertick.finished_executions (job_id, tick_at)
  WHERE tick_at IS NOT NULL;
CREATE INDEX finished_executions_job ON evertick.finished_executions (job_id, seq);
CREATE INDEX finished_executions_failed ON evertick.finished_executions (seq) WHERE state = 'failed';

-- All executions, for those who read.
CREATE VIEW evertick.job_executions AS
SELECT
  seq, id, job_id, cause, tick_at, account, scheduled_for, state, ready_at, start_by, queue, priority, handler, attempt,
  max_attempts, caught_up_index, caught_up_of, input, result, error, cancel_reason, cancel_requested_at, progress,
  progress_note, metadata, unique_key, retry_of, idempotency_key, fence, leased_by, leased_until, reserve_place,
  created_at, started_at, finished_at
FROM evertick.live_executions
UNION ALL
SELECT
  seq, id, job_id, cause, tick_at, account, scheduled_for, state, ready_at, NULL::bigint, queue, priority,
  handler, attempt, max_attempts, caught_up_index, caught_up_of, input, result, error, cancel_reason,
  cancel_requested_at, progress, progress_note, metadata, unique_key, retry_of, idempotency_key, fence, leased_by,
  NULL::bigint, NULL::bigint, created_at, started_at, finished_at
FROM evertick.finished_executions;

-- Attempts that ended otherwise than by plain completion: the execution's own row tells of that one.
CREATE TABLE evertick.attempts (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  execution_id UUID NOT NULL,
  attempt INTEGER NOT NULL,
  fence BIGINT NOT NULL,
  node_id TEXT COLLATE "C",
  started_at BIGINT,
  finished_at BIGINT NOT NULL,
  outcome TEXT COLLATE "C" NOT NULL,
  error TEXT COLLATE "C"
);
CREATE INDEX attempts_execution ON evertick.attempts (execution_id);

CREATE TABLE evertick.execution_logs (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  execution_id UUID NOT NULL,
  at BIGINT NOT NULL,
  level TEXT COLLATE "C" NOT NULL,
  message TEXT COLLATE "C" NOT NULL
);
CREATE INDEX execution_logs_execution ON evertick.execution_logs (execution_id);

-- One row for a run of ticks that became the same and have no execution, or none any more; from_at and to_at are its first
-- and last tick. 'mixed': an hour of ticks that became different things, in order, in `packed`.
CREATE TABLE evertick.tick_ranges (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_id UUID NOT NULL,
  from_at BIGINT NOT NULL,
  to_at BIGINT NOT NULL,
  count BIGINT NOT NULL,
  account TEXT COLLATE "C" NOT NULL CHECK (account IN ('fired', 'caught_up', 'coalesced', 'skipped', 'mixed')),
  -- Of skipped and coalesced ticks.
  reason TEXT COLLATE "C",
  -- Of ticks that had executions: their final state, and why they were cancelled.
  outcome TEXT COLLATE "C" CHECK (outcome IN ('completed', 'failed', 'cancelled')),
  cancel_reason TEXT COLLATE "C",
  -- Of coalesced ticks: what stands for them.
  execution_id UUID,
  into_at BIGINT,
  revision INTEGER NOT NULL,
  tz_version TEXT COLLATE "C" NOT NULL,
  packed TEXT COLLATE "C",
  created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX tick_ranges_job ON evertick.tick_ranges (job_id, from_at);
CREATE INDEX tick_ranges_end ON evertick.tick_ranges (to_at);

-- What the ledger has passed, so that totals + ledger = all ticks.
CREATE TABLE evertick.ledger_totals (
  job_id UUID NOT NULL,
  account TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C" NOT NULL,
  count BIGINT NOT NULL,
  PRIMARY KEY (job_id, account, reason)
);

-- Executions without a tick that are no longer kept, by the UTC day of their end.
CREATE TABLE evertick.day_totals (
  job_id UUID NOT NULL,
  day_at BIGINT NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  count BIGINT NOT NULL,
  PRIMARY KEY (job_id, day_at, state)
);
CREATE INDEX day_totals_day ON evertick.day_totals (day_at);

-- From when on a job's ticks were computed with other time zone data than its revision names.
CREATE TABLE evertick.zone_spans (
  job_id UUID NOT NULL,
  from_at BIGINT NOT NULL,
  tz_version TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (job_id, from_at)
);

CREATE TABLE evertick.job_revisions (
  job_id UUID NOT NULL,
  revision INTEGER NOT NULL,
  from_at BIGINT NOT NULL,
  spec TEXT COLLATE "C" NOT NULL,
  changed_by TEXT COLLATE "C" NOT NULL,
  changed_at BIGINT NOT NULL,
  tz_version TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (job_id, revision)
);

CREATE TABLE evertick.locks (
  name TEXT COLLATE "C" PRIMARY KEY,
  holder TEXT COLLATE "C" NOT NULL,
  token TEXT COLLATE "C" NOT NULL,
  fence BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  lifeline TEXT COLLATE "C"
);

CREATE TABLE evertick.nodes (
  id TEXT COLLATE "C" PRIMARY KEY,
  host TEXT COLLATE "C" NOT NULL,
  pid INTEGER NOT NULL,
  roles TEXT COLLATE "C" NOT NULL,
  queues TEXT COLLATE "C" NOT NULL,
  version TEXT COLLATE "C" NOT NULL,
  lease_ms BIGINT NOT NULL,
  started_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL
);

CREATE TABLE evertick.node_handlers (
  handler TEXT COLLATE "C" NOT NULL,
  node_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (handler, node_id)
);

-- A worker's reserve of a queue: what it has claimed ahead stands in it by `reserve_place`, and up to `begun_to` the handlers
-- have begun, of those from `from_place` on. Whoever takes something out of it, or asks it to stop, raises `turn`: a mark under the old one is refused.
CREATE TABLE evertick.reserves (
  node_id TEXT COLLATE "C" NOT NULL,
  queue TEXT COLLATE "C" NOT NULL,
  turn BIGINT NOT NULL,
  from_place BIGINT NOT NULL,
  begun_to BIGINT NOT NULL,
  begun_at BIGINT NOT NULL,
  PRIMARY KEY (node_id, queue)
);

-- Since when nobody names or can run a job; a row goes when somebody does again.
CREATE TABLE evertick.orphans (
  job_id UUID PRIMARY KEY,
  since_at BIGINT NOT NULL
);

-- Jobs whose last final outcome is no success: none yet, or a failure. A success removes the row, so that a job that does
-- well costs its completions a look at a small table, and no write.
CREATE TABLE evertick.unproven (
  job_id UUID PRIMARY KEY,
  -- Final failures in a row; 0 where nothing has ended yet.
  failures INTEGER NOT NULL,
  -- The last of them.
  failed_at BIGINT,
  execution_id UUID
);

CREATE TABLE evertick.queues (
  name TEXT COLLATE "C" PRIMARY KEY,
  paused_at BIGINT,
  paused_by TEXT COLLATE "C",
  paused_reason TEXT COLLATE "C"
);

-- Its ids are never given twice: a seal names those that it stands for.
CREATE TABLE evertick.audit_log (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at BIGINT NOT NULL,
  actor TEXT COLLATE "C" NOT NULL,
  origin TEXT COLLATE "C",
  action TEXT COLLATE "C" NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  before_value TEXT COLLATE "C",
  after_value TEXT COLLATE "C"
);
CREATE INDEX audit_log_subject ON evertick.audit_log (subject, id);
CREATE INDEX audit_log_actor ON evertick.audit_log (actor, id);
CREATE INDEX audit_log_at ON evertick.audit_log (at);

-- Each seal is the hash of a run of entries and of the seal before it. The first that is left of a log whose begin was
-- pruned stands for what is gone.
CREATE TABLE evertick.audit_seals (
  id BIGINT PRIMARY KEY,
  from_id BIGINT NOT NULL,
  to_id BIGINT NOT NULL,
  entries INTEGER NOT NULL,
  hash TEXT COLLATE "C" NOT NULL,
  sealed_at BIGINT NOT NULL,
  term_id BIGINT NOT NULL,
  pruned_at BIGINT
);

-- Who may call the API: tokens, the dashboard's sessions, and links to sign in with. No secret is here: a token is signed,
-- and a link is known by the hash of its code.
CREATE TABLE evertick.access_tokens (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('token', 'session', 'link')),
  name TEXT COLLATE "C" NOT NULL,
  role TEXT COLLATE "C" NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
  created_at BIGINT NOT NULL,
  created_by TEXT COLLATE "C" NOT NULL,
  -- The token that it was made with, and that takes it along.
  parent_id TEXT COLLATE "C",
  expires_at BIGINT NOT NULL,
  used_at BIGINT,
  revoked_at BIGINT
);
CREATE INDEX access_tokens_parent ON evertick.access_tokens (parent_id);
CREATE INDEX access_tokens_expires ON evertick.access_tokens (expires_at);

-- Answers that a caller may ask for again under the same key.
CREATE TABLE evertick.idempotency_keys (
  actor TEXT COLLATE "C" NOT NULL,
  request_key TEXT COLLATE "C" NOT NULL,
  request_hash TEXT COLLATE "C" NOT NULL,
  begun_at BIGINT NOT NULL,
  taken_at BIGINT NOT NULL,
  status INTEGER,
  headers TEXT COLLATE "C",
  body TEXT COLLATE "C",
  PRIMARY KEY (actor, request_key)
);
CREATE INDEX idempotency_keys_begun ON evertick.idempotency_keys (begun_at);

-- Timestamps without a zone: always UTC.
CREATE TABLE evertick.scheduler_leader_log (
  id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  leader_instance VARCHAR(255) COLLATE "C" NOT NULL,
  start_time TIMESTAMP(3) NOT NULL,
  stop_time TIMESTAMP(3) DEFAULT NULL,
  last_heartbeat TIMESTAMP(3) DEFAULT NULL,
  handled_missed_tasks BOOLEAN DEFAULT FALSE,
  created_at TIMESTAMP(3) DEFAULT (now() AT TIME ZONE 'UTC'),
  updated_at TIMESTAMP(3) DEFAULT (now() AT TIME ZONE 'UTC')
);
CREATE INDEX idx_start_time ON evertick.scheduler_leader_log (start_time DESC);
CREATE INDEX idx_leader_instance ON evertick.scheduler_leader_log (leader_instance);
-- By anybody's own UPDATE; one that writes the column itself is left alone.
CREATE FUNCTION evertick.touch_leader_log() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN NEW.updated_at = clock_timestamp() AT TIME ZONE ''UTC''; RETURN NEW; END';
CREATE TRIGGER trg_scheduler_leader_log_updated_at BEFORE UPDATE ON evertick.scheduler_leader_log
  FOR EACH ROW WHEN (NEW.updated_at IS NOT DISTINCT FROM OLD.updated_at) EXECUTE FUNCTION evertick.touch_leader_log();

-- What each term found missed and what it did with it; apart, so that the seed's table keeps its columns.
CREATE TABLE evertick.term_repairs (
  term_id BIGINT PRIMARY KEY,
  found BIGINT NOT NULL DEFAULT 0,
  caught_up BIGINT NOT NULL DEFAULT 0,
  coalesced BIGINT NOT NULL DEFAULT 0,
  skipped BIGINT NOT NULL DEFAULT 0,
  tz_version TEXT COLLATE "C" NOT NULL
);

-- The same by job, for the story that is told of it: written with the accounts, whatever becomes of those later.
CREATE TABLE evertick.missed_ticks (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  term_id BIGINT NOT NULL,
  job_name TEXT COLLATE "C" NOT NULL,
  account TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C",
  count BIGINT NOT NULL
);
CREATE INDEX missed_ticks_term ON evertick.missed_ticks (term_id);

-- What a LeaderLogCoordinator has put, or was about to put, into a queue that is not Evertick's.
CREATE TABLE evertick.enqueue_marks (
  -- taskId:scheduleTime
  mark TEXT COLLATE "C" PRIMARY KEY,
  -- The fence of the leader who claimed it.
  claimed_by BIGINT NOT NULL,
  -- Null until it is surely in the queue.
  enqueued_at BIGINT,
  expires_at BIGINT NOT NULL
);
CREATE INDEX enqueue_marks_expiry ON evertick.enqueue_marks (expires_at);

-- For people at a SQL prompt; instants show in the time zone of their session.
CREATE VIEW evertick.readable_jobs AS
SELECT
  name,
  state,
  to_timestamp(next_due_at / 1000.0) AS next_due,
  to_timestamp(accounted_until / 1000.0) AS accounted_until,
  paused_reason,
  managed_by,
  revision,
  id
FROM evertick.jobs
WHERE deleted_at IS NULL;

CREATE VIEW evertick.readable_executions AS
SELECT
  e.id,
  j.name AS job,
  e.state,
  e.cause,
  to_timestamp(e.scheduled_for / 1000.0) AS scheduled_for,
  to_timestamp(e.started_at / 1000.0) AS started,
  e.finished_at - e.started_at AS duration_ms,
  e.attempt,
  e.leased_by,
  e.error
FROM evertick.job_executions e
JOIN evertick.jobs j ON j.id = e.job_id;

CREATE VIEW evertick.readable_ticks AS
SELECT
  j.name AS job,
  to_timestamp(e.tick_at / 1000.0) AS from_tick,
  to_timestamp(e.tick_at / 1000.0) AS to_tick,
  1 AS ticks,
  e.account,
  NULL AS reason,
  e.id AS execution_id,
  e.state
FROM evertick.job_executions e
JOIN evertick.jobs j ON j.id = e.job_id
WHERE e.tick_at IS NOT NULL
UNION ALL
SELECT
  j.name,
  to_timestamp(r.from_at / 1000.0),
  to_timestamp(r.to_at / 1000.0),
  r.count,
  r.account,
  r.reason,
  r.execution_id,
  r.outcome
FROM evertick.tick_ranges r
JOIN evertick.jobs j ON j.id = r.job_id;

-- The jobs of ProcessingWorker in the words of its document. JSON that PostgreSQL cannot read (NUL, half a character) is
-- shown as it is, or one row would spoil the view.
CREATE VIEW evertick.processing_jobs AS
SELECT
  e.id,
  COALESCE(CASE WHEN e.metadata !~ '\\u(0000|d[89a-f])' THEN e.metadata::json ->> 'job_id' END, e.id::text) AS job_id,
  CASE e.state
    WHEN 'blocked' THEN 'pending'
    WHEN 'running' THEN 'processing'
    WHEN 'retrying' THEN 'retry'
    WHEN 'completed' THEN 'done'
    WHEN 'cancelled' THEN 'failed'
    ELSE e.state
  END AS status,
  CASE WHEN e.state = 'running' THEN e.leased_by END AS locked_by,
  to_timestamp(e.leased_until / 1000.0) AS locked_until,
  e.attempt AS attempts,
  CASE
    WHEN e.error IS NULL THEN 'cancelled: ' || e.cancel_reason
    WHEN e.error ~ '\\u(0000|d[89a-f])' THEN e.error
    ELSE e.error::json ->> 'message'
  END AS last_error,
  to_timestamp(e.created_at / 1000.0) AS created_at,
  to_timestamp(COALESCE(
    e.finished_at,
    CASE WHEN e.state = 'running' THEN e.started_at END,
    (SELECT max(a.finished_at) FROM evertick.attempts a WHERE a.execution_id = e.id),
    e.created_at
  ) / 1000.0) AS updated_at,
  e.queue
FROM evertick.job_executions e
JOIN evertick.jobs j ON j.id = e.job_id
WHERE j.name = 'processing' OR j.name LIKE 'processing:%';
