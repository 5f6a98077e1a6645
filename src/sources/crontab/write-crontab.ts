/** Writes a crontab that `parseCrontab` reads back as the same entries. What it cannot say stands below, with why. */
import { writeCommand } from './command-text.ts'
import { nameMark } from './entry-names.ts'
import type { CrontabEntry, CrontabFormat } from './parse-crontab.ts'

export type WrittenEntry = Omit<CrontabEntry, 'line' | 'timezone'> & { readonly timezone: string }

export interface LeftOut {
  readonly job: string
  readonly why: string
}

/** Null where a line can hold the entry, else why not. */
export function unwritable(entry: WrittenEntry): string | null {
  return writeCommand(entry) === null ? 'its command fits no line of a crontab' : null
}

export function writeCrontab(
  entries: readonly WrittenEntry[],
  leftOut: readonly LeftOut[],
  format: CrontabFormat,
): string {
  const lines = [
    '# Written by `evertick export crontab`.',
    "# CRON_TZ is heeded by cronie and others; Debian's own cron reads every line in the machine's zone.",
  ]
  let timezone: string | null = null
  for (const entry of [...entries].sort(byZoneAndName)) {
    if (entry.timezone !== timezone) lines.push('', `CRON_TZ=${entry.timezone}`)
    timezone = entry.timezone
    lines.push('', ...entryLines(entry, format))
  }
  if (leftOut.length > 0)
    lines.push('', '# Not in this crontab:', ...leftOut.map(({ job, why }) => `#   ${job}: ${why}`))
  return `${lines.join('\n')}\n`
}

function entryLines(entry: WrittenEntry, format: CrontabFormat): string[] {
  const words = entry.description === null ? [] : entry.description.split('\n').map((line) => `# ${line}`)
  const user = format === 'system' ? [entry.user ?? 'root'] : []
  return [...words, `# ${nameMark}${entry.name}`, [entry.cron, ...user, writeCommand(entry) ?? ''].join(' ')]
}

function byZoneAndName(one: WrittenEntry, other: WrittenEntry): number {
  return compare(one.timezone, other.timezone) || compare(one.name, other.name)
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
