-- Whoever changes who comes after whom holds this row, so that two changes cannot close a circle together.
CREATE TABLE evertick_dependency_graph (
  id INTEGER NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL
);
INSERT INTO evertick_dependency_graph (id, version) VALUES (1, 0);

-- One job comes after another. What a run leads to is decided by the rows that held when it began: a changed one ends, and
-- another begins.
CREATE TABLE evertick_dependencies (
  child_id TEXT NOT NULL,
  -- The name of a job, which may not be there yet.
  parent TEXT NOT NULL,
  -- Of the child, with which it came.
  revision INTEGER NOT NULL,
  on_end TEXT NOT NULL,
  join_mode TEXT NOT NULL,
  -- Of a join by periods, else null.
  per_length TEXT,
  per_zone TEXT,
  made_at INTEGER NOT NULL,
  ended_at INTEGER,
  PRIMARY KEY (child_id, parent, revision)
) WITHOUT ROWID;
CREATE INDEX evertick_dependencies_parent ON evertick_dependencies (parent);

-- What the parents of a job have come to, for one run that began it all (join_key: its id) or for one period (its first
-- instant). A job is run at most once for each.
CREATE TABLE evertick_joins (
  child_id TEXT NOT NULL,
  join_key TEXT NOT NULL,
  -- open, made, not_made
  state TEXT NOT NULL,
  reason TEXT,
  join_mode TEXT NOT NULL,
  root_id TEXT,
  period_to INTEGER,
  -- When a period is closed, whoever is missing.
  close_at INTEGER,
  scheduled_for INTEGER NOT NULL,
  -- JSON: of each parent how it came out.
  parents TEXT NOT NULL,
  execution_id TEXT,
  opened_at INTEGER NOT NULL,
  closed_at INTEGER,
  PRIMARY KEY (child_id, join_key)
) WITHOUT ROWID;
CREATE INDEX evertick_joins_state ON evertick_joins (state, close_at);
CREATE INDEX evertick_joins_child ON evertick_joins (child_id, opened_at);

CREATE INDEX evertick_job_executions_root ON evertick_job_executions (root_id) WHERE root_id IS NOT NULL;
-- Runs that were made while their job was held by somebody else: few, and soon placed.
CREATE INDEX evertick_job_executions_unplaced ON evertick_job_executions (job_id) WHERE waits_for = 'place';
