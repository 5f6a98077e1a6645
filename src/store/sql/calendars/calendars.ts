/** Calendars by name, and the copies that jobs have of them. Every change has its line in the audit log. */
import { EvertickError } from '../../../core/error.ts'
import type { JobSpec } from '../../../core/job/job.ts'
import type { CalendarHours } from '../../../core/job/window.ts'
import type { CalendarRow, CalendarUse, ChangeContext, DeletedCalendar } from '../../store.ts'
import { writeAuditLog } from '../audit/audit-log.ts'
import { jobsPerPage } from '../jobs/find-jobs.ts'
import { number, specFrom, text } from '../runtime/rows.ts'
import { insertRow, type Row, row, rows, run, type Script } from '../runtime/script.ts'

const heldText = 'SELECT * FROM @calendars WHERE name = ? FOR UPDATE'

export function* putCalendar(name: string, rules: CalendarHours, by: ChangeContext): Script<CalendarRow> {
  const { now, actor } = by
  const held = yield* row(heldText, name)
  const before = held === null ? null : calendarFrom(held)
  const written = JSON.stringify(rulesOf(rules))
  if (before !== null && JSON.stringify(rulesOf(before)) === written) return before
  const version = (before?.version ?? 0) + 1
  if (before === null) {
    const made = { created_at: now, created_by: actor, changed_at: now, changed_by: actor }
    yield* insertRow('calendars', { name, version, moved_version: version, rules: written, ...made })
  } else {
    yield* run(
      'UPDATE @calendars SET version = ?, rules = ?, changed_at = ?, changed_by = ? WHERE name = ?',
      version,
      written,
      now,
      actor,
      name,
    )
  }
  const after = { version, ...rulesOf(rules) }
  yield* note(
    'calendar.put',
    name,
    before === null ? null : { version: before.version, ...rulesOf(before) },
    after,
    by,
  )
  const { createdAt, createdBy } = before ?? { createdAt: now, createdBy: actor }
  return { name, ...after, createdAt, createdBy, changedAt: now, changedBy: actor }
}

export function* findCalendar(name: string): Script<CalendarRow | null> {
  const found = yield* row('SELECT * FROM @calendars WHERE name = ?', name)
  return found === null ? null : calendarFrom(found)
}

export function* listCalendars(): Script<CalendarRow[]> {
  return (yield* rows('SELECT * FROM @calendars ORDER BY name')).map(calendarFrom)
}

export function* deleteCalendar(name: string, by: ChangeContext): Script<DeletedCalendar> {
  const held = yield* row(heldText, name)
  if (held === null) return { deleted: false, usedBy: [] }
  const uses = yield* usesLike(`%"calendar":{"name":"${name}",%`)
  const usedBy = uses.filter(({ calendar }) => calendar === name).map(({ job }) => job)
  if (usedBy.length > 0) return { deleted: false, usedBy }
  yield* run('DELETE FROM @calendars WHERE name = ?', name)
  const { version, ...before } = calendarFrom(held)
  yield* note('calendar.delete', name, { version, ...rulesOf(before) }, null, by)
  return { deleted: true, usedBy }
}

export function* listCalendarUses(): Script<CalendarUse[]> {
  return yield* usesLike('%"calendar":{"name":"%')
}

/**
 * The definition with what its calendar says now. The calendar's row is held shared: a new version waits for it, and whoever
 * moves the jobs to that version then finds this one.
 */
export function* withCalendar({ calendar: _, ...spec }: JobSpec): Script<JobSpec> {
  const name = spec.window.calendar
  if (name === null || name === '') return spec
  const held = yield* row('SELECT * FROM @calendars WHERE name = ? FOR SHARE', name)
  if (held === null)
    throw new EvertickError('calendar_not_found', `No calendar is named "${name}".`, {
      field: 'window.calendar',
      next: `Make it first: \`evertick calendars put ${name}\`.`,
    })
  const { version, timezone, open, closed } = calendarFrom(held)
  return { ...spec, calendar: { name, version, timezone, open, closed } }
}

/** Calendars whose jobs may have an older version. */
export function* unmovedCalendars(): Script<CalendarRow[]> {
  return (yield* rows('SELECT * FROM @calendars WHERE moved_version < version ORDER BY name')).map(
    calendarFrom,
  )
}

export function* jobsBehind({ name, version }: Pick<CalendarRow, 'name' | 'version'>): Script<string[]> {
  const uses = yield* usesLike(`%"calendar":{"name":"${name}",%`)
  return uses.filter((use) => use.calendar === name && use.version < version).map(({ id }) => id)
}

export function* calendarMoved({ name, version }: Pick<CalendarRow, 'name' | 'version'>): Script<void> {
  const text = 'UPDATE @calendars SET moved_version = ? WHERE name = ? AND moved_version < ? AND version >= ?'
  yield* run(text, version, name, version, version)
}

interface Use extends CalendarUse {
  readonly id: string
  readonly version: number
}

const usesText = `
  SELECT id, name, spec FROM @jobs WHERE deleted_at IS NULL AND name > ? AND spec LIKE ? ORDER BY name LIMIT ?`

/** What else has this form, such as an input, is sorted out by reading the definition. */
function* usesLike(pattern: string): Script<Use[]> {
  const uses: Use[] = []
  for (let after = ''; ; ) {
    const jobs = yield* rows(usesText, after, pattern, jobsPerPage)
    for (const { id, name, spec } of jobs) {
      const { calendar } = specFrom(spec)
      if (calendar !== undefined)
        uses.push({ id: text(id), job: text(name), calendar: calendar.name, version: calendar.version })
    }
    if (jobs.length < jobsPerPage) return uses
    after = text(jobs.at(-1)?.name)
  }
}

function* note(
  action: string,
  subject: string,
  before: unknown,
  after: unknown,
  { now, actor, origin }: ChangeContext,
): Script<void> {
  yield* writeAuditLog({ at: now, actor, origin, action, subject, before, after })
}

function rulesOf({ timezone, open, closed }: CalendarHours): CalendarHours {
  return { timezone, open, closed }
}

function calendarFrom(calendar: Row): CalendarRow {
  return {
    name: text(calendar.name),
    version: number(calendar.version),
    ...(JSON.parse(text(calendar.rules)) as CalendarHours),
    createdAt: number(calendar.created_at),
    createdBy: text(calendar.created_by),
    changedAt: number(calendar.changed_at),
    changedBy: text(calendar.changed_by),
  }
}
