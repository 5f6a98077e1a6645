-- By a copy: columns that are dropped at once stay in the rows, and after some rounds no row has room for new ones.
ALTER TABLE evertick_job_executions
  DROP COLUMN tied,
  DROP COLUMN root_id,
  DROP COLUMN flow_id,
  DROP COLUMN flow_step,
  DROP COLUMN batch_id,
  DROP COLUMN waits_for,
  DROP COLUMN wait_ready_at,
  DROP COLUMN open_parents,
  DROP COLUMN open_until,
  DROP COLUMN limit_keys,
  DROP COLUMN wait_key,
  DROP COLUMN fair_key,
  DROP COLUMN turn,
  ALGORITHM=COPY;

ALTER TABLE evertick_jobs
  DROP COLUMN limited,
  DROP COLUMN followed,
  ALGORITHM=COPY;
