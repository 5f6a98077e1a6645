DROP TABLE IF EXISTS evertick_notices;
