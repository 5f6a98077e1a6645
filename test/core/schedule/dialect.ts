/** The dialect as data: docs/reference/cron.md shows these rows, and a test compares the two. */

export interface AcceptedRow {
  readonly cron: string
  readonly meaning: string
  /** The first two ticks from 2027-01-01 on, in UTC, for a job named `nightly-report`. */
  readonly next: readonly [string, string]
}

export const accepted: readonly AcceptedRow[] = [
  row('*/5 * * * *', 'every fifth minute of the hour', '2027-01-01 00:00:00, 2027-01-01 00:05:00'),
  row('0 9 * * 1-5', '09:00, Monday to Friday', '2027-01-01 09:00:00, 2027-01-04 09:00:00'),
  row('*/10 * * * * *', 'six fields: the first is the second', '2027-01-01 00:00:00, 2027-01-01 00:00:10'),
  row('0 0 1,15 * *', 'a list', '2027-01-01 00:00:00, 2027-01-15 00:00:00'),
  row('5/15 * * * *', 'from 5 to the end in steps of 15', '2027-01-01 00:05:00, 2027-01-01 00:20:00'),
  row('10-40/15 8-10 * * *', 'a range in steps', '2027-01-01 08:10:00, 2027-01-01 08:25:00'),
  row('0 0 * JAN,jul *', 'names of months, in any case', '2027-01-01 00:00:00, 2027-01-02 00:00:00'),
  row('0 0 * * mon', 'names of weekdays, in any case', '2027-01-04 00:00:00, 2027-01-11 00:00:00'),
  row('0 0 * * 0', 'Sunday', '2027-01-03 00:00:00, 2027-01-10 00:00:00'),
  row('0 0 * * 7', 'Sunday as well', '2027-01-03 00:00:00, 2027-01-10 00:00:00'),
  row('0 12 * * FRI-MON', 'a range may wrap around', '2027-01-01 12:00:00, 2027-01-02 12:00:00'),
  row('0 22-2 * * *', 'hours 22, 23, 0, 1 and 2', '2027-01-01 00:00:00, 2027-01-01 01:00:00'),
  row('0 0 L * *', 'the last day of the month', '2027-01-31 00:00:00, 2027-02-28 00:00:00'),
  row('0 0 L-3 * *', 'three days before the last', '2027-01-28 00:00:00, 2027-02-25 00:00:00'),
  row('0 0 LW * *', 'the last Monday to Friday of the month', '2027-01-29 00:00:00, 2027-02-26 00:00:00'),
  row(
    '0 0 15W * *',
    'the Monday to Friday nearest to the 15th, in the same month',
    '2027-01-15 00:00:00, 2027-02-15 00:00:00',
  ),
  row('0 0 * * FRI#2', 'the second Friday of the month', '2027-01-08 00:00:00, 2027-02-12 00:00:00'),
  row('0 0 * * 5L', 'the last Friday of the month', '2027-01-29 00:00:00, 2027-02-26 00:00:00'),
  row('0 0 ? * MON', '`?` is `*` in a day field', '2027-01-04 00:00:00, 2027-01-11 00:00:00'),
  row('0 0 2 * 5', 'the 2nd, or a Friday', '2027-01-01 00:00:00, 2027-01-02 00:00:00'),
  row('0 0 13 * +FRI', 'the 13th, and a Friday', '2027-08-13 00:00:00, 2028-10-13 00:00:00'),
  row(
    '0 0 */10 * MON',
    'the 1st, 11th, 21st and 31st, or a Monday',
    '2027-01-01 00:00:00, 2027-01-04 00:00:00',
  ),
  row('0 0 29 2 *', 'leap years', '2028-02-29 00:00:00, 2032-02-29 00:00:00'),
  row('@yearly', '`0 0 1 1 *`; also `@annually`', '2027-01-01 00:00:00, 2028-01-01 00:00:00'),
  row('@monthly', '`0 0 1 * *`', '2027-01-01 00:00:00, 2027-02-01 00:00:00'),
  row('@weekly', '`0 0 * * 0`', '2027-01-03 00:00:00, 2027-01-10 00:00:00'),
  row('@daily', '`0 0 * * *`; also `@midnight`', '2027-01-01 00:00:00, 2027-01-02 00:00:00'),
  row('@hourly', '`0 * * * *`', '2027-01-01 00:00:00, 2027-01-01 01:00:00'),
  row('H * * * *', "a minute taken from the job's name", '2027-01-01 00:26:00, 2027-01-01 01:26:00'),
  row('H/15 * * * *', 'every 15 minutes from such a minute on', '2027-01-01 00:11:00, 2027-01-01 00:26:00'),
  row('H(0-29) 3 * * *', 'a minute from 0 to 29', '2027-01-01 03:26:00, 2027-01-02 03:26:00'),
  row('H H(0-7) H * *', 'a day from 1 to 28, before 08:00', '2027-01-06 02:26:00, 2027-02-06 02:26:00'),
]

