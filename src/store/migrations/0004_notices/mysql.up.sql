-- What has happened and is still to be told to webhooks: written in the transaction of the fact, and removed in the one that
-- enqueues its deliveries. Nearly always empty.
CREATE TABLE IF NOT EXISTS evertick_notices (
  seq BIGINT NOT NULL AUTO_INCREMENT,
  type VARCHAR(64) NOT NULL,
  at BIGINT NOT NULL,
  -- The job that it is about; null where it is about none.
  job_id VARCHAR(64),
  subject VARCHAR(255) NOT NULL,
  body LONGTEXT NOT NULL,
  PRIMARY KEY (seq)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;
