-- The address of a job that runs elsewhere, as a hash: whoever reads the database cannot check in by it.
CREATE TABLE evertick_check_in_tokens (
  job_id TEXT NOT NULL PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  made_at INTEGER NOT NULL,
  made_by TEXT NOT NULL
) WITHOUT ROWID;

-- The check-ins of ticks, also of those that have no execution yet. A tick has one: the first that ends it stands.
CREATE TABLE evertick_check_ins (
  job_id TEXT NOT NULL,
  tick_at INTEGER NOT NULL,
  started_at INTEGER,
  -- Null while it has only said that it began.
  ended_at INTEGER,
  outcome TEXT CHECK (outcome IN ('ok', 'failed')),
  note TEXT,
  PRIMARY KEY (job_id, tick_at)
) WITHOUT ROWID;
CREATE INDEX evertick_check_ins_tick ON evertick_check_ins (tick_at);
