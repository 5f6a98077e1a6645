-- Opening hours by name. A job has its own copy in each of its revisions; `moved_version` is what all of them have at least.
CREATE TABLE evertick.calendars (
  name TEXT COLLATE "C" PRIMARY KEY,
  version BIGINT NOT NULL,
  moved_version BIGINT NOT NULL,
  rules TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  created_by TEXT COLLATE "C" NOT NULL,
  changed_at BIGINT NOT NULL,
  changed_by TEXT COLLATE "C" NOT NULL
);
