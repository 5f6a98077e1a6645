DROP TABLE IF EXISTS evertick_usages;
