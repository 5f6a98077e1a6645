-- What an attempt used, of those that somebody could watch: commands, and handlers that run apart. The others have no row.
CREATE TABLE IF NOT EXISTS evertick_usages (
  execution_id VARCHAR(64) NOT NULL,
  -- Of the claim whose attempt it was.
  fence BIGINT NOT NULL,
  -- Null where it could not be seen.
  peak_memory_bytes BIGINT,
  cpu_ms BIGINT,
  PRIMARY KEY (execution_id, fence)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;
