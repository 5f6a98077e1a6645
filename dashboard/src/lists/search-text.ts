/** Suggestions for the word that is being typed in a search. */
export interface Suggestion {
  readonly text: string
  readonly means: string
}

/** Those that start like the last word and are not used yet. */
export function suggestionsFor(text: string, all: readonly Suggestion[]): Suggestion[] {
  const words = text.split(/\s+/)
  const word = words.at(-1) ?? ''
  return all.filter(
    (each) => each.text.startsWith(word) && !words.slice(0, -1).includes(each.text) && each.text !== word,
  )
}

/** The text with its last word replaced. */
export function completed(text: string, suggestion: Suggestion): string {
  const words = text.split(/\s+/).slice(0, -1)
  const isOpen = suggestion.text.endsWith(':')
  return [...words, suggestion.text].join(' ') + (isOpen ? '' : ' ')
}
