-- What hangs on an execution: limits, flows, batches, the jobs that come after its own. All of it is null for plain work.
ALTER TABLE evertick_jobs ADD COLUMN limited INTEGER;
-- How many jobs come after it, else null.
ALTER TABLE evertick_jobs ADD COLUMN followed INTEGER;
-- Something is to be settled when it is claimed or ends.
ALTER TABLE evertick_job_executions ADD COLUMN tied INTEGER;
-- The execution that it all began with; null where that is itself.
ALTER TABLE evertick_job_executions ADD COLUMN root_id TEXT;
ALTER TABLE evertick_job_executions ADD COLUMN flow_id TEXT;
ALTER TABLE evertick_job_executions ADD COLUMN flow_step TEXT;
ALTER TABLE evertick_job_executions ADD COLUMN batch_id TEXT;
-- What it waits for, other than its turn in its lane: it is `pending` or `retrying` then, and ready at no time.
ALTER TABLE evertick_job_executions ADD COLUMN waits_for TEXT;
-- The time that it is ready at once that has come.
ALTER TABLE evertick_job_executions ADD COLUMN wait_ready_at INTEGER;
-- Of a flow's step: how many steps before it have not ended.
ALTER TABLE evertick_job_executions ADD COLUMN open_parents INTEGER;
-- It must not start later than this, since its hours are over then.
ALTER TABLE evertick_job_executions ADD COLUMN open_until INTEGER;
-- The limits that it counts in, and the one that it waits at.
ALTER TABLE evertick_job_executions ADD COLUMN limit_keys TEXT;
ALTER TABLE evertick_job_executions ADD COLUMN wait_key TEXT;
-- Whose turn it is among those who share a queue.
ALTER TABLE evertick_job_executions ADD COLUMN fair_key TEXT;
ALTER TABLE evertick_job_executions ADD COLUMN turn INTEGER;
