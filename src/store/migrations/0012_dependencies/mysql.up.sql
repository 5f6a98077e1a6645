-- Whoever changes who comes after whom holds this row, so that two changes cannot close a circle together.
CREATE TABLE IF NOT EXISTS evertick_dependency_graph (
  id BIGINT NOT NULL PRIMARY KEY,
  version BIGINT NOT NULL
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;
INSERT INTO evertick_dependency_graph (id, version) VALUES (1, 0) ON DUPLICATE KEY UPDATE id = id;

-- One job comes after another. What a run leads to is decided by the rows that held when it began: a changed one ends, and
-- another begins.
CREATE TABLE IF NOT EXISTS evertick_dependencies (
  child_id VARCHAR(64) NOT NULL,
  -- The name of a job, which may not be there yet.
  parent VARCHAR(200) NOT NULL,
  -- Of the child, with which it came.
  revision BIGINT NOT NULL,
  on_end VARCHAR(32) NOT NULL,
  join_mode VARCHAR(32) NOT NULL,
  -- Of a join by periods, else null.
  per_length VARCHAR(64),
  per_zone VARCHAR(100),
  made_at BIGINT NOT NULL,
  ended_at BIGINT,
  PRIMARY KEY (child_id, parent, revision),
  KEY evertick_dependencies_parent (parent)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- What the parents of a job have come to, for one run that began it all (join_key: its id) or for one period (its first
-- instant). A job is run at most once for each.
CREATE TABLE IF NOT EXISTS evertick_joins (
  child_id VARCHAR(64) NOT NULL,
  join_key VARCHAR(64) NOT NULL,
  -- open, made, not_made
  state VARCHAR(32) NOT NULL,
  reason VARCHAR(32),
  join_mode VARCHAR(32) NOT NULL,
  root_id VARCHAR(64),
  period_to BIGINT,
  -- When a period is closed, whoever is missing.
  close_at BIGINT,
  scheduled_for BIGINT NOT NULL,
  -- JSON: of each parent how it came out.
  parents LONGTEXT NOT NULL,
  execution_id VARCHAR(64),
  opened_at BIGINT NOT NULL,
  closed_at BIGINT,
  PRIMARY KEY (child_id, join_key),
  KEY evertick_joins_state (state, close_at),
  KEY evertick_joins_child (child_id, opened_at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

CREATE INDEX evertick_job_executions_root ON evertick_job_executions (root_id);
-- Runs that were made while their job was held by somebody else: few, and soon placed.
CREATE INDEX evertick_job_executions_unplaced ON evertick_job_executions (waits_for);
