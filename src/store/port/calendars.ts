/** Calendars: opening hours by name. Jobs keep their own copy of what they say. */
import type { CalendarHours } from '../../core/job/window.ts'
import type { ChangeContext } from './jobs.ts'

export interface CalendarStore {
  /** A new calendar, or its next version; the same again changes nothing. Whoever holds its row first is before the other. */
  putCalendar(name: string, rules: CalendarHours, by: ChangeContext): Promise<CalendarRow>
  findCalendar(name: string): Promise<CalendarRow | null>
  /** By name. */
  listCalendars(): Promise<CalendarRow[]>
  /** The jobs that have a calendar, in the order of their names. */
  listCalendarUses(): Promise<CalendarUse[]>
  /** Refused while a job has it. A job that takes it at this moment waits, and finds it missing. */
  deleteCalendar(name: string, by: ChangeContext): Promise<DeletedCalendar>
  /**
   * Moves jobs to the newest version of their calendars, one transaction each; how many. Whoever is cut off is finished by
   * the next: a calendar says up to which version all of its jobs are.
   */
  moveCalendarJobs(by: ChangeContext): Promise<number>
}

export interface CalendarRow extends CalendarHours {
  readonly name: string
  readonly version: number
  readonly createdAt: number
  readonly createdBy: string
  readonly changedAt: number
  readonly changedBy: string
}

export interface CalendarUse {
  readonly job: string
  readonly calendar: string
}

export interface DeletedCalendar {
  readonly deleted: boolean
  /** The jobs that have it. */
  readonly usedBy: readonly string[]
}
