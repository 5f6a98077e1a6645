ALTER TABLE evertick_job_executions
  DROP KEY evertick_job_executions_list,
  DROP KEY evertick_job_executions_turn;
DROP TABLE IF EXISTS evertick_fair_turns;
DROP TABLE IF EXISTS evertick_limit_starts;
DROP TABLE IF EXISTS evertick_limit_leases;
DROP TABLE IF EXISTS evertick_limit_keys;
DROP TABLE IF EXISTS evertick_limits;
