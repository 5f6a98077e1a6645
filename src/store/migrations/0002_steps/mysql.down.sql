DROP TABLE IF EXISTS evertick_steps;