export interface RefusedRow {
  readonly cron: string
  readonly message: string
}

export const refused: readonly RefusedRow[] = [
  { cron: '* * * *', message: 'cron has 4 fields, not 5 or 6: "* * * *"' },
  {
    cron: '0 0 * * * * 2027',
    message: 'cron has 7 fields, not 5 or 6; a year field is not part of the dialect: "0 0 * * * * 2027"',
  },
  { cron: '60 * * * *', message: 'minute: "60" is outside 0-59 (character 1 of "60 * * * *")' },
  { cron: '61 0 * * * *', message: 'second: "61" is outside 0-59 (character 1 of "61 0 * * * *")' },
  { cron: '0 24 * * *', message: 'hour: "24" is outside 0-23 (character 3 of "0 24 * * *")' },
  { cron: '0 0 5,32 * *', message: 'day of month: "32" is outside 1-31 (character 7 of "0 0 5,32 * *")' },
  { cron: '0 0 * 13 *', message: 'month: "13" is outside 1-12 (character 7 of "0 0 * 13 *")' },
  { cron: '0 0 * * 8', message: 'weekday: "8" is outside 0-7 (character 9 of "0 0 * * 8")' },
  { cron: '*/0 * * * *', message: 'minute: "*/0" has step 0 (character 1 of "*/0 * * * *")' },
  {
    cron: '*/90 * * * *',
    message: 'minute: "*/90" has a step larger than the field, 60 (character 1 of "*/90 * * * *")',
  },
  {
    cron: '*/x * * * *',
    message: 'minute: "*/x" has a step that is not a number (character 1 of "*/x * * * *")',
  },
  {
    cron: '1/2/3 * * * *',
    message: 'minute: "1/2/3" has more than one "/" (character 1 of "1/2/3 * * * *")',
  },
  {
    cron: '1-2-3 * * * *',
    message: 'minute: "1-2-3" has more than one "-" (character 1 of "1-2-3 * * * *")',
  },
  {
    cron: '5- * * * *',
    message: 'minute: "5-" is a range without its start or end (character 1 of "5- * * * *")',
  },
  {
    cron: '5, * * * *',
    message: 'minute: "5," has an empty item in its list (character 1 of "5, * * * *")',
  },
  {
    cron: '*,5 * * * *',
    message:
      'minute: "*,5" combines "*", which means every value, with other values (character 1 of "*,5 * * * *")',
  },
  { cron: 'five * * * *', message: 'minute: "five" is not a minute, 0-59 (character 1 of "five * * * *")' },
  {
    cron: '0 0 * * MONDAY',
    message: 'weekday: "MONDAY" is not a weekday; write MON (character 9 of "0 0 * * MONDAY")',
  },
  {
    cron: '? * * * *',
    message: 'minute: "?" must stand alone, and only in the two day fields (character 1 of "? * * * *")',
  },
  {
    cron: '0 0 31 2 *',
    message: 'day of month: "31" never comes in month "2" (character 5 of "0 0 31 2 *")',
  },
  {
    cron: '0 0 31 4,6 *',
    message: 'day of month: "31" never comes in month "4,6" (character 5 of "0 0 31 4,6 *")',
  },
  {
    cron: '0 0 31 4 +MON',
    message:
      'day of month: "31" with month "4" and weekday "+MON" never comes (character 5 of "0 0 31 4 +MON")',
  },
  {
    cron: '0 0 L-31 * *',
    message:
      'day of month: "L-31" goes back past the first day of every month (character 5 of "0 0 L-31 * *")',
  },
  {
    cron: '0 0 * * L',
    message:
      'weekday: "L" needs a day before it, such as FRIL or 5L for the last Friday (character 9 of "0 0 * * L")',
  },
  {
    cron: '0 0 * * FRI#6',
    message: 'weekday: "FRI#6" needs one number from 1 to 5 after "#" (character 9 of "0 0 * * FRI#6")',
  },
  { cron: '0 0 * * +', message: 'weekday: "+" needs a weekday after it (character 9 of "0 0 * * +")' },
  {
    cron: 'H(5-1) * * * *',
    message: 'minute: "5-1" is a range for H that ends before it starts (character 3 of "H(5-1) * * * *")',
  },
  {
    cron: 'H(5) * * * *',
    message: 'minute: "5" is not a range for H, such as H(0-29) (character 3 of "H(5) * * * *")',
  },
  { cron: '@reboot', message: '"@reboot" is not a point in time, so it has no ticks' },
  { cron: '@every 5m', message: '"@every 5m" is not cron' },
  { cron: '@dayly', message: '"@dayly" is not a nickname; did you mean @daily?' },
  {
    cron: 'TZ=Europe/Madrid 0 9 * * *',
    message:
      'cron: "TZ=Europe/Madrid" sets a time zone inside the expression (character 1 of "TZ=Europe/Madrid 0 9 * * *")',
  },
]

function row(cron: string, meaning: string, next: string): AcceptedRow {
  return { cron, meaning, next: next.split(', ') as [string, string] }
}
