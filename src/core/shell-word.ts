/** A name may have spaces; in a command that somebody copies, a shell takes it for one word nonetheless. */
export function shellWord(text: string): string {
  return /^[\w.:/@=+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
