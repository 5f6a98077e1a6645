DROP TABLE IF EXISTS evertick_alerts;
DROP TABLE IF EXISTS evertick_alert_rules;
