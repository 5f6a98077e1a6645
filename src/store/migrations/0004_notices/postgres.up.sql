-- What has happened and is still to be told to webhooks: written in the transaction of the fact, and removed in the one that
-- enqueues its deliveries. Nearly always empty.
CREATE TABLE evertick.notices (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  type TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL,
  -- The job that it is about; null where it is about none.
  job_id UUID,
  subject TEXT COLLATE "C" NOT NULL,
  body TEXT COLLATE "C" NOT NULL
);
