/**
 * Reads a crontab: text in, entries out, and every line that we cannot take over with its number and why. A bad line
 * never stops the others. Pure: no file, no database.
 */
import { EvertickError } from '../../core/error.ts'
import { parseCron } from '../../core/schedule/cron/cron-expression.ts'
import { parseTimezone } from '../../core/schedule/timezone.ts'
import { type CommandText, parseCommand } from './command-text.ts'
import { type CrontabLine, parseLine, splitUser } from './crontab-line.ts'
import { headingOf, nameFrom, uniqueName } from './entry-names.ts'

export type CrontabFormat = 'user' | 'system'

export interface CrontabEntry extends CommandText {
  readonly line: number
  readonly name: string
  readonly description: string | null
  readonly cron: string
  /** Null where no `CRON_TZ` or `TZ` stands above. */
  readonly timezone: string | null
  /** Null in the user format. */
  readonly user: string | null
}

export interface UnsupportedLine {
  readonly line: number
  readonly text: string
  /** A `job` will not run here; a `setting` only has no meaning here. */
  readonly kind: 'job' | 'setting'
  readonly why: string
}

export interface Crontab {
  readonly format: CrontabFormat
  readonly entries: readonly CrontabEntry[]
  readonly unsupported: readonly UnsupportedLine[]
}

export function parseCrontab(
  text: string,
  { format }: { readonly format?: CrontabFormat | undefined } = {},
): Crontab {
  const lines = text
    .split(/\r?\n/)
    .map((line, index) => ({ text: line, number: index + 1, ...parseLine(line) }))
  const read = new Reader(format ?? formatOf(lines))
  for (const line of lines) read.line(line)
  return read
}

type NumberedLine = CrontabLine & { readonly text: string; readonly number: number }

class Reader implements Crontab {
  readonly format: CrontabFormat
  readonly entries: CrontabEntry[] = []
  readonly unsupported: UnsupportedLine[] = []
  readonly #names = new Set<string>()
  #comments: string[] = []
  #cronZone: Zone = { timezone: null, why: null }
  #zone: Zone = { timezone: null, why: null }

  constructor(format: CrontabFormat) {
    this.format = format
  }

  line(line: NumberedLine): void {
    if (line.kind === 'comment') return void this.#comments.push(line.text)
    if (line.kind === 'setting') this.#setting(line)
    if (line.kind === 'job') this.#job(line)
    this.#comments = []
  }

  #setting(line: NumberedLine & { kind: 'setting' }): void {
    const { name, value } = line
    const zone = zoneOf(value)
    if (name === 'CRON_TZ') this.#cronZone = zone
    else if (name === 'TZ') this.#zone = zone
    const why = /^(CRON_)?TZ$/.test(name) ? zone.why : settingWhy(name)
    if (why !== null) this.#report(line, 'setting', why)
  }

  #job(line: NumberedLine & { kind: 'job' }): void {
    const { schedule, rest } = line
    const { timezone, why } =
      this.#cronZone.timezone === null && this.#cronZone.why === null ? this.#zone : this.#cronZone
    const owned = this.format === 'system' ? splitUser(rest) : { user: null, command: rest }
    const problem = why ?? cronWhy(schedule) ?? (owned === null ? 'it has no user before its command' : null)
    if (problem !== null || owned === null) return this.#report(line, 'job', problem ?? '')
    const text = parseCommand(owned.command)
    if (text.command === '') return this.#report(line, 'job', 'it has no command')
    const heading = headingOf(this.#comments)
    this.entries.push({
      line: line.number,
      name: uniqueName(heading.name ?? nameFrom(heading, text.command), this.#names),
      description: heading.description,
      cron: schedule,
      timezone,
      user: owned.user,
      ...text,
    })
  }

  #report(line: NumberedLine, kind: UnsupportedLine['kind'], why: string): void {
    this.unsupported.push({ line: line.number, text: line.text.trim(), kind, why })
  }
}

interface Zone {
  readonly timezone: string | null
  readonly why: string | null
}

/** A line below an unknown zone must not run in another zone. */
function zoneOf(value: string): Zone {
  if (value === '') return { timezone: null, why: null }
  try {
    return { timezone: parseTimezone(value.replace(/^:/, ''), 'CRON_TZ'), why: null }
  } catch (error) {
    if (!(error instanceof EvertickError)) throw error
    return { timezone: null, why: `"${value}" is not a known time zone` }
  }
}

function settingWhy(name: string): string {
  if (name === 'MAILTO' || name === 'MAILFROM')
    return 'nothing is mailed: results, errors and logs are kept with each run'
  return `${name} would set a command's environment, which jobs do not inherit from a crontab`
}

function cronWhy(schedule: string): string | null {
  try {
    parseCron(schedule)
    return null
  } catch (error) {
    if (!(error instanceof EvertickError)) throw error
    return error.message
  }
}

/** The system format, if every entry has something like a user before its command, and root is among them. */
function formatOf(lines: readonly NumberedLine[]): CrontabFormat {
  const users = lines.flatMap((line) =>
    line.kind === 'job' && line.rest !== '' ? [splitUser(line.rest)?.user ?? null] : [],
  )
  return users.includes('root') && !users.includes(null) ? 'system' : 'user'
}
