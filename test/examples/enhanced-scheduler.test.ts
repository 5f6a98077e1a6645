/** The example runs as its README says, ends by itself, and shows what it promises. */
import { expect, test } from 'vitest'
import { root, runCommand } from '../../scripts/run-command.ts'

test('scan-domains.ts syncs, scans, holds back and ends', async () => {
  const env = { EVERTICK_DATABASE_URL: 'sqlite::memory:' }
  const script = 'examples/enhanced-scheduler/scan-domains.ts'
  const { ok, stdout, text } = await runCommand(process.execPath, [script], {
    cwd: root,
    env,
    timeoutMs: 60_000,
  })
  expect(ok ? 'ended well' : text).toBe('ended well')
  for (const line of [
    'The API answers with two schedules.',
    '  + shop: shop.example is scanned from now on',
    '    scanned shop.example',
    '  ~ blog was changed',
    '  No schedule was disabled: the answer is empty',
    '  ~ news was disabled, not deleted',
    '  news: disabled, last run: success',
  ]) {
    expect(stdout.split('\n')).toContain(line)
  }
  expect(stdout).toMatch(/Entry 2 of the API \(news\) was skipped: minute: "99" is outside 0-59/)
  expect(stdout).toMatch(/^\d+ ticks, each accounted for exactly once\.$/m)
}, 90_000)
