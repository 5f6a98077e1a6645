/** Many jobs, many missed runs: work in proportion to them, and figures that are right. */

import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { contextOf } from '../../../src/app/app-context.ts'
import type { Files } from '../../../src/compat/persistent-scheduler/disk-files.ts'
import type { Store } from '../../../src/store/store.ts'
import { memoryFiles } from './memory-files.ts'
import { Stage } from './stage.ts'

interface Work {
  /** Jobs written to the file and handlers written to the database, over all saves. */
  saved: number
  registered: number
  /** Jobs that the file has in the end. */
  kept: number
}

async function workOf(jobs: number): Promise<Work> {
  const stage = new Stage()
  const work = { saved: 0, registered: 0, kept: 0 }
  const { scheduler } = stage.begin({}, countingFiles(work))
  countHandlers(contextOf(await scheduler.evertick).store, work)
  for (let index = 0; index < jobs; index += 1) {
    const name = `job-${index}`
    await scheduler.schedule({ name, schedule: '0 8 * * *', timezone: 'UTC', task: () => {} })
  }
  await scheduler.save()
  return work
}

function countingFiles(work: Work): Files {
  const files = memoryFiles()
  const write = async (path: string, text: string) => {
    work.kept = (JSON.parse(text) as { jobs: unknown[] }).jobs.length
    work.saved += work.kept
    await files.write(path, text)
  }
  return { ...files, write }
}

function countHandlers(store: Store, work: Work): void {
  const registerNode = store.cluster.registerNode.bind(store)
  const changeHandlers = store.cluster.changeHandlers.bind(store)
  store.cluster.registerNode = (node, handlers) => {
    work.registered += handlers.length
    return registerNode(node, handlers)
  }
  store.cluster.changeHandlers = (id, change) => {
    work.registered += change.added.length + change.removed.length
    return changeHandlers(id, change)
  }
}

test('jobs that are scheduled one after the other cost work in proportion to them', async () => {
  const few = await workOf(250)
  const many = await workOf(500)
  expect([few.kept, many.kept]).toEqual([250, 500])
  // Twice the jobs, twice the work: what grows with the square would be four times as much.
  expect(many.saved).toBeLessThan(2.2 * few.saved)
  expect(many.saved).toBeLessThan(20 * 500)
  expect([few.registered, many.registered]).toEqual([250, 500])
})

test('of few jobs, each is in the file when its call returns', async () => {
  const stage = new Stage()
  const work = { saved: 0, registered: 0, kept: 0 }
  const { scheduler } = stage.begin({}, countingFiles(work))
  for (const count of [1, 2, 3]) {
    await scheduler.schedule({ name: `job-${count}`, schedule: '0 8 * * *', task: () => {} })
    expect(work.kept).toBe(count)
  }
})

test('of many jobs, those that nobody waited for are in the file a moment later', async () => {
  const stage = new Stage()
  const work = { saved: 0, registered: 0, kept: 0 }
  const { scheduler } = stage.begin({}, countingFiles(work))
  for (let index = 0; index < 60; index += 1) {
    await scheduler.schedule({ name: `job-${index}`, schedule: '0 8 * * *', task: () => {} })
  }
  await stage.advance('10ms')
  expect(work.kept).toBe(60)
})

test('of more than a thousand missed runs, each is counted', async () => {
  const stage = new Stage('2026-01-03T12:00:30Z')
  const lastRun = '2026-01-01T00:00:00.000Z'
  const job = {
    name: 'often',
    schedule: '* * * * *',
    enabled: true,
    catchUp: true,
    maxMissedRuns: 5,
    currentRunCount: 1,
    lastRun,
    nextRun: '2026-01-01T00:01:00.000Z',
    timezone: 'UTC',
  }
  writeFileSync(stage.stateFile, JSON.stringify({ version: '1.0', timestamp: lastRun, jobs: [job] }))
  const { scheduler, said } = stage.begin()
  await scheduler.schedule({ name: 'often', schedule: '* * * * *', timezone: 'UTC', task: () => {} })
  // Two and a half days of minutes, without the one that ran.
  expect(said.join('\n')).toContain('3600 runs were missed')
  expect(said.join('\n')).toContain('5 are caught up, 3595 skipped (over_limit)')
})
