DROP TABLE IF EXISTS evertick.usages;
