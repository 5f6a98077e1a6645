-- What hangs on an execution: limits, flows, batches, the jobs that come after its own. All of it is null for plain work.
ALTER TABLE evertick.jobs
  ADD COLUMN limited INTEGER,
  -- How many jobs come after it, else null.
  ADD COLUMN followed INTEGER;

ALTER TABLE evertick.live_executions
  -- Something is to be settled when it is claimed or ends.
  ADD COLUMN tied INTEGER,
  -- The execution that it all began with; null where that is itself.
  ADD COLUMN root_id UUID,
  ADD COLUMN flow_id UUID,
  ADD COLUMN flow_step TEXT COLLATE "C",
  ADD COLUMN batch_id UUID,
  -- What it waits for, other than its turn in its lane: it is `pending` or `retrying` then, and ready at no time.
  ADD COLUMN waits_for TEXT COLLATE "C",
  -- The time that it is ready at once that has come.
  ADD COLUMN wait_ready_at BIGINT,
  -- Of a flow's step: how many steps before it have not ended.
  ADD COLUMN open_parents INTEGER,
  -- It must not start later than this, since its hours are over then.
  ADD COLUMN open_until BIGINT,
  -- The limits that it counts in, and the one that it waits at.
  ADD COLUMN limit_keys TEXT COLLATE "C",
  ADD COLUMN wait_key TEXT COLLATE "C",
  -- Whose turn it is among those who share a queue.
  ADD COLUMN fair_key TEXT COLLATE "C",
  ADD COLUMN turn BIGINT;

ALTER TABLE evertick.finished_executions
  ADD COLUMN tied INTEGER,
  ADD COLUMN root_id UUID,
  ADD COLUMN flow_id UUID,
  ADD COLUMN flow_step TEXT COLLATE "C",
  ADD COLUMN batch_id UUID;

CREATE OR REPLACE VIEW evertick.job_executions AS
SELECT
  seq, id, job_id, cause, tick_at, account, scheduled_for, state, ready_at, start_by, queue, priority, handler, attempt,
  max_attempts, caught_up_index, caught_up_of, input, result, error, cancel_reason, cancel_requested_at, progress,
  progress_note, metadata, unique_key, retry_of, idempotency_key, fence, leased_by, leased_until, reserve_place,
  created_at, started_at, finished_at, tied, root_id, flow_id, flow_step, batch_id, waits_for, wait_ready_at,
  open_parents, open_until, limit_keys, wait_key, fair_key, turn
FROM evertick.live_executions
UNION ALL
SELECT
  seq, id, job_id, cause, tick_at, account, scheduled_for, state, ready_at, NULL::bigint, queue, priority,
  handler, attempt, max_attempts, caught_up_index, caught_up_of, input, result, error, cancel_reason,
  cancel_requested_at, progress, progress_note, metadata, unique_key, retry_of, idempotency_key, fence, leased_by,
  NULL::bigint, NULL::bigint, created_at, started_at, finished_at, tied, root_id, flow_id, flow_step, batch_id,
  NULL::text COLLATE "C", NULL::bigint, NULL::integer, NULL::bigint, NULL::text COLLATE "C", NULL::text COLLATE "C",
  NULL::text COLLATE "C", NULL::bigint
FROM evertick.finished_executions;
