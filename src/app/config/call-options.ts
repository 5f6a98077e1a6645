/** Options of a call: a key that means nothing here is an error, never ignored. */
import { type ErrorCode, EvertickError } from '../../core/error.ts'
import { didYouMean } from '../../core/schedule/did-you-mean.ts'

export function refuseUnknown(
  options: object,
  known: readonly string[],
  call: string,
  code: ErrorCode = 'invalid_option',
): void {
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue
    const near = didYouMean(key, known)
    throw new EvertickError(code, `${call} has no option "${key}".`, {
      field: key,
      next: near === undefined ? `It has: ${known.join(', ')}.` : `Did you mean "${near}"?`,
    })
  }
}

/** The page size: a whole number from 1. */
export function pageLimit(limit: number | undefined, fallback: number): number {
  if (limit === undefined) return fallback
  if (Number.isSafeInteger(limit) && limit >= 1) return limit
  throw new EvertickError('invalid_option', `limit is ${limit}; it must be a whole number from 1.`, {
    field: 'limit',
  })
}

/** Names and keys are in indexes, whose width is limited on a server. */
export function refuseBadName(name: unknown, field: string, longest = 200): void {
  const refuse = (message: string) => {
    throw new EvertickError('invalid_option', message, { field })
  }
  if (typeof name !== 'string' || name === '') return refuse(`${field} must be a non-empty string.`)
  if (name.length > longest) refuse(`${field} has ${name.length} characters; it may have at most ${longest}.`)
  if (name.includes('\0')) refuse(`${field} contains a NUL.`)
}
