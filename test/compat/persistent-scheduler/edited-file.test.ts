/** A state file that somebody edited by hand: what is right in it is used, what is wrong is named and kept aside. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Stage } from './stage.ts'

const good = {
  name: 'good',
  schedule: '0 * * * *',
  enabled: true,
  catchUp: true,
  maxMissedRuns: 5,
  currentRunCount: 7,
  lastRun: '2025-12-31T22:00:00.000Z',
  nextRun: '2025-12-31T23:00:00.000Z',
  timezone: 'UTC',
}

function edit(stage: Stage, jobs: readonly unknown[], before = ''): string {
  const text = JSON.stringify({ version: '1.0', timestamp: '2025-12-31T22:30:00.000Z', jobs }, null, 2)
  writeFileSync(stage.stateFile, before + text)
  return before + text
}

test.each([
  ['no schedule', { ...good, name: 'bad', schedule: undefined }, '"bad"', 'schedule'],
  ['a schedule that is no cron', { ...good, name: 'bad', schedule: '61 * * * *' }, '"bad"', '61'],
  [
    'a zone that nobody knows',
    { ...good, name: 'bad', timezone: 'Europe/Nowhere' },
    '"bad"',
    'Europe/Nowhere',
  ],
  ['a text for a number', { ...good, name: 'bad', currentRunCount: 'many' }, '"bad"', 'currentRunCount'],
  ['a date that is none', { ...good, name: 'bad', lastRun: 'yesterday' }, '"bad"', 'lastRun'],
  ['a run in the future', { ...good, name: 'bad', lastRun: '2094-01-01T00:00:00Z' }, '"bad"', 'ran after'],
  ['the name of another', { ...good, currentRunCount: 1 }, '"good"', 'twice'],
  ['no name', { ...good, name: undefined }, 'number 2', 'name'],
  ['nothing at all', null, 'number 2', ''],
  [
    'a limit that no job may have',
    { ...good, name: 'bad', maxMissedRuns: 5_000, definition: 'x' },
    '"bad"',
    '5000',
  ],
])('one job with %s costs that job only', async (_, bad, named, why) => {
  const stage = new Stage('2026-01-01T00:30:00Z')
  const text = edit(stage, [good, bad, { ...good, name: 'last' }])
  const { scheduler, said } = stage.begin()
  const ran: string[] = []
  await scheduler.schedule({
    name: 'good',
    schedule: '0 * * * *',
    timezone: 'UTC',
    task: ({ scheduledFor }) => void ran.push(scheduledFor.toISOString()),
  })
  await stage.settle()
  expect(ran).toEqual(['2025-12-31T23:00:00.000Z', '2026-01-01T00:00:00.000Z'])
  expect(scheduler.getJobState('good')).toMatchObject({ currentRunCount: 9 })
  expect([...scheduler.getAllJobStates().keys()]).toEqual(['good', 'last'])
  const warnings = said.filter((line) => line.startsWith('warn'))
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain(`Job ${named}`)
  expect(warnings[0]).toContain(why)
  const aside = readdirSync(stage.folder).filter((name) => name.includes('.damaged-'))
  expect(aside).toHaveLength(1)
  expect(warnings[0]).toContain(aside[0])
  expect(readFileSync(join(stage.folder, aside[0] as string), 'utf8')).toBe(text)
})

test('a byte order mark is no damage', async () => {
  const stage = new Stage('2026-01-01T00:30:00Z')
  edit(stage, [good], '\uFEFF')
  const { scheduler, said } = stage.begin()
  await scheduler.initialize()
  expect(scheduler.getJobState('good')).toMatchObject({ currentRunCount: 7 })
  expect(said.filter((line) => line.startsWith('warn'))).toEqual([])
  expect(readdirSync(stage.folder).filter((name) => name.includes('damaged'))).toEqual([])
})
