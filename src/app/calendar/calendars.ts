/** `evertick.calendars`: opening hours by name, which jobs share. A change of one is a revision of each of its jobs. */
import { EvertickError } from '../../core/error.ts'
import { vaultName, vaultNameRule } from '../../core/job/vault-name.ts'
import type { JobCalendar } from '../../core/job/window.ts'
import { dayMs } from '../../core/schedule/civil-day.ts'
import { parseHoursRule } from '../../core/schedule/hours/hours-rule.ts'
import { parseTimezone } from '../../core/schedule/timezone.ts'
import type { CalendarRow } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { type ActorOptions, changeContext } from '../change-context.ts'
import { refuseUnknown } from '../config/call-options.ts'
import { readICal } from './read-ical.ts'

export interface CalendarRules {
  /** When it is open, in the words of a job's `window.open`. @default always */
  readonly open?: readonly string[]
  /** When it is closed even so. */
  readonly closed?: readonly string[]
  /** Whose clock that is. @default that of the job that uses it */
  readonly timezone?: string
}

export interface CalendarView {
  readonly name: string
  /** It grows with every change. */
  readonly version: number
  readonly timezone: string | null
  readonly open: readonly string[]
  readonly closed: readonly string[]
  readonly createdAt: Date
  readonly createdBy: string
  readonly changedAt: Date
  readonly changedBy: string
  /** Jobs whose window names it. */
  readonly usedBy: readonly string[]
}

export interface ImportedCalendar extends CalendarView {
  /** How many events the file has. */
  readonly events: number
}

/** A line costs every job of the calendar its bytes. */
const mostLines = 2_000
const longestICal = 5_000_000
const pastMs = 400 * dayMs
const aheadMs = 5 * 366 * dayMs
const shownUses = 3

export class Calendars {
  readonly #app: AppContext

  constructor(app: AppContext) {
    this.#app = app
  }

  /** By name. */
  async list(): Promise<CalendarView[]> {
    const { calendars } = this.#app.store
    const [rows, uses] = await Promise.all([calendars.listCalendars(), calendars.listCalendarUses()])
    return rows.map((row) =>
      viewOf(
        row,
        uses.filter(({ calendar }) => calendar === row.name).map(({ job }) => job),
      ),
    )
  }

  async get(name: string): Promise<CalendarView> {
    const view = (await this.list()).find((calendar) => calendar.name === name)
    if (view === undefined) throw notFound(name)
    return view
  }

  /** A new calendar, or the next version of one. Its jobs have it when this returns, each by a revision of its own. */
  async put(name: string, rules: CalendarRules, by: ActorOptions = {}): Promise<CalendarView> {
    refuseUnknown(by, ['actor', 'origin'], 'calendars.put')
    refuseUnknown(rules, ['open', 'closed', 'timezone'], 'calendars.put')
    if (typeof name !== 'string' || !vaultName.test(name))
      throw new EvertickError(
        'invalid_option',
        `${JSON.stringify(name)} is not a valid name of a calendar.`,
        {
          field: 'name',
          next: vaultNameRule,
        },
      )
    const { open = [], closed = [] } = rules
    refuseLines('open', open)
    refuseLines('closed', closed)
    const timezone = rules.timezone === undefined ? null : parseTimezone(rules.timezone, 'timezone')
    const { calendars } = this.#app.store
    const context = changeContext(this.#app, by)
    await calendars.putCalendar(name, { timezone, open, closed }, context)
    await calendars.moveCalendarJobs(context)
    this.#app.jobChanged()
    return await this.get(name)
  }

  /** The events of an iCal file become the closed times of a calendar; what it has beside them stays. */
  async import(
    name: string,
    ical: string,
    { timezone, ...by }: ActorOptions & { readonly timezone?: string } = {},
  ): Promise<ImportedCalendar> {
    refuseUnknown(by, ['actor', 'origin'], 'calendars.import')
    if (typeof ical !== 'string' || ical.length > longestICal)
      throw new EvertickError('invalid_option', 'ical must be the text of an iCal file, at most 5 MB.', {
        field: 'ical',
        next: 'Give what the file contains.',
      })
    const before = await this.#app.store.calendars.findCalendar(name)
    const zone = timezone ?? before?.timezone ?? undefined
    const now = this.#app.clock.now()
    const span = {
      from: now - pastMs,
      until: now + aheadMs,
      timezone: parseTimezone(zone ?? 'UTC', 'timezone'),
    }
    const { closed, events } = await readICal(ical, span)
    const rules = { open: before?.open ?? [], closed, ...(zone === undefined ? {} : { timezone: zone }) }
    return { ...(await this.put(name, rules, by)), events }
  }

  /** Refused while a job has it. */
  async delete(name: string, by: ActorOptions = {}): Promise<void> {
    refuseUnknown(by, ['actor', 'origin'], 'calendars.delete')
    const { deleted, usedBy } = await this.#app.store.calendars.deleteCalendar(
      name,
      changeContext(this.#app, by),
    )
    if (deleted) return
    if (usedBy.length === 0) throw notFound(name)
    const rest = usedBy.length - shownUses
    const users = `${usedBy.slice(0, shownUses).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
    throw new EvertickError('calendar_in_use', `The calendar "${name}" is used by ${users}.`, {
      next: 'Take it out of their windows first: `evertick jobs update JOB --calendar ""`.',
    })
  }
}

/** What a calendar says now, for a preview; null where none is named. */
export async function calendarOf(
  { store }: Pick<AppContext, 'store'>,
  name: string | undefined,
): Promise<JobCalendar | null> {
  if (name === undefined || name === '') return null
  const row = await store.calendars.findCalendar(name)
  if (row === null) throw notFound(name)
  const { version, timezone, open, closed } = row
  return { name, version, timezone, open, closed }
}

function refuseLines(field: 'open' | 'closed', lines: readonly string[]): void {
  if (lines.length > mostLines)
    throw new EvertickError(
      'invalid_hours',
      `${field} must be at most ${mostLines.toLocaleString('en')} lines.`,
      {
        field,
        next: "Write it as ['Mon-Fri 08:00-18:00', '2026-12-25'].",
      },
    )
  for (const line of lines) parseHoursRule(line, field)
}

function notFound(name: string): EvertickError {
  return new EvertickError('calendar_not_found', `No calendar is named "${name}".`, {
    next: 'List the calendars with `evertick calendars list`.',
  })
}

function viewOf(row: CalendarRow, usedBy: readonly string[]): CalendarView {
  return { ...row, createdAt: new Date(row.createdAt), changedAt: new Date(row.changedAt), usedBy }
}
