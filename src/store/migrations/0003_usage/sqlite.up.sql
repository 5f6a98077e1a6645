-- What an attempt used, of those that somebody could watch: commands, and handlers that run apart. The others have no row.
CREATE TABLE evertick_usages (
  execution_id TEXT NOT NULL,
  -- Of the claim whose attempt it was.
  fence INTEGER NOT NULL,
  -- Null where it could not be seen.
  peak_memory_bytes INTEGER,
  cpu_ms INTEGER,
  PRIMARY KEY (execution_id, fence)
) WITHOUT ROWID;
