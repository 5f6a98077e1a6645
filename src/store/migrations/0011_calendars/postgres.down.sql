DROP TABLE IF EXISTS evertick.calendars;
