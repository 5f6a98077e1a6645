/** Options in, checked values out: zod's findings as one of our errors, with the field and a did-you-mean. */
import type { z } from 'zod'
import { type ErrorCode, EvertickError } from '../../core/error.ts'
import { didYouMean } from '../../core/schedule/did-you-mean.ts'

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
  const wrong = wrongChoice(issue, value)
  if (wrong !== null) throw unknownValue(code, what, wrong)
  const field = issue.path.map(String).join('.')
  throw new EvertickError(code, `${what}${field === '' ? '' : `: ${field}`}: ${issue.message}.`, {
    ...(field === '' ? {} : { field }),
    next: 'See the options in docs/reference/options.md.',
  })
}

interface WrongChoice {
  readonly path: readonly PropertyKey[]
  readonly given: unknown
  readonly allowed: readonly string[]
}

/** A value that is not one of the allowed words, also inside a union; null if that is not the problem. */
function wrongChoice(issue: z.core.$ZodIssue, value: unknown): WrongChoice | null {
  if (issue.code === 'invalid_value') {
    const given = issue.path.reduce(within, value)
    return { path: issue.path, given, allowed: issue.values.map(String) }
  }
  if (issue.code !== 'invalid_union') return null
  const kinds: unknown = 'options' in issue ? issue.options : undefined
  if (Array.isArray(kinds)) {
    return { path: issue.path, given: issue.path.reduce(within, value), allowed: kinds.map(String) }
  }
  const causes = issue.errors.flat().map((one) => ({ ...one, path: [...issue.path, ...one.path] }))
  // The form whose check got furthest was meant, and a string was meant as one of the words.
  const choices = causes.map((one) => wrongChoice(one, value)).filter((one) => typeof one?.given === 'string')
  return choices.toSorted((one, other) => (other?.path.length ?? 0) - (one?.path.length ?? 0))[0] ?? null
}

function within(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
}

function unknownValue(code: ErrorCode, what: string, { path, given, allowed }: WrongChoice): EvertickError {
  const field = path.map(String).join('.')
  const near = typeof given === 'string' ? didYouMean(given, allowed) : undefined
  const words = `Use one of: ${allowed.join(', ')}.`
  return new EvertickError(
    code,
    `${what}: ${field} is ${JSON.stringify(given)}, which is not one of its values.`,
    {
      field,
      next: near === undefined ? words : `Did you mean "${near}"? ${words}`,
    },
  )
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
    next: near === undefined ? `Known options: ${known.join(', ')}.` : `Did you mean "${near}"?`,
  })
}
