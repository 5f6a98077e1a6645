DROP INDEX IF EXISTS evertick.live_executions_turn;
DROP INDEX IF EXISTS evertick.live_executions_list;
DROP TABLE IF EXISTS evertick.fair_turns;
DROP TABLE IF EXISTS evertick.limit_starts;
DROP TABLE IF EXISTS evertick.limit_leases;
DROP TABLE IF EXISTS evertick.limit_keys;
DROP TABLE IF EXISTS evertick.limits;
