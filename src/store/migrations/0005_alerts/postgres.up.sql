-- Rules of alerts that somebody wrote. Those that are built in have no row, unless somebody changed them.
CREATE TABLE evertick.alert_rules (
  name TEXT COLLATE "C" PRIMARY KEY,
  rule TEXT COLLATE "C" NOT NULL,
  changed_at BIGINT NOT NULL,
  changed_by TEXT COLLATE "C" NOT NULL
);

CREATE TABLE evertick.alerts (
  id UUID PRIMARY KEY,
  rule TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  severity TEXT COLLATE "C" NOT NULL,
  -- A job's id, a queue's name, or empty for the cluster; `name` is what people call it.
  subject TEXT COLLATE "C" NOT NULL,
  job_id UUID,
  name TEXT COLLATE "C" NOT NULL,
  -- Rule and subject while it is not resolved: of those there is one.
  open_key TEXT COLLATE "C",
  value BIGINT,
  since_at BIGINT NOT NULL,
  -- Null while it waits for the `for` of its rule.
  opened_at BIGINT,
  resolved_at BIGINT,
  acknowledged_at BIGINT,
  acknowledged_by TEXT COLLATE "C",
  snoozed_until BIGINT,
  snoozed_by TEXT COLLATE "C",
  note TEXT COLLATE "C",
  -- What is still to be told of it, and since when.
  untold TEXT COLLATE "C" CHECK (untold IN ('opened', 'repeated', 'resolved')),
  untold_at BIGINT,
  told_at BIGINT,
  -- The reason for which the action of its rule was taken last.
  acted_mark TEXT COLLATE "C"
);
CREATE UNIQUE INDEX alerts_open ON evertick.alerts (open_key) WHERE open_key IS NOT NULL;
CREATE INDEX alerts_untold ON evertick.alerts (rule, untold_at) WHERE untold IS NOT NULL;
CREATE INDEX alerts_resolved ON evertick.alerts (resolved_at) WHERE resolved_at IS NOT NULL;
CREATE INDEX alerts_job ON evertick.alerts (job_id, id);
