DROP TABLE IF EXISTS evertick.batch_members;
DROP TABLE IF EXISTS evertick.batches;
DROP TABLE IF EXISTS evertick.flow_retries;
DROP TABLE IF EXISTS evertick.flow_edges;
DROP TABLE IF EXISTS evertick.flow_steps;
DROP TABLE IF EXISTS evertick.flows;
