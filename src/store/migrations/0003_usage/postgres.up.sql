-- What an attempt used, of those that somebody could watch: commands, and handlers that run apart. The others have no row.
CREATE TABLE evertick.usages (
  execution_id UUID NOT NULL,
  -- Of the claim whose attempt it was.
  fence BIGINT NOT NULL,
  -- Null where it could not be seen.
  peak_memory_bytes BIGINT,
  cpu_ms BIGINT,
  -- With all of the row, so that the charts read nothing but the index.
  PRIMARY KEY (execution_id, fence) INCLUDE (peak_memory_bytes, cpu_ms)
);
