-- Rules of alerts that somebody wrote. Those that are built in have no row, unless somebody changed them.
CREATE TABLE evertick_alert_rules (
  name TEXT NOT NULL PRIMARY KEY,
  rule TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  changed_by TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE evertick_alerts (
  id TEXT NOT NULL PRIMARY KEY,
  rule TEXT NOT NULL,
  kind TEXT NOT NULL,
  severity TEXT NOT NULL,
  -- A job's id, a queue's name, or empty for the cluster; `name` is what people call it.
  subject TEXT NOT NULL,
  job_id TEXT,
  name TEXT NOT NULL,
  -- Rule and subject while it is not resolved: of those there is one.
  open_key TEXT,
  value INTEGER,
  since_at INTEGER NOT NULL,
  -- Null while it waits for the `for` of its rule.
  opened_at INTEGER,
  resolved_at INTEGER,
  acknowledged_at INTEGER,
  acknowledged_by TEXT,
  snoozed_until INTEGER,
  snoozed_by TEXT,
  note TEXT,
  -- What is still to be told of it, and since when.
  untold TEXT CHECK (untold IN ('opened', 'repeated', 'resolved')),
  untold_at INTEGER,
  told_at INTEGER,
  -- The reason for which the action of its rule was taken last.
  acted_mark TEXT
) WITHOUT ROWID;
CREATE UNIQUE INDEX evertick_alerts_open ON evertick_alerts (open_key) WHERE open_key IS NOT NULL;
CREATE INDEX evertick_alerts_untold ON evertick_alerts (rule, untold_at) WHERE untold IS NOT NULL;
CREATE INDEX evertick_alerts_resolved ON evertick_alerts (resolved_at) WHERE resolved_at IS NOT NULL;
CREATE INDEX evertick_alerts_job ON evertick_alerts (job_id, id);
