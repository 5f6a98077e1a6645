DROP TABLE IF EXISTS evertick.alerts;
DROP TABLE IF EXISTS evertick.alert_rules;
