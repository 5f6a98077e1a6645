DROP INDEX evertick_job_executions_unplaced;
DROP INDEX evertick_job_executions_root;
DROP TABLE evertick_joins;
DROP TABLE evertick_dependencies;
DROP TABLE evertick_dependency_graph;
