DROP TABLE IF EXISTS evertick.secrets;
