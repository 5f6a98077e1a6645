ALTER TABLE evertick.live_executions RESET (autovacuum_vacuum_cost_delay);
