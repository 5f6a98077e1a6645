/** What a document promises of its guide: by the guide's own headings, and more than a heading. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../scripts/run-command.ts'

const promised = ['Testing', 'Best practices', 'Performance', 'Security', 'When something is wrong'] as const

export function walkGuide(guide: string): void {
  test.each(promised)('the guide says what is to be known of: %s', (heading) => {
    expect(wordsBelow(`docs/guide/${guide}`, heading)).toBeGreaterThan(40)
  })
}

export function wordsBelow(page: string, heading: string): number {
  const text = readFileSync(join(root, page), 'utf8')
  const [, level = '', after = ''] =
    new RegExp(`^(#+) ${escaped(heading)}\\n([\\s\\S]*)`, 'm').exec(text) ?? []
  const own = level === '' ? '' : (after.split(new RegExp(`^#{1,${level.length}} `, 'm'))[0] ?? '')
  return own.split(/\s+/).filter((word) => word !== '').length
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
