-- Secrets by name. What is sealed here opens with a key that no table has, and under this name only.
CREATE TABLE IF NOT EXISTS evertick_secrets (
  name VARCHAR(200) NOT NULL,
  sealed LONGTEXT NOT NULL,
  created_at BIGINT NOT NULL,
  created_by VARCHAR(255) NOT NULL,
  changed_at BIGINT NOT NULL,
  changed_by VARCHAR(255) NOT NULL,
  PRIMARY KEY (name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=@nopad_bin;
