/** A line as part of a table or a sentence: without its capital and its full stop. */
export function phraseOf(line: string): string {
  return line.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()).replace(/\.$/, '')
}
