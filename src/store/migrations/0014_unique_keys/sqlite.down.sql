DROP TABLE IF EXISTS evertick_unique_keys;
