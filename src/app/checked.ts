/** Options in, checked values out: zod's findings as one of our errors, with the field and a did-you-mean. */
import type { z } from 'zod'
import { type ErrorCode, EvertickError } from '../core/error.ts'
import { didYouMean } from '../core/schedule/did-you-mean.ts'

export function checked<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  code: ErrorCode,
  what: string,
  known: readonly string[],
): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  if (issue === undefined) throw new EvertickError(code, `${what} is not valid.`)
  if (issue.code === 'unrecognized_keys') throw unknownKey(code, what, issue.path, issue.keys[0] ?? '', known)
  const field = issue.path.map(String).join('.')
  throw new EvertickError(code, `${what}${field === '' ? '' : `: ${field}`}: ${issue.message}.`, {
    ...(field === '' ? {} : { field }),
    next: 'See the options in docs/reference/options.md.',
  })
}

function unknownKey(
  code: ErrorCode,
  what: string,
  path: readonly PropertyKey[],
  key: string,
  known: readonly string[],
): EvertickError {
  const near = didYouMean(key, known)
  const field = [...path, key].map(String).join('.')
  return new EvertickError(code, `${what} has the unknown option "${field}".`, {
    field,
    next: near === undefined ? `Known here: ${known.join(', ')}.` : `Did you mean "${near}"?`,
  })
}
