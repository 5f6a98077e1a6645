/** An instant as people type it: ISO 8601 with an offset, `now`, `2h` or `2h ago`, `+30m`. */
import { EvertickError } from '../core/error.ts'
import { parseDuration } from '../core/schedule/duration.ts'
import { parseInstant } from '../core/schedule/instant.ts'

const relative = /^([+-])?\s*((?:\d+(?:\.\d+)?\s*(?:ms|[smhdw])\s*)+?)(\s*ago)?$/i

export function instantArgument(text: string, field: string, now: number): Date {
  const written = text.trim()
  if (written.toLowerCase() === 'now') return new Date(now)
  const [, sign, amount] = relative.exec(written) ?? []
  if (amount !== undefined) {
    const ms = parseDuration(amount, field)
    return new Date(sign === '+' ? now + ms : now - ms)
  }
  try {
    return new Date(parseInstant(written, field))
  } catch (error) {
    if (!(error instanceof EvertickError)) throw error
    throw new EvertickError(error.code, error.message, {
      field,
      next: 'Use ISO 8601 with an offset, such as 2027-03-28T09:00:00Z, or `now`, `2h` (two hours ago) or `+30m` (in 30 minutes).',
    })
  }
}
