-- Rules of alerts that somebody wrote. Those that are built in have no row, unless somebody changed them.
CREATE TABLE IF NOT EXISTS evertick_alert_rules (
  name VARCHAR(200) NOT NULL,
  rule LONGTEXT NOT NULL,
  changed_at BIGINT NOT NULL,
  changed_by VARCHAR(255) NOT NULL,
  PRIMARY KEY (name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;

CREATE TABLE IF NOT EXISTS evertick_alerts (
  id VARCHAR(64) NOT NULL,
  rule VARCHAR(200) NOT NULL,
  kind VARCHAR(32) NOT NULL,
  severity VARCHAR(32) NOT NULL,
  -- A job's id, a queue's name, or empty for the cluster; `name` is what people call it.
  subject VARCHAR(200) NOT NULL,
  job_id VARCHAR(64),
  name VARCHAR(200) NOT NULL,
  -- Rule and subject while it is not resolved: of those there is one. Nulls are distinct.
  open_key VARCHAR(401),
  value BIGINT,
  since_at BIGINT NOT NULL,
  -- Null while it waits for the `for` of its rule.
  opened_at BIGINT,
  resolved_at BIGINT,
  acknowledged_at BIGINT,
  acknowledged_by VARCHAR(255),
  snoozed_until BIGINT,
  snoozed_by VARCHAR(255),
  note LONGTEXT,
  -- What is still to be told of it, and since when.
  untold VARCHAR(32) CHECK (untold IN ('opened', 'repeated', 'resolved')),
  untold_at BIGINT,
  told_at BIGINT,
  -- The reason for which the action of its rule was taken last.
  acted_mark VARCHAR(200),
  PRIMARY KEY (id),
  UNIQUE KEY evertick_alerts_open (open_key),
  KEY evertick_alerts_untold (untold_at),
  KEY evertick_alerts_resolved (resolved_at),
  KEY evertick_alerts_job (job_id, id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;
