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
  const untested = headings.flatMap((heading, at) => {
    const section = sections[heading.title]
    return typeof section === 'object' ? [{ ...heading, at, section }] : []
  })
  describe(`document ${number}`, () => {
    test('each of its headings is walked', () => {
      expect(Object.keys(sections).toSorted()).toEqual(headings.map(({ title }) => title).toSorted())
    })
    test.each(untested)('$title needs no test of its own', ({ title, level, own, at, section }) => {
      if ('holds' in section) {
        const below = headings.slice(at + 1)
        const end = below.findIndex((heading) => heading.level <= level)
        const held = end === -1 ? below : below.slice(0, end)
        expect(held.length).toBeGreaterThan(0)
        expect(own).not.toContain('```')
      } else if ('restates' in section) {
        const items = itemsOf(own)
        expect(items.length).toBeGreaterThan(0)
        const walked = items.map((item) => {
          const key = Object.keys(section.restates).find((words) => item.startsWith(words))
          return [item, key !== undefined && isWalked(section.restates[key] ?? '')]
        })
        expect(walked.filter(([, is]) => is !== true)).toEqual([])
        expect(Object.keys(section.restates)).toHaveLength(items.length)
      } else {
        expect(title).not.toMatch(work)
        expect(own).not.toMatch(/```|- \[ \]/)
      }
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
