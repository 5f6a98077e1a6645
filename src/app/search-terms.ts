/** The search language of lists: `state:paused tag:billing nightly`. What has no name before it is searched for. */
import { EvertickError } from '../core/error.ts'
import { didYouMean } from '../core/schedule/did-you-mean.ts'

export interface SearchTerms {
  readonly named: ReadonlyMap<string, string>
  /** The words without a name, as they stand. */
  readonly words: string
}

/** A value with spaces stands in quotes: `tag:"two words"`. */
const term = /(?:(\w+):)?(?:"([^"]*)"|(\S+))/g

export function parseSearch(text: string, names: readonly string[]): SearchTerms {
  const named = new Map<string, string>()
  const words: string[] = []
  for (const [, name, quoted, plain = ''] of text.matchAll(term)) {
    const value = quoted ?? plain
    if (name === undefined) words.push(value)
    else if (!names.includes(name)) throw unknownName(name, names)
    else if (named.has(name)) throw refused(`"${name}" stands twice in the filter.`)
    else named.set(name, value)
  }
  return { named, words: words.join(' ') }
}

function unknownName(name: string, names: readonly string[]): EvertickError {
  const near = didYouMean(name, names)
  return refused(
    `The filter has no "${name}:".`,
    near === undefined ? `It has: ${names.join(', ')}.` : `Did you mean "${near}:"?`,
  )
}

function refused(message: string, next?: string): EvertickError {
  return new EvertickError('invalid_option', message, {
    field: 'filter',
    ...(next === undefined ? {} : { next }),
  })
}
