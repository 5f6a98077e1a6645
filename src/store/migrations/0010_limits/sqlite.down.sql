DROP INDEX IF EXISTS evertick_job_executions_turn;
DROP INDEX IF EXISTS evertick_job_executions_list;
DROP TABLE IF EXISTS evertick_fair_turns;
DROP TABLE IF EXISTS evertick_limit_starts;
DROP TABLE IF EXISTS evertick_limit_leases;
DROP TABLE IF EXISTS evertick_limit_keys;
DROP TABLE IF EXISTS evertick_limits;
