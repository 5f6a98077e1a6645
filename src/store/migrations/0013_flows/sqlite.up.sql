-- Executions that wait for one another. A flow's row is held by whoever ends, cancels or makes again a part of it.
CREATE TABLE evertick_flows (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT,
  state TEXT NOT NULL CHECK (state IN ('running', 'completed', 'failed', 'cancelled')),
  steps INTEGER NOT NULL,
  -- Of them, how many have ended so; the others are unfinished.
  completed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  cancelled INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  finished_at INTEGER
) WITHOUT ROWID;
CREATE INDEX evertick_flows_state ON evertick_flows (state, id);

-- Each step with its newest execution.
CREATE TABLE evertick_flow_steps (
  flow_id TEXT NOT NULL,
  name TEXT NOT NULL,
  -- In the order in which its flow names them.
  position INTEGER NOT NULL,
  execution_id TEXT NOT NULL UNIQUE,
  -- The names of the steps that it comes after, as JSON.
  parents TEXT NOT NULL,
  on_failure TEXT NOT NULL CHECK (on_failure IN ('cancel', 'continue')),
  -- Grows with each retry.
  generation INTEGER NOT NULL,
  PRIMARY KEY (flow_id, name)
) WITHOUT ROWID;

-- The same, from a step to those after it.
CREATE TABLE evertick_flow_edges (
  flow_id TEXT NOT NULL,
  parent TEXT NOT NULL,
  child TEXT NOT NULL,
  PRIMARY KEY (flow_id, parent, child)
) WITHOUT ROWID;

-- The executions that retries of their steps have followed.
CREATE TABLE evertick_flow_retries (
  flow_id TEXT NOT NULL,
  name TEXT NOT NULL,
  generation INTEGER NOT NULL,
  execution_id TEXT NOT NULL,
  PRIMARY KEY (flow_id, name, generation)
) WITHOUT ROWID;

-- Executions that were enqueued together, and what is run once all of them have ended.
CREATE TABLE evertick_batches (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT,
  total INTEGER NOT NULL,
  completed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  cancelled INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  -- When the last one had ended.
  done_at INTEGER,
  -- The execution that waits for that; null where nothing follows.
  on_done_id TEXT UNIQUE
) WITHOUT ROWID;

CREATE TABLE evertick_batch_members (
  batch_id TEXT NOT NULL,
  execution_id TEXT NOT NULL,
  PRIMARY KEY (batch_id, execution_id)
) WITHOUT ROWID;
