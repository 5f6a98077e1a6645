/** `evertick events --follow`, from a database and from a server. */
import { expect, test } from 'vitest'
import { runCli, startCli, testFolder } from './run-cli.ts'
import { twoSides } from './two-sides.ts'

const sides = twoSides()

test.each(['local', 'remote'] as const)('a line for each change until Ctrl-C, %s', async (which) => {
  const { evertick, flags, env } = sides()[which]
  const cwd = testFolder()
  const plain = startCli(['events', '--follow', ...flags], { cwd, env })
  const json = startCli(['events', '--follow', '--job', 'each-minute', '--json', ...flags], { cwd, env })
  await plain.says('Waiting for events')
  // Nothing says that a reader of JSON is ready: a change is made until it is seen.
  const changes = setInterval(() => {
    void evertick.jobs.pause('minutely').then(() => evertick.jobs.resume('minutely'))
    void evertick.jobs.pause('each-minute').then(() => evertick.jobs.resume('each-minute'))
  }, 300)
  await Promise.all([plain.says(/job +minutely +changed/), json.says('"job":"each-minute"')])
  clearInterval(changes)
  for (const cli of [plain, json]) {
    cli.signal('SIGINT')
    expect((await cli.ended).code).toBe(130)
  }
  const told = json.stdout.trimEnd().split('\n')
  const events = told.map((line) => JSON.parse(line) as { type: string; job: string })
  expect(new Set(events.map(({ job }) => job))).toEqual(new Set(['each-minute']))
  const change = events.find(({ type }) => type === 'job')
  expect(Object.keys(change ?? {})).toEqual(['at', 'type', 'id', 'job', 'deleted'])
})

test('without --follow it says what there is instead', async () => {
  const { code, stderr } = await runCli(['events'], { cwd: testFolder() })
  expect([code, stderr]).toEqual([2, expect.stringContaining('--follow')])
})
