DROP TABLE IF EXISTS evertick.check_ins;
DROP TABLE IF EXISTS evertick.check_in_tokens;
