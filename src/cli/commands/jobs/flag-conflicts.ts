/** Flags that exclude or need each other: none is accepted and ignored. */
import { EvertickError } from '../../../core/error.ts'

type Code = 'invalid_option' | 'invalid_schedule'

/** The name of the one that was given; undefined where none was. */
export function onlyOne(
  flags: Readonly<Record<string, unknown>>,
  what: 'schedule' | 'handler',
  code: Code,
): string | undefined {
  const given = Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [flag]))
  if (given.length < 2) return given[0]
  throw new EvertickError(code, `${given.join(' and ')} were given; a job has one ${what}.`, {
    field: what,
    next: 'Leave one of them out.',
  })
}

export function strayFlag(flag: string, needs: string, code: Code): EvertickError {
  return new EvertickError(code, `${flag} goes with ${needs} only.`, {
    field: flag,
    next: `Add ${needs}, or leave ${flag} out.`,
  })
}
