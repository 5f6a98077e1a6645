DROP TABLE IF EXISTS evertick.steps;
