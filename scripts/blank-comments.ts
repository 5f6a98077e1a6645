/**
 * Comments turned to spaces, and with `strings` plain strings too, so that every index still points at the same line.
 * Templates stay, since code may stand in them. Good enough for a check by words; it is no parser: after `//` inside a
 * regular expression the rest of that line goes unseen.
 */
export function blankComments(text: string, options: { readonly strings: boolean }): string {
  const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g
  return text.replace(token, (found) => {
    const blank = found.startsWith('/') || (options.strings && !found.startsWith('`'))
    return blank ? found.replace(/[^\n]/g, ' ') : found
  })
}
