/** Which HTTP statuses count as done: 204, '2xx', '200-204', or a list of these. */
import { EvertickError } from '../error.ts'
import type { ExpectedStatus } from './handler.ts'

export const defaultExpect = '2xx'

interface Span {
  readonly from: number
  readonly to: number
}

/** The test that a status must pass. Throws where the text is not valid. */
export function expectedStatus(expect: ExpectedStatus): (status: number) => boolean {
  const parts = typeof expect === 'object' ? expect : [expect]
  const spans = parts.map(spanOf)
  if (spans.length === 0) throw invalid(expect)
  return (status) => spans.some(({ from, to }) => status >= from && status <= to)
}

export function expectedWords(expect: ExpectedStatus): string {
  return typeof expect === 'object' ? expect.join(' or ') : String(expect)
}

function spanOf(part: number | string): Span {
  const text = String(part).trim().toLowerCase()
  const [, hundreds] = /^([1-5])xx$/.exec(text) ?? []
  if (hundreds !== undefined) return { from: Number(hundreds) * 100, to: Number(hundreds) * 100 + 99 }
  const [, first, last] = /^([1-5]\d\d)(?:\s*-\s*([1-5]\d\d))?$/.exec(text) ?? []
  const [from, to] = [Number(first), Number(last ?? first)]
  if (first === undefined || to < from) throw invalid(part)
  return { from, to }
}

function invalid(part: ExpectedStatus): EvertickError {
  return new EvertickError('invalid_definition', `${JSON.stringify(part)} is not a valid status.`, {
    field: 'handler.expect',
    next: "Write a status such as 200, '2xx', '200-204', or a list of these.",
  })
}
