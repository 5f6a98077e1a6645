DROP TABLE IF EXISTS evertick_check_ins;
DROP TABLE IF EXISTS evertick_check_in_tokens;
