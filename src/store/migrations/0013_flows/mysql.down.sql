DROP TABLE IF EXISTS evertick_batch_members;
DROP TABLE IF EXISTS evertick_batches;
DROP TABLE IF EXISTS evertick_flow_retries;
DROP TABLE IF EXISTS evertick_flow_edges;
DROP TABLE IF EXISTS evertick_flow_steps;
DROP TABLE IF EXISTS evertick_flows;
