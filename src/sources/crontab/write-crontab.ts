/** Writes a crontab that `parseCrontab` reads back as the same entries. What it cannot say stands below, with why. */
import { printableText } from '../../core/printable-text.ts'
import { writeCommand } from './command-text.ts'
import { nameMark } from './entry-names.ts'
import type { CrontabEntry } from './parse-crontab.ts'

export type WrittenEntry = Omit<CrontabEntry, 'line' | 'timezone'> & { readonly timezone: string }

export interface LeftOut {
  readonly job: string
  readonly why: string
}

/** `owner`: who runs the lines that name no user, in the system format; null: the lines have no user. */
export function writeCrontab(
  entries: readonly WrittenEntry[],
  leftOut: readonly LeftOut[],
  owner: string | null,
): string {
  const lines = [
    '# Written by `evertick export crontab`.',
    "# CRON_TZ is heeded by cronie and others; Debian's own cron reads every line in the machine's zone.",
  ]
  let timezone: string | null = null
  for (const entry of [...entries].sort(byZoneAndName)) {
    if (entry.timezone !== timezone) lines.push('', `CRON_TZ=${entry.timezone}`)
    timezone = entry.timezone
    lines.push('', ...entryLines(entry, owner))
  }
  if (leftOut.length > 0)
    lines.push('', '# Not in this crontab:', ...leftOut.map(({ job, why }) => comment(`  ${job}: ${why}`)))
  return `${lines.join('\n')}\n`
}

function entryLines(entry: WrittenEntry, owner: string | null): string[] {
  const words = entry.description === null ? [] : entry.description.split('\n').map(comment)
  const user = owner === null ? [] : [entry.user ?? owner]
  return [...words, `# ${nameMark}${entry.name}`, [entry.cron, ...user, writeCommand(entry) ?? ''].join(' ')]
}

/** People read it, on a terminal. */
function comment(line: string): string {
  return `# ${printableText(line)}`
}

function byZoneAndName(one: WrittenEntry, other: WrittenEntry): number {
  return compare(one.timezone, other.timezone) || compare(one.name, other.name)
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
