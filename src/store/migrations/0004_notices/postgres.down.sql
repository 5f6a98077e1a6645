DROP TABLE IF EXISTS evertick.notices;
