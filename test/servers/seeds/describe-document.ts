/**
 * Walks one of the documents that Evertick unites, from top to bottom, under its own headings: what it describes works
 * here as written. A heading without tests says why; one that is forgotten, or that the document has not, fails.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

/** The tests of a section, or why it needs none: it only tells what stands elsewhere, or is about people. */
export type Section = (() => void) | string

export function describeDocument(number: string, sections: Readonly<Record<string, Section>>): void {
  const text = readFileSync(join(import.meta.dirname, 'documents', `${number}.md`), 'utf8')
  const headings = headingsOf(text)
  describe(`document ${number}`, () => {
    test('each of its headings is walked', () => {
      expect(Object.keys(sections).toSorted()).toEqual(headings.toSorted())
    })
    const walked = headings.flatMap((heading) => {
      const section = sections[heading]
      return typeof section === 'function' ? [[heading, section] as const] : []
    })
    describe.each(walked)('%s', (_heading, section) => {
      section()
    })
  })
}

/** Outside of code blocks. No document has a heading twice. */
function headingsOf(text: string): string[] {
  const prose = text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '')
  return [...prose.matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, title = '']) => title)
}
