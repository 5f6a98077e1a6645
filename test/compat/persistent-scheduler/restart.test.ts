/** What a process finds when it comes back: nothing lost, nothing twice, nothing beyond the limit. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { PersistentScheduler } from '../../../src/index.ts'
import { Stage } from './stage.ts'

const day = (n: number) => `2026-01-0${n}T08:00:00.000Z`

/** A job that writes down for which instants it ran. */
function daily(ran: string[], more: object = {}) {
  return {
    name: 'backup',
    schedule: '0 8 * * *',
    timezone: 'UTC',
    task: (context: { scheduledFor: Date }) => void ran.push(context.scheduledFor.toISOString()),
    ...more,
  }
}

async function expectClean(scheduler: PersistentScheduler): Promise<void> {
  expect(await (await scheduler.evertick).audit()).toMatchObject({ ok: true, unaccounted: 0, doubled: 0 })
}

test('missed runs are caught up, the newest up to the limit, oldest first', async () => {
  const stage = new Stage()
  const ran: string[] = []
  const first = stage.begin()
  await first.scheduler.schedule(daily(ran, { maxMissedRuns: 2 }))
  await stage.advance('10h')
  await stage.crash(first)
  expect(ran).toEqual([day(1)])
  stage.clock.moveTo(Date.parse('2026-01-04T10:00:00Z'))
  const second = stage.begin()
  await second.scheduler.schedule(daily(ran, { maxMissedRuns: 2 }))
  await stage.settle()
  expect(ran).toEqual([day(1), day(3), day(4)])
  const evertick = await second.scheduler.evertick
  const { ranges } = await evertick.jobs.explain('backup', { from: day(1), to: '2026-01-05T00:00:00Z' })
  expect(ranges).toMatchObject([{ from: new Date(day(2)), count: 1, reason: 'over_limit' }])
  await expectClean(second.scheduler)
  expect(second.said.join('\n')).toContain('3 runs were missed')
  expect(second.scheduler.getJobState('backup')).toMatchObject({ currentRunCount: 3 })
})

test('a run that was under way when the process died runs again; one whose end was saved does not', async () => {
  const stage = new Stage()
  const ran: string[] = []
  const first = stage.begin()
  const slow = {
    ...daily(ran),
    task: async (context: { scheduledFor: Date; signal: AbortSignal; attempt: number }) => {
      if (context.scheduledFor.toISOString() === day(2) && context.attempt === 1) {
        await stage.clock.sleep(3_600_000, context.signal)
      }
      ran.push(`${context.scheduledFor.toISOString()} ${context.attempt}`)
    },
  }
  await first.scheduler.schedule(slow)
  await stage.advance('32h')
  await first.scheduler.save()
  expect(first.scheduler.getJob('backup')?.isRunning()).toBe(true)
  ran.length = 0
  await stage.crash(first)
  ran.length = 0
  const second = stage.begin()
  await second.scheduler.schedule(slow)
  await stage.settle()
  expect(ran).toEqual([`${day(2)} 2`])
  await stage.end(second)
  const third = stage.begin()
  await third.scheduler.schedule(slow)
  await stage.settle()
  expect(ran).toHaveLength(1)
  const saved = JSON.parse(readFileSync(stage.stateFile, 'utf8')) as { jobs: unknown[] }
  expect(saved.jobs).toMatchObject([
    { currentRunCount: 2, unfinished: [], settledUntil: '2026-01-02T08:00:00.001Z' },
  ])
})
