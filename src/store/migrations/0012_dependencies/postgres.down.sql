DROP INDEX evertick.live_executions_unplaced;
DROP INDEX evertick.live_executions_root;
DROP TABLE evertick.joins;
DROP TABLE evertick.dependencies;
DROP TABLE evertick.dependency_graph;
