DROP TABLE IF EXISTS evertick_secrets;
