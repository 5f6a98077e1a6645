/** While a node leads, alerts open and end by themselves: in the log, as events, and in the database, over failovers. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { contextOf } from '../../src/app/app-context.ts'
import { defineJob } from '../../src/index.ts'
import { openTestNode, type TestNode, type TestNodeOptions } from '../../src/testing/index.ts'
import { failedJobs } from '../store/failed-jobs.ts'

const open = { limit: 20_000, states: ['open'] } as const

function logger() {
  const lines: string[] = []
  const keep = (message: string) => void lines.push(message)
  return { lines, debug() {}, info: keep, warn: keep, error: keep }
}

async function openNode(options: TestNodeOptions): Promise<TestNode> {
  const node = await openTestNode(options)
  onTestFinished(() => node.stop())
  return node
}

function fileDatabase(): string {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-alerts-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'alerts.db')
}

async function openAlerts({ evertick, clock }: TestNode) {
  return await contextOf(evertick).store.alerts.listAlerts({ ...open, now: clock.now() })
}

test('a job that fails three times in a row opens an alert, and its next success ends it', async () => {
  const log = logger()
  let fails = true
  const node = await openNode({ logger: log })
  const heard: string[] = []
  node.evertick.on('alert:opened', ({ rule, subject }) => heard.push(`opened ${rule} ${subject}`))
  node.evertick.on('alert:resolved', ({ rule, subject }) => heard.push(`resolved ${rule} ${subject}`))
  const report = defineJob({
    name: 'report',
    schedule: { every: '1m' },
    retry: { attempts: 1 },
    run: () => {
      if (fails) throw new Error('no')
    },
  })
  await node.evertick.define(report)
  await node.advance('2m')
  await node.advance('2h')
  expect(heard).toEqual(['opened failing report'])
  expect(log.lines).toContainEqual(
    expect.stringMatching(/^Alert opened: report failed \d+ times in a row\.$/),
  )
  fails = false
  await node.advance('1m')
  await node.advance('15s')
  expect(heard).toEqual(['opened failing report', 'resolved failing report'])
  expect(await openAlerts(node)).toEqual([])
})

test('ten thousand jobs that fail at once are one alert each, and one line in the log', async () => {
  const log = logger()
  const file = fileDatabase()
  const node = await openNode({ database: `sqlite:${file}`, logger: log })
  const { store } = contextOf(node.evertick)
  await node.evertick.jobs.create({ name: 'job', handler: { type: 'http', url: 'https://example.com' } })
  const behind = new DatabaseSync(file)
  failedJobs(behind, 10_000)
  behind.close()
  await node.advance('2h')
  expect(await openAlerts(node)).toHaveLength(10_000)
  expect(log.lines.filter((line) => line.includes('alerts of the rule'))).toEqual([
    expect.stringMatching(/^10,000 alerts of the rule failing opened: \S+, \S+, \S+ and 9,997 more$/),
  ])
  await node.advance('1m')
  await node.advance('1m')
  const told = await store.alerts.listAlerts({ limit: 20_000, now: node.clock.now() })
  expect(new Set(told.map(({ untold, toldAt }) => `${untold} ${toldAt}`)).size).toBe(1)
})

test('an alert goes on under the next leader: it is not opened anew, and ends with what it is about', async () => {
  const database = `sqlite:${fileDatabase()}`
  const first = await openNode({ database, logger: logger() })
  await first.evertick.jobs.create({
    name: 'orphan',
    handler: { type: 'function', name: 'gone' },
    schedule: { every: '1h' },
  })
  await first.advance('2h')
  for (let turn = 0; turn < 3; turn += 1) await first.advance('1m')
  const [before] = await openAlerts(first)
  expect(before).toMatchObject({ rule: 'no-runner', name: 'orphan' })
  const { clock } = first
  await first.stop()
  const second = await openNode({ database, clock, logger: logger() })
  await second.advance('2h')
  expect((await openAlerts(second)).map(({ id }) => id)).toEqual([before?.id])
  await second.evertick.jobs.delete('orphan')
  await second.advance('1m')
  expect(await openAlerts(second)).toEqual([])
})

test('a node that does not lead looks after nothing, and one without jobs finds nothing', async () => {
  const worker = await openNode({ roles: ['worker'], logger: logger() })
  await worker.evertick.jobs.create({ name: 'orphan', handler: { type: 'function', name: 'gone' } })
  for (let turn = 0; turn < 5; turn += 1) await worker.advance('2h')
  expect(await openAlerts(worker)).toEqual([])
  const empty = await openNode({ logger: logger() })
  await empty.advance('1d')
  expect(await openAlerts(empty)).toEqual([])
})
