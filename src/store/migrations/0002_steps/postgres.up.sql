-- The parts of an execution that are remembered by their names: steps, sleeps and waits for a signal. Whoever runs it next
-- finds here what came of them.
CREATE TABLE evertick.steps (
  execution_id UUID NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('step', 'sleep', 'wait')),
  -- Of the claim that wrote it, and of which attempt; null where a signal came first.
  fence BIGINT,
  attempt INTEGER,
  -- How often its function was called.
  tries INTEGER NOT NULL,
  begun_at BIGINT NOT NULL,
  -- Of a sleep its end, of a wait its timeout; null where it has none.
  ends_at BIGINT,
  -- The memo. Null while it is open; written once, and never changed.
  decided_at BIGINT,
  outcome TEXT COLLATE "C" CHECK (outcome IN ('done', 'slept', 'signalled', 'timed_out')),
  result TEXT COLLATE "C",
  -- Of a signal.
  signal_id TEXT COLLATE "C",
  signalled_by TEXT COLLATE "C",
  -- The claim whose slot was given up for it: the execution rests while it has that fence and does not run.
  rest_fence BIGINT,
  PRIMARY KEY (execution_id, name)
);
-- The same signal, sent again, is one signal, whatever it was meant for.
CREATE UNIQUE INDEX steps_signal ON evertick.steps (signal_id) WHERE signal_id IS NOT NULL;
