/** Help with writing a search: words with what they mean, for the word that is being written. */
export interface Suggestion {
  readonly text: string
  readonly means: string
}

/** Those that begin like the last word, without what is there already. */
export function suggestionsFor(text: string, all: readonly Suggestion[]): Suggestion[] {
  const written = text.split(/\s+/)
  const word = written.at(-1) ?? ''
  return all.filter(
    (each) => each.text.startsWith(word) && !written.slice(0, -1).includes(each.text) && each.text !== word,
  )
}

/** The text with its last word replaced. */
export function completed(text: string, suggestion: Suggestion): string {
  const written = text.split(/\s+/).slice(0, -1)
  const isOpen = suggestion.text.endsWith(':')
  return [...written, suggestion.text].join(' ') + (isOpen ? '' : ' ')
}
