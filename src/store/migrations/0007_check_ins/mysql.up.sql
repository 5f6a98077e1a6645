-- The address of a job that runs elsewhere, as a hash: whoever reads the database cannot check in by it.
CREATE TABLE IF NOT EXISTS evertick_check_in_tokens (
  job_id VARCHAR(64) NOT NULL,
  hash VARCHAR(64) NOT NULL,
  made_at BIGINT NOT NULL,
  made_by VARCHAR(255) NOT NULL,
  PRIMARY KEY (job_id),
  UNIQUE KEY evertick_check_in_tokens_hash (hash)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

-- The check-ins of ticks, also of those that have no execution yet. A tick has one: the first that ends it stands.
CREATE TABLE IF NOT EXISTS evertick_check_ins (
  job_id VARCHAR(64) NOT NULL,
  tick_at BIGINT NOT NULL,
  started_at BIGINT,
  -- Null while it has only said that it began.
  ended_at BIGINT,
  outcome VARCHAR(32) CHECK (outcome IN ('ok', 'failed')),
  note LONGTEXT,
  PRIMARY KEY (job_id, tick_at),
  KEY evertick_check_ins_tick (tick_at)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;
