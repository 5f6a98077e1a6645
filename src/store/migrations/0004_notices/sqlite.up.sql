-- What has happened and is still to be told to webhooks: written in the transaction of the fact, and removed in the one that
-- enqueues its deliveries. Nearly always empty.
CREATE TABLE evertick_notices (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  type TEXT NOT NULL,
  at INTEGER NOT NULL,
  -- The job that it is about; null where it is about none.
  job_id TEXT,
  subject TEXT NOT NULL,
  body TEXT NOT NULL
);
