DROP TABLE IF EXISTS evertick_calendars;
