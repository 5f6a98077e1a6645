-- Executions that wait for one another. A flow's row is held by whoever ends, cancels or makes again a part of it.
CREATE TABLE IF NOT EXISTS evertick_flows (
  id VARCHAR(64) NOT NULL,
  name VARCHAR(200),
  state VARCHAR(32) NOT NULL CHECK (state IN ('running', 'completed', 'failed', 'cancelled')),
  steps INTEGER NOT NULL,
  -- Of them, how many have ended so; the others are unfinished.
  completed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  cancelled INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  finished_at BIGINT,
  PRIMARY KEY (id),
  KEY evertick_flows_state (state, id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- Each step with its newest execution.
CREATE TABLE IF NOT EXISTS evertick_flow_steps (
  flow_id VARCHAR(64) NOT NULL,
  name VARCHAR(100) NOT NULL,
  -- In the order in which its flow names them.
  position INTEGER NOT NULL,
  execution_id VARCHAR(64) NOT NULL,
  -- The names of the steps that it comes after, as JSON.
  parents LONGTEXT NOT NULL,
  on_failure VARCHAR(32) NOT NULL CHECK (on_failure IN ('cancel', 'continue')),
  -- Grows with each retry.
  generation INTEGER NOT NULL,
  PRIMARY KEY (flow_id, name),
  UNIQUE KEY evertick_flow_steps_execution_id (execution_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- The same, from a step to those after it.
CREATE TABLE IF NOT EXISTS evertick_flow_edges (
  flow_id VARCHAR(64) NOT NULL,
  parent VARCHAR(100) NOT NULL,
  child VARCHAR(100) NOT NULL,
  PRIMARY KEY (flow_id, parent, child)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- The executions that retries of their steps have followed.
CREATE TABLE IF NOT EXISTS evertick_flow_retries (
  flow_id VARCHAR(64) NOT NULL,
  name VARCHAR(100) NOT NULL,
  generation INTEGER NOT NULL,
  execution_id VARCHAR(64) NOT NULL,
  PRIMARY KEY (flow_id, name, generation)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- Executions that were enqueued together, and what is run once all of them have ended.
CREATE TABLE IF NOT EXISTS evertick_batches (
  id VARCHAR(64) NOT NULL,
  name VARCHAR(200),
  total INTEGER NOT NULL,
  completed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  cancelled INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  -- When the last one had ended.
  done_at BIGINT,
  -- The execution that waits for that; null where nothing follows.
  on_done_id VARCHAR(64),
  PRIMARY KEY (id),
  UNIQUE KEY evertick_batches_on_done_id (on_done_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

CREATE TABLE IF NOT EXISTS evertick_batch_members (
  batch_id VARCHAR(64) NOT NULL,
  execution_id VARCHAR(64) NOT NULL,
  PRIMARY KEY (batch_id, execution_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;
