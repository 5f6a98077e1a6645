/**
 * The search language of lists: `state:paused,error -tag:billing nightly`. A comma means or, a minus not; what has no name
 * before it is searched for.
 */
import { EvertickError } from '../core/error.ts'
import { didYouMean } from '../core/schedule/did-you-mean.ts'

export interface SearchTerm {
  readonly name: string
  /** Any of them. */
  readonly values: readonly string[]
  /** None of them. */
  readonly negated: boolean
}

export interface SearchTerms {
  /** All of them must hold. */
  readonly terms: readonly SearchTerm[]
  /** The words without a name, as they stand. */
  readonly words: string
}

/** A value with spaces or commas stands in quotes: `tag:"two words",other`. */
const term = /(?:(-?)(\w+):)?((?:"[^"]*"|[^\s"])+)/g
const part = /"([^"]*)"|([^,"]+)/g
/** More than anybody types. */
const mostValues = 50

export function parseSearch(text: string, names: readonly string[]): SearchTerms {
  const terms: SearchTerm[] = []
  const words: string[] = []
  for (const [, minus, name, written = ''] of text.matchAll(term)) {
    if (name === undefined) {
      words.push(written.replaceAll('"', ''))
      continue
    }
    if (!names.includes(name)) throw unknownName(name, names)
    const values = [...written.matchAll(part)].map(([, quoted, plain]) => quoted ?? plain ?? '')
    if (values.length > mostValues) throw refused(`"${name}:" has more than ${mostValues} values.`)
    terms.push({ name, values, negated: minus === '-' })
  }
  return { terms, words: words.join(' ').trim() }
}

/** The values that a name may have; another is refused with the nearest. */
export function refuseOther(term: SearchTerm, allowed: readonly string[]): void {
  for (const value of term.values) {
    if (allowed.includes(value)) continue
    const near = didYouMean(value, allowed)
    throw refused(
      `"${term.name}:" cannot be "${value}".`,
      near === undefined ? `It can be: ${allowed.join(', ')}.` : `Did you mean "${near}"?`,
    )
  }
}

function unknownName(name: string, names: readonly string[]): EvertickError {
  const near = didYouMean(name, names)
  return refused(
    `The filter has no "${name}:".`,
    near === undefined ? `It has: ${names.join(', ')}.` : `Did you mean "${near}:"?`,
  )
}

export function refused(message: string, next?: string): EvertickError {
  return new EvertickError('invalid_option', message, {
    field: 'filter',
    ...(next === undefined ? {} : { next }),
  })
}
