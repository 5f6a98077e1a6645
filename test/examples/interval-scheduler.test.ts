/** The crawler of examples/interval-scheduler and the crontab of examples/crontab, as their READMEs start them. */
import { expect, test } from 'vitest'
import { runExample } from './run-example.ts'

const linesOf = async (folder: string) => (await runExample(folder)).trimEnd().split('\n')

test('the crawler crawls, retries, pauses, resumes and counts', { timeout: 90_000 }, async () => {
  const lines = (await linesOf('interval-scheduler')).map((line) => line.replace(/^\S+ {2}/, ''))
  expect(lines).toContain('✓ at-once: 3 pages')
  expect(lines).toContain('✓ site-b: 3 pages, at attempt 2')
  expect(lines).toContain('· site-a is paused; nothing of it runs for three seconds')
  const paused = lines.findIndex((line) => line.startsWith('· site-a is paused'))
  const resumed = lines.findIndex((line) => line.startsWith('· site-a is scheduled again'))
  expect(lines.slice(paused, resumed).filter((line) => line.startsWith('✓ site-a'))).toEqual([])
  expect(lines.at(-1)).toMatch(/^Success rate: \d+ %\. Goodbye\.$/)
})

test('the crontab is taken over, and written back', { timeout: 90_000 }, async () => {
  const lines = await linesOf('crontab')
  expect(lines).toContain('nightly-backup   created')
  expect(lines.some((line) => line.includes('"@reboot" is not a point in time'))).toBe(true)
  expect(lines).toContain('  backed up, manual')
  // Its command is nobody's to run by now: the function does it, and cron would only trigger it.
  expect(lines).toContain('30 2 * * * evertick jobs trigger nightly-backup')
})
