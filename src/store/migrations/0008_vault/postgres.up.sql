-- Secrets by name. What is sealed here opens with a key that no table has, and under this name only.
CREATE TABLE evertick.secrets (
  name TEXT COLLATE "C" PRIMARY KEY,
  sealed TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  created_by TEXT COLLATE "C" NOT NULL,
  changed_at BIGINT NOT NULL,
  changed_by TEXT COLLATE "C" NOT NULL
);
