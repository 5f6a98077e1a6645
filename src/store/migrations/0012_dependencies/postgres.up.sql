-- Whoever changes who comes after whom holds this row, so that two changes cannot close a circle together.
CREATE TABLE evertick.dependency_graph (
  id BIGINT PRIMARY KEY,
  version BIGINT NOT NULL
);
INSERT INTO evertick.dependency_graph (id, version) VALUES (1, 0);

-- One job comes after another. What a run leads to is decided by the rows that held when it began: a changed one ends, and
-- another begins.
CREATE TABLE evertick.dependencies (
  child_id UUID NOT NULL,
  -- The name of a job, which may not be there yet.
  parent TEXT COLLATE "C" NOT NULL,
  -- Of the child, with which it came.
  revision BIGINT NOT NULL,
  on_end TEXT COLLATE "C" NOT NULL,
  join_mode TEXT COLLATE "C" NOT NULL,
  -- Of a join by periods, else null.
  per_length TEXT COLLATE "C",
  per_zone TEXT COLLATE "C",
  made_at BIGINT NOT NULL,
  ended_at BIGINT,
  PRIMARY KEY (child_id, parent, revision)
);
CREATE INDEX dependencies_parent ON evertick.dependencies (parent);

-- What the parents of a job have come to, for one run that began it all (join_key: its id) or for one period (its first
-- instant). A job is run at most once for each.
CREATE TABLE evertick.joins (
  child_id UUID NOT NULL,
  join_key TEXT COLLATE "C" NOT NULL,
  -- open, made, not_made
  state TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C",
  join_mode TEXT COLLATE "C" NOT NULL,
  root_id UUID,
  period_to BIGINT,
  -- When a period is closed, whoever is missing.
  close_at BIGINT,
  scheduled_for BIGINT NOT NULL,
  -- JSON: of each parent how it came out.
  parents TEXT COLLATE "C" NOT NULL,
  execution_id UUID,
  opened_at BIGINT NOT NULL,
  closed_at BIGINT,
  PRIMARY KEY (child_id, join_key)
);
CREATE INDEX joins_state ON evertick.joins (state, close_at);
CREATE INDEX joins_child ON evertick.joins (child_id, opened_at);

CREATE INDEX live_executions_root ON evertick.live_executions (root_id) WHERE root_id IS NOT NULL;
-- Runs that were made while their job was held by somebody else: few, and soon placed.
CREATE INDEX live_executions_unplaced ON evertick.live_executions (job_id) WHERE waits_for = 'place';
