-- Secrets by name. What is sealed here opens with a key that no table has, and under this name only.
CREATE TABLE evertick_secrets (
  name TEXT NOT NULL PRIMARY KEY,
  sealed TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  changed_by TEXT NOT NULL
) WITHOUT ROWID;
