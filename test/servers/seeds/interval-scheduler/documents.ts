/** What the page says of its documentation: where ours has it. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../../scripts/run-command.ts'
import { documentOf } from '../describe-document.ts'
import { walkGuide, wordsBelow } from '../guides.ts'

const guide = 'docs/guide/interval-scheduler.md'

/** The twelve sections of its guide, in its order. */
const sections = [
  ['Overview and key features', guide, 'The interval scheduler'],
  ['Architecture diagrams', 'docs/architecture.md', 'The flow'],
  ['Database schema', 'docs/reference/tables.md', 'evertick_jobs'],
  ['Complete REST API reference', 'docs/reference/rest.md', 'Jobs'],
  ['Job lifecycle and state transitions', 'docs/reference/states.md', 'Job'],
  ['Configuration options', guide, 'Options'],
  [
    'Migration guide with rollback procedures',
    'docs/guide/your-own-tables.md',
    'Schedules and interval jobs, side by side',
  ],
  ['Testing procedures', guide, 'Testing'],
  ['Monitoring and observability', 'docs/operations/monitoring.md', 'Metrics'],
  ['Troubleshooting guide', guide, 'When something is wrong'],
  ['Best practices and security', guide, 'Best practices'],
  ['Future enhancements', guide, 'What differs'],
] as const

export function phase7(): void {
  test('the page lists these twelve sections', () => {
    const [, list = ''] = /\*\*Documentation Sections\*\*:\n((?:\d+\. .+\n)+)/.exec(documentOf('003')) ?? []
    const named = [...list.matchAll(/^\d+\. (.+)$/gm)].map(([, name = '']) => name)
    expect(named).toHaveLength(sections.length)
    for (const [index, [title]] of sections.entries()) expect(named[index]).toContain(title)
  })

  test.each(sections)('%s', (_title, page, heading) => {
    expect(wordsBelow(page, heading)).toBeGreaterThan(40)
  })
}

export function primary(): void {
  walkGuide('interval-scheduler.md')
}

export function supporting(): void {
  test('crons have a page of their own, and the guide leads to the way from them', () => {
    const text = readFileSync(join(root, guide), 'utf8')
    expect(text).toContain('your-own-tables.md')
    expect(text).toContain('## From crons to intervals, and back')
    expect(existsSync(join(root, 'docs/reference/cron.md'))).toBe(true)
  })
}

export function inCode(): void {
  test('each file says first what it is for', () => {
    const files = globSync('src/compat/interval-scheduler/*.ts', { cwd: root })
    expect(files.length).toBeGreaterThan(5)
    const silent = files.filter((file) => !readFileSync(join(root, file), 'utf8').startsWith('/**'))
    expect(silent).toEqual([])
  })
}

/** The views themselves are looked at in a browser, in test/browser. */
export function frontend(): void {
  test('the views that the page asks for are screens that the browser tests visit', () => {
    const visited = readFileSync(join(root, 'test/browser/screens.ts'), 'utf8')
    for (const screen of ['executions', 'overview', 'new-job']) expect(visited).toContain(`'${screen}'`)
  })
}
