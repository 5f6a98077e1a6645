DROP INDEX evertick_job_executions_unplaced ON evertick_job_executions;
DROP INDEX evertick_job_executions_root ON evertick_job_executions;
DROP TABLE IF EXISTS evertick_joins;
DROP TABLE IF EXISTS evertick_dependencies;
DROP TABLE IF EXISTS evertick_dependency_graph;
