-- What hangs on an execution: limits, flows, batches, the jobs that come after its own. All of it is null for plain work.
ALTER TABLE evertick_jobs
  ADD COLUMN limited INT,
  -- How many jobs come after it, else null.
  ADD COLUMN followed INT;

ALTER TABLE evertick_job_executions
  -- Something is to be settled when it is claimed or ends.
  ADD COLUMN tied INT,
  -- The execution that it all began with; null where that is itself.
  ADD COLUMN root_id VARCHAR(64),
  ADD COLUMN flow_id VARCHAR(64),
  ADD COLUMN flow_step VARCHAR(200),
  ADD COLUMN batch_id VARCHAR(64),
  -- What it waits for, other than its turn in its lane: it is `pending` or `retrying` then, and ready at no time.
  ADD COLUMN waits_for VARCHAR(32),
  -- The time that it is ready at once that has come.
  ADD COLUMN wait_ready_at BIGINT,
  -- Of a flow's step: how many steps before it have not ended.
  ADD COLUMN open_parents INT,
  -- It must not start later than this, since its hours are over then.
  ADD COLUMN open_until BIGINT,
  -- The limits that it counts in, and the one that it waits at.
  ADD COLUMN limit_keys LONGTEXT,
  ADD COLUMN wait_key VARCHAR(200),
  -- Whose turn it is among those who share a queue.
  ADD COLUMN fair_key VARCHAR(200),
  ADD COLUMN turn BIGINT;
