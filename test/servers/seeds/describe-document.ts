/**
 * Walks one of the documents that Evertick unites, from top to bottom, under its own headings: what it describes works
 * here as written. No heading is waived by words: one without tests holds sections that have some, or its items are each walked
 * elsewhere, or it only tells, with no command and no name of work. One that is forgotten, or that the document has not, fails.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

export type Section = (() => void) | Untested

export type Untested =
  /** The sections below it, of which each is walked, or holds or restates some that are. */
  | { readonly holds: 'sections' }
  /** By the first words of each of its items: the heading under which that is walked. */
  | { readonly restates: Readonly<Record<string, string>> }
  /** About people and files, or about what stands elsewhere. */
  | { readonly tells: string }

export const holds: Untested = { holds: 'sections' }

interface Heading {
  readonly title: string
  readonly level: number
  /** Up to the next heading. */
  readonly own: string
}

/** What somebody would have to do: no words waive it. */
const work =
  /deploy|verif|roll ?back|monitor|next steps|target|test|documentation|migrat|troubleshoot|prerequisite|usage|configur/i

export function describeDocument(number: string, sections: Readonly<Record<string, Section>>): void {
  const headings = headingsOf(number)
  const isWalked = (title: string) => typeof sections[title] === 'function'
  const untested = headings.map((heading, at) => ({ ...heading, at, section: sections[heading.title] }))
  const holding = untested.flatMap(({ section, ...heading }) =>
    typeof section === 'object' && 'holds' in section ? [heading] : [],
  )
  const restating = untested.flatMap(({ section, ...heading }) =>
    typeof section === 'object' && 'restates' in section ? [{ ...heading, restates: section.restates }] : [],
  )
  const saying = untested.flatMap(({ section, ...heading }) =>
    typeof section === 'object' && !('holds' in section) && !('restates' in section) ? [heading] : [],
  )
  describe(`document ${number}`, () => {
    test('each of its headings is walked', () => {
      expect(Object.keys(sections).toSorted()).toEqual(headings.map(({ title }) => title).toSorted())
    })
    test.each(holding)('$title only holds other headings', ({ level, own, at }) => {
      const below = headings.slice(at + 1)
      const end = below.findIndex((heading) => heading.level <= level)
      expect(end === -1 ? below : below.slice(0, end)).not.toEqual([])
      expect(own).not.toContain('```')
    })
    test.each(restating)('$title says again what is walked elsewhere', ({ own, restates }) => {
      const items = itemsOf(own)
      const unwalked = items.filter((item) => {
        const key = Object.keys(restates).find((words) => item.startsWith(words))
        return key === undefined || !isWalked(restates[key] ?? '')
      })
      expect(unwalked).toEqual([])
      expect(items).not.toEqual([])
      expect(Object.keys(restates)).toHaveLength(items.length)
    })
    test.each(saying)('$title names no work', ({ title, own }) => {
      expect(title).not.toMatch(work)
      expect(own).not.toMatch(/```|- \[ \]/)
    })
    const walked = headings.flatMap(({ title }) => {
      const section = sections[title]
      return typeof section === 'function' ? [[title, section] as const] : []
    })
    describe.each(walked)('%s', (_heading, section) => {
      section()
    })
  })
}

export function documentOf(number: string): string {
  return readFileSync(join(import.meta.dirname, 'documents', `${number}.md`), 'utf8')
}

/** The first block of commands below a heading, as printed. */
export function bashOf(number: string, title: string): string {
  const own = headingsOf(number).find((heading) => heading.title === title)?.own ?? ''
  return /```bash\n([\s\S]*?)```/.exec(own)?.[1] ?? ''
}

/** Outside of code blocks. No document has a heading twice. */
function headingsOf(number: string): Heading[] {
  const text = documentOf(number)
  const blank = text.replaceAll(/^ *```[\s\S]*?^ *```/gm, (block) => block.replaceAll(/[^\n]/g, ' '))
  const found = [...blank.matchAll(/^(#{1,6}) +(.+?) *$/gm)]
  return found.map(([line, marks = '', title = ''], index) => {
    const from = (found[index]?.index ?? 0) + line.length
    return { title, level: marks.length, own: text.slice(from, found[index + 1]?.index) }
  })
}

/** Points of a list that is not inside another: `- [x] A`, `- **A**: …`, `1. A`, `✅ A`. */
function itemsOf(own: string): string[] {
  return [...own.matchAll(/^(?:(?:[-*]|\d+\.) +(?:\[.\] +)?|✅ +)(?:✅ +)?\**(.+)$/gm)].map(
    ([, item = '']) => item,
  )
}
