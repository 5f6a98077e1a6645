/**
 * The search language of lists: `state:paused,error -tag:billing nightly`. A comma means or, a minus not; what has no name
 * before it is searched for.
 */
import { EvertickError } from '../core/error.ts'
import { didYouMean } from '../core/schedule/did-you-mean.ts'

export interface SearchTerm<Name extends string = string> {
  readonly name: Name
  /** Any of them. */
  readonly values: readonly string[]
  /** None of them. */
  readonly negated: boolean
}

export interface SearchTerms<Name extends string> {
  /** All of them must hold. */
  readonly terms: readonly SearchTerm<Name>[]
  /** The words without a name, unchanged. */
  readonly words: string
}

/** A value with spaces or commas is quoted: `tag:"two words",other`. */
const term = /(?:(-?)(\w+):)?((?:"[^"]*"|[^\s"])+)/g
const part = /"([^"]*)"|([^,"]+)/g
/** More than anybody types. */
const mostValues = 50

export function parseSearch<Name extends string>(text: string, names: readonly Name[]): SearchTerms<Name> {
  const terms: SearchTerm<Name>[] = []
  const words: string[] = []
  for (const [, minus, given, written = ''] of text.matchAll(term)) {
    if (given === undefined) {
      words.push(written.replaceAll('"', ''))
      continue
    }
    const name = names.find((known) => known === given)
    if (name === undefined) throw unknownName(given, names)
    const values = [...written.matchAll(part)].map(([, quoted, plain]) => quoted ?? plain ?? '')
    if (values.length > mostValues) throw refused(`"${name}:" has more than ${mostValues} values.`)
    terms.push({ name, values, negated: minus === '-' })
  }
  return { terms, words: words.join(' ').trim() }
}

/** The values that a name may have, if not any; another is refused with the nearest. */
export function refuseOther(term: SearchTerm, allowed: readonly string[] | undefined): void {
  if (allowed === undefined) return
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
