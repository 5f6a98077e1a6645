-- Opening hours by name. A job has its own copy in each of its revisions; `moved_version` is what all of them have at least.
CREATE TABLE evertick_calendars (
  name TEXT NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL,
  moved_version INTEGER NOT NULL,
  rules TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  changed_by TEXT NOT NULL
) WITHOUT ROWID;
