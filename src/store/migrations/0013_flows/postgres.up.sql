-- Executions that wait for one another. A flow's row is held by whoever ends, cancels or makes again a part of it.
CREATE TABLE evertick.flows (
  id UUID PRIMARY KEY,
  name TEXT COLLATE "C",
  state TEXT COLLATE "C" NOT NULL CHECK (state IN ('running', 'completed', 'failed', 'cancelled')),
  steps INTEGER NOT NULL,
  -- Of them, how many have ended so; the others are unfinished.
  completed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  cancelled INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  finished_at BIGINT
);
CREATE INDEX flows_state ON evertick.flows (state, id);

-- Each step with its newest execution.
CREATE TABLE evertick.flow_steps (
  flow_id UUID NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  -- In the order in which its flow names them.
  position INTEGER NOT NULL,
  execution_id UUID NOT NULL UNIQUE,
  -- The names of the steps that it comes after, as JSON.
  parents TEXT COLLATE "C" NOT NULL,
  on_failure TEXT COLLATE "C" NOT NULL CHECK (on_failure IN ('cancel', 'continue')),
  -- Grows with each retry.
  generation INTEGER NOT NULL,
  PRIMARY KEY (flow_id, name)
);

-- The same, from a step to those after it.
CREATE TABLE evertick.flow_edges (
  flow_id UUID NOT NULL,
  parent TEXT COLLATE "C" NOT NULL,
  child TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (flow_id, parent, child)
);

-- The executions that retries of their steps have followed.
CREATE TABLE evertick.flow_retries (
  flow_id UUID NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  generation INTEGER NOT NULL,
  execution_id UUID NOT NULL,
  PRIMARY KEY (flow_id, name, generation)
);

-- Executions that were enqueued together, and what is run once all of them have ended.
CREATE TABLE evertick.batches (
  id UUID PRIMARY KEY,
  name TEXT COLLATE "C",
  total INTEGER NOT NULL,
  completed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  cancelled INTEGER NOT NULL,
  created_at BIGINT NOT NULL,
  -- When the last one had ended.
  done_at BIGINT,
  -- The execution that waits for that; null where nothing follows.
  on_done_id UUID UNIQUE
);

CREATE TABLE evertick.batch_members (
  batch_id UUID NOT NULL,
  execution_id UUID NOT NULL,
  PRIMARY KEY (batch_id, execution_id)
);
