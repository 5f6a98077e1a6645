/**
 * Keeps our own colours apart from escape codes in foreign text: until it is written, a mark that nobody can guess stands
 * for the escape character.
 */
import { randomUUID } from 'node:crypto'
import { printableText } from '../../core/printable-text.ts'

const mark = randomUUID()
const codes = new RegExp(`${mark}(\\[\\d+m)`, 'g')

/** The codes that start and end a colour. */
export type Colour = readonly [begin: number, end: number]

export function coloured([begin, end]: Colour, text: string): string {
  return `${mark}[${begin}m${text}${mark}[${end}m`
}

export function withoutColour(text: string): string {
  return text.replaceAll(codes, '')
}

/** Safe to write: our own colours are the only control codes in it. */
export function terminalText(text: string): string {
  return printableText(text).replaceAll(codes, '\u001b$1')
}
