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
    const held = sectionsBelow(heading, headings.slice(at + 1))
    return typeof section === 'object' ? [{ ...heading, held, section }] : []
  })
  describe(`document ${number}`, () => {
    test('each of its headings is walked', () => {
      expect(Object.keys(sections).toSorted()).toEqual(headings.map(({ title }) => title).toSorted())
    })
    test.each(untested)('$title needs no test of its own', (heading) => {
      expect(whyItNeedsOne(heading, isWalked)).toEqual([])
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

function sectionsBelow({ level }: Heading, after: readonly Heading[]): readonly Heading[] {
  const end = after.findIndex((heading) => heading.level <= level)
  return end === -1 ? after : after.slice(0, end)
}

function whyItNeedsOne(
  { title, own, held, section }: Heading & { readonly held: readonly Heading[]; readonly section: Untested },
  isWalked: (title: string) => boolean,
): string[] {
  const commands = own.includes('```') ? ['it has commands'] : []
  if ('holds' in section) return held.length > 0 ? commands : ['it holds no sections']
  if ('tells' in section) {
    return [
      ...commands,
      ...(work.test(title) ? ['it names work'] : []),
      ...(own.includes('- [ ]') ? ['it has tasks'] : []),
    ]
  }
  const items = itemsOf(own)
  const keyOf = (item: string) => Object.keys(section.restates).find((words) => item.startsWith(words)) ?? ''
  const left = items.filter((item) => !isWalked(section.restates[keyOf(item)] ?? ''))
  const isOneEach = items.length > 0 && Object.keys(section.restates).length === items.length
  return [
    ...left.map((item) => `nothing walks: ${item}`),
    ...(isOneEach ? [] : [`it has ${items.length} items`]),
  ]
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
