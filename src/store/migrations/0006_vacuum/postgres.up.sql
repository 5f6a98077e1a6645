-- Each claim and each end leaves a dead row. Slowed down to spare the disk, as it is by default, autovacuum falls behind a
-- worker that is never idle; this table is small as long as it does not.
ALTER TABLE evertick.live_executions SET (autovacuum_vacuum_cost_delay = 0);
