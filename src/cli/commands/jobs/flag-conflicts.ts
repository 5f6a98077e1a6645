/** Flags that exclude or need each other: none is silently ignored. */
import { EvertickError } from '../../../core/error.ts'

type Code = 'invalid_option' | 'invalid_schedule'

/** The name of the flag that was given; undefined if none was. */
export function onlyOne(
  flags: Readonly<Record<string, unknown>>,
  what: 'schedule' | 'handler',
  code: Code,
): string | undefined {
  const given = Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [flag]))
  if (given.length < 2) return given[0]
  throw new EvertickError(code, `${given.join(' and ')} cannot be combined: a job has one ${what}.`, {
    field: what,
    next: 'Use only one of them.',
  })
}

export function strayFlag(flag: string, needs: string, code: Code): EvertickError {
  return new EvertickError(code, `${flag} only works with ${needs}.`, {
    field: flag,
    next: `Add ${needs}, or remove ${flag}.`,
  })
}
