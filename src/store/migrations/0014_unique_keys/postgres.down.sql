DROP TABLE IF EXISTS evertick.unique_keys;
