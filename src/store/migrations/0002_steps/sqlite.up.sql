-- The parts of an execution that are remembered by their names: steps, sleeps and waits for a signal. Whoever runs it next
-- finds here what came of them.
CREATE TABLE evertick_steps (
  execution_id TEXT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('step', 'sleep', 'wait')),
  -- Of the claim that wrote it, and of which attempt; null where a signal came first.
  fence INTEGER,
  attempt INTEGER,
  -- How often its function was called.
  tries INTEGER NOT NULL,
  begun_at INTEGER NOT NULL,
  -- Of a sleep its end, of a wait its timeout; null where it has none.
  ends_at INTEGER,
  -- The memo. Null while it is open; written once, and never changed.
  decided_at INTEGER,
  outcome TEXT CHECK (outcome IN ('done', 'slept', 'signalled', 'timed_out')),
  result TEXT,
  -- Of a signal.
  signal_id TEXT,
  signalled_by TEXT,
  -- The claim whose slot was given up for it: the execution rests while it has that fence and does not run.
  rest_fence INTEGER,
  PRIMARY KEY (execution_id, name)
) WITHOUT ROWID;
-- The same signal, sent again, is one signal, whatever it was meant for.
CREATE UNIQUE INDEX evertick_steps_signal ON evertick_steps (signal_id) WHERE signal_id IS NOT NULL;
