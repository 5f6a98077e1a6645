-- The parts of an execution that are remembered by their names: steps, sleeps and waits for a signal. Whoever runs it next
-- finds here what came of them.
CREATE TABLE IF NOT EXISTS evertick_steps (
  execution_id VARCHAR(64) NOT NULL,
  name VARCHAR(200) NOT NULL,
  kind VARCHAR(32) NOT NULL CHECK (kind IN ('step', 'sleep', 'wait')),
  -- Of the claim that wrote it, and of which attempt; null where a signal came first.
  fence BIGINT,
  attempt INT,
  -- How often its function was called.
  tries INT NOT NULL,
  begun_at BIGINT NOT NULL,
  -- Of a sleep its end, of a wait its timeout; null where it has none.
  ends_at BIGINT,
  -- The memo. Null while it is open; written once, and never changed.
  decided_at BIGINT,
  outcome VARCHAR(32) CHECK (outcome IN ('done', 'slept', 'signalled', 'timed_out')),
  result LONGTEXT,
  -- Of a signal.
  signal_id VARCHAR(200),
  signalled_by VARCHAR(255),
  -- The claim whose slot was given up for it: the execution rests while it has that fence and does not run.
  rest_fence BIGINT,
  PRIMARY KEY (execution_id, name),
  -- The same signal, sent again, is one signal, whatever it was meant for. Nulls are distinct.
  UNIQUE KEY evertick_steps_signal (signal_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;
