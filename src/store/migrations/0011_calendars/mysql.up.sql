-- Opening hours by name. A job has its own copy in each of its revisions; `moved_version` is what all of them have at least.
CREATE TABLE IF NOT EXISTS evertick_calendars (
  name VARCHAR(200) NOT NULL,
  version BIGINT NOT NULL,
  moved_version BIGINT NOT NULL,
  rules LONGTEXT NOT NULL,
  created_at BIGINT NOT NULL,
  created_by VARCHAR(255) NOT NULL,
  changed_at BIGINT NOT NULL,
  changed_by VARCHAR(255) NOT NULL,
  PRIMARY KEY (name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;
