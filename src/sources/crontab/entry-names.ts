/** Names for the lines of a crontab: from the comment right above, else from the command; no two alike. */
import { isJobName } from '../../core/job/job-name.ts'
import { isJobText } from './job-text.ts'

/** What our own export writes above a line: the name as it is. */
export const nameMark = 'evertick: '

export interface Heading {
  /** Given by our own mark; else it is made of words. */
  readonly name: string | null
  readonly description: string | null
}

const longestName = 60
const longestDescription = 2_000

/** The comment lines right above an entry. Rulers, the header of Debian's crontab and commented-out lines say nothing. */
export function headingOf(comments: readonly string[]): Heading {
  const marks = comments.filter((text) => text.startsWith(nameMark))
  const words = comments.filter(
    (text) =>
      !text.startsWith(nameMark) &&
      /[\p{L}\p{N}]/u.test(text) &&
      !/^m\s+h\s+dom\b/i.test(text) &&
      !isJobText(text),
  )
  const marked = marks.at(-1)?.slice(nameMark.length).trim()
  return {
    name: isJobName(marked) ? marked : null,
    description: words.length === 0 ? null : words.join('\n').slice(0, longestDescription),
  }
}

/** The first line of the comment, or the command, as a name. */
export function nameFrom({ description }: Heading, command: string): string {
  return slug(description?.split('\n')[0] ?? '') || slug(command) || 'job'
}

/** The name itself, or with a number where it is taken; then it is taken, too. */
export function uniqueName(name: string, taken: Set<string>): string {
  let unique = name
  for (let count = 2; taken.has(unique); count += 1) unique = `${name}-${count}`
  taken.add(unique)
  return unique
}

function slug(text: string): string {
  const words = text
    .toLowerCase()
    .normalize('NFC')
    .split(/[^\p{L}\p{N}_]+/u)
    .filter((word) => word !== '')
  let name = ''
  for (const word of words) {
    const longer = name === '' ? word.slice(0, longestName) : `${name}-${word}`
    if (longer.length > longestName) break
    name = longer
  }
  return name
}
