-- The address of a job that runs elsewhere, as a hash: whoever reads the database cannot check in by it.
CREATE TABLE evertick.check_in_tokens (
  job_id UUID PRIMARY KEY,
  hash TEXT COLLATE "C" NOT NULL UNIQUE,
  made_at BIGINT NOT NULL,
  made_by TEXT COLLATE "C" NOT NULL
);

-- The check-ins of ticks, also of those that have no execution yet. A tick has one: the first that ends it stands.
CREATE TABLE evertick.check_ins (
  job_id UUID NOT NULL,
  tick_at BIGINT NOT NULL,
  started_at BIGINT,
  -- Null while it has only said that it began.
  ended_at BIGINT,
  outcome TEXT COLLATE "C" CHECK (outcome IN ('ok', 'failed')),
  note TEXT COLLATE "C",
  PRIMARY KEY (job_id, tick_at)
);
CREATE INDEX check_ins_tick ON evertick.check_ins (tick_at);
