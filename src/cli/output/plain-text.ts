/** Foreign text for one line of a terminal: no line breaks, no control codes. */
import { printableText } from '../../core/printable-text.ts'
import { withoutColour } from './colour.ts'

export function plainText(text: string): string {
  return printableText(text.replaceAll(/\s*[\r\n]+\s*/g, ' ').replaceAll('\t', ' '))
}

/** How many columns the text takes, without its colours. */
export function widthOf(text: string): number {
  let width = 0
  for (const char of withoutColour(text)) {
    if (/\p{Mn}|\p{Me}|\p{Cf}/u.test(char)) continue
    width += wide.test(char) ? 2 : 1
  }
  return width
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u

/** Cuts the text to `width` columns, with an ellipsis if anything is cut. Only for text without colours. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  for (const char of text) {
    if (widthOf(kept + char) >= width) break
    kept += char
  }
  return `${kept}…`
}
