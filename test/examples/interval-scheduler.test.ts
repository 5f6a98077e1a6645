/** The crawler of examples/interval-scheduler and the crontab of examples/crontab, as their READMEs start them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root, runCommand } from '../../scripts/run-command.ts'

/** Each README has one command that begins with `node`. */
async function runExample(folder: string): Promise<string[]> {
  const readme = readFileSync(join(root, 'examples', folder, 'README.md'), 'utf8')
  const file = /^node (examples\/\S+\.ts)$/m.exec(readme)?.[1] ?? ''
  const { ok, stdout, text } = await runCommand(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(root, file)],
    {
      cwd: root,
      timeoutMs: 60_000,
    },
  )
  expect(ok ? 'ended well' : text).toBe('ended well')
  return stdout.trimEnd().split('\n')
}

test('the crawler crawls, retries, pauses, resumes and counts', { timeout: 90_000 }, async () => {
  const lines = (await runExample('interval-scheduler')).map((line) => line.replace(/^\S+ {2}/, ''))
  expect(lines).toContain('✓ at-once: 3 pages')
  expect(lines).toContain('✓ site-b: 3 pages, at attempt 2')
  expect(lines).toContain('· site-a is paused; nothing of it runs for three seconds')
  const paused = lines.findIndex((line) => line.startsWith('· site-a is paused'))
  const resumed = lines.findIndex((line) => line.startsWith('· site-a is scheduled again'))
  expect(lines.slice(paused, resumed).filter((line) => line.startsWith('✓ site-a'))).toEqual([])
  expect(lines.at(-1)).toMatch(/^Success rate: \d+ %\. Goodbye\.$/)
})

test('the crontab is taken over, and written back', { timeout: 90_000 }, async () => {
  const lines = await runExample('crontab')
  expect(lines).toContain('nightly-backup   created')
  expect(lines.some((line) => line.includes('"@reboot" names no instant'))).toBe(true)
  expect(lines).toContain('  backed up, manual')
  expect(lines).toContain('30 2 * * * /opt/backup.sh --exclude cache --name $(date +\\%F)')
})
