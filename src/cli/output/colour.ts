/**
 * Our own colours, told apart from any in a text from elsewhere: until it is written, a mark that nobody can guess stands
 * for the escape character.
 */
import { randomUUID } from 'node:crypto'
import { printableText } from '../../core/printable-text.ts'

const mark = randomUUID()
const codes = new RegExp(`${mark}(\\[\\d+m)`, 'g')

/** The codes that begin a colour and that end it. */
export type Colour = readonly [begin: number, end: number]

export function coloured([begin, end]: Colour, text: string): string {
  return `${mark}[${begin}m${text}${mark}[${end}m`
}

export function withoutColour(text: string): string {
  return text.replaceAll(codes, '')
}

/** What may be written: of all that steers a terminal, only our own colours. */
export function terminalText(text: string): string {
  return printableText(text).replaceAll(codes, '\u001b$1')
}
