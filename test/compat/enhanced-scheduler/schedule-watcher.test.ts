/** An app is told which schedules changed, whoever changed them. */

import { expect, onTestFinished, test, vi } from 'vitest'
import { contextOf } from '../../../src/app/app-context.ts'
import { ScheduleRepository, ScheduleWatcher, type ScheduleWatcherOptions } from '../../../src/index.ts'
import type { TestNode } from '../../../src/testing/index.ts'
import { keptLogger, openParts, silent } from './open-parts.ts'

const hourly = { scheduleId: 'hourly', domain: 'a.example', every: '1h' } as const

function watch(node: TestNode, options: Partial<ScheduleWatcherOptions> = {}) {
  const told: string[] = []
  const watcher = new ScheduleWatcher({
    evertick: node.evertick,
    logger: silent,
    onAdded: ({ scheduleId }) => void told.push(`+${scheduleId}`),
    onModified: (now, before) => void told.push(`~${now.scheduleId} ${before.every} ${now.every}`),
    onDeleted: ({ scheduleId }) => void told.push(`-${scheduleId}`),
    ...options,
  })
  onTestFinished(() => watcher.stop())
  return { watcher, told }
}

test('a check finds what was added, modified and deleted since the last', async () => {
  const { node, repository } = await openParts()
  await repository.create(hourly)
  const { watcher, told } = watch(node)
  await watcher.initialize()
  expect(await watcher.checkOnce()).toEqual({ added: [], modified: [], deleted: [] })
  await repository.create({ scheduleId: 'new', domain: 'b.example', every: '2h' })
  await repository.update('hourly', { every: '3h' })
  const changes = await watcher.checkOnce()
  expect(changes.added).toMatchObject([{ scheduleId: 'new', domain: 'b.example' }])
  expect(changes.modified).toMatchObject([{ scheduleId: 'hourly', every: '3h' }])
  await repository.delete('hourly')
  expect((await watcher.checkOnce()).deleted).toMatchObject([{ scheduleId: 'hourly', every: '3h' }])
  expect(told).toEqual(['~hourly 1h 3h', '+new', '-hourly'])
  expect(await watcher.checkOnce()).toEqual({ added: [], modified: [], deleted: [] })
})

test('without initialize, the first check finds everything added', async () => {
  const { node, repository } = await openParts()
  await repository.create(hourly)
  const { watcher } = watch(node)
  expect((await watcher.checkOnce()).added).toMatchObject([{ scheduleId: 'hourly' }])
  expect((await watcher.checkOnce()).added).toEqual([])
})

test('enabling and disabling are changes; runs are none', async () => {
  const { node, repository } = await openParts()
  await repository.create(hourly)
  const { watcher } = watch(node)
  await watcher.initialize()
  await node.advance('3h')
  expect(await watcher.checkOnce()).toMatchObject({ modified: [] })
  await repository.update('hourly', { enabled: false })
  expect((await watcher.checkOnce()).modified).toMatchObject([{ enabled: false }])
  await node.evertick.jobs.resume('hourly')
  expect((await watcher.checkOnce()).modified).toMatchObject([{ enabled: true }])
  await repository.update('hourly', { every: '1h' })
  expect((await watcher.checkOnce()).modified).toEqual([])
})

test.each(['added', 'modified', 'deleted'] as const)(
  'a callback that fails when one is %s is called again, and disturbs nobody',
  async (kind) => {
    const { node, repository } = await openParts()
    await repository.create(hourly)
    await repository.create({ ...hourly, scheduleId: 'removed' })
    const logger = keptLogger()
    let fails = true
    const told: string[] = []
    const tell = (what: typeof kind) => async () => {
      await Promise.resolve()
      if (fails && what === kind) throw new Error('the app is busy')
      told.push(what)
    }
    const { watcher } = watch(node, {
      logger,
      onAdded: tell('added'),
      onModified: tell('modified'),
      onDeleted: tell('deleted'),
    })
    await watcher.initialize()
    await repository.create({ ...hourly, scheduleId: 'added' })
    await repository.update('hourly', { every: '2h' })
    await repository.delete('removed')
    const all = ['added', 'deleted', 'modified']
    expect((await watcher.checkOnce())[kind]).toEqual([])
    expect(told.toSorted()).toEqual(all.filter((what) => what !== kind))
    expect(logger.lines.filter((line) => line.startsWith('error'))).toHaveLength(1)
    fails = false
    expect((await watcher.checkOnce())[kind]).toHaveLength(1)
    expect(told.toSorted()).toEqual(all)
    expect((await watcher.checkOnce())[kind]).toEqual([])
  },
)

test('started, it looks every checkInterval, by the clock', async () => {
  const { node, repository } = await openParts(undefined, { database: 'sqlite:file:/watched?vfs=memdb' })
  const { clock } = node
  const database = 'sqlite:file:/watched?vfs=memdb'
  // A connection of its own, which no node wakes: only its clock does.
  const found: string[] = []
  const watcher = new ScheduleWatcher({
    database,
    clock,
    logger: silent,
    checkInterval: 60,
    onAdded: ({ scheduleId }) => void found.push(scheduleId),
  })
  onTestFinished(() => watcher.stop())
  await watcher.start()
  await repository.create(hourly)
  await node.advance('59s')
  expect(found).toEqual([])
  await node.advance('1s')
  await expect.poll(() => found).toEqual(['hourly'])
})

test('a change in its own process is told at once', async () => {
  const { node, repository } = await openParts()
  const { watcher, told } = watch(node, { checkInterval: '1d' })
  await watcher.start()
  await watcher.start()
  await repository.create(hourly)
  await node.settle()
  await expect.poll(() => told).toEqual(['+hourly'])
  await watcher.stop()
  await repository.delete('hourly')
  await node.settle()
  expect(told).toEqual(['+hourly'])
  await watcher.start()
  await watcher.checkOnce()
  expect(told).toEqual(['+hourly', '-hourly'])
})

test('checks do not overlap: a change is told once', async () => {
  const { node, repository } = await openParts()
  const { watcher, told } = watch(node)
  await watcher.initialize()
  await repository.create(hourly)
  await Promise.all([watcher.checkOnce(), watcher.checkOnce(), watcher.checkOnce()])
  expect(told).toEqual(['+hourly'])
})

test('a database that is away is looked at again', async () => {
  const { node, repository } = await openParts()
  const logger = keptLogger()
  const { watcher, told } = watch(node, { logger, checkInterval: '10s' })
  await watcher.start()
  const { store } = contextOf(node.evertick)
  const away = vi.spyOn(store.jobs, 'listJobs').mockRejectedValue(new Error('away'))
  await repository.create(hourly)
  await expect.poll(() => logger.lines.filter((line) => line.startsWith('warn')).length).toBeGreaterThan(0)
  expect(told).toEqual([])
  away.mockRestore()
  await node.advance('10s')
  await expect.poll(() => told).toEqual(['+hourly'])
})

test.each([
  [{ checkInterval: 0 }, 'checkInterval'],
  [{ checkInterval: 'soon' }, 'checkInterval'],
  [{ checkIntervall: 1 }, 'checkIntervall'],
  [{ database: 'sqlite::memory:' }, 'database'],
])('%j is refused', async (options, field) => {
  const { node } = await openParts()
  expect(() => new ScheduleWatcher({ evertick: node.evertick, ...(options as object) })).toThrow(
    expect.objectContaining({ field }),
  )
})

test('it watches what a repository stands on', async () => {
  const repository = new ScheduleRepository({ database: 'sqlite::memory:' })
  const watcher = new ScheduleWatcher({ repository, logger: silent })
  await watcher.initialize()
  await repository.create(hourly)
  expect((await watcher.checkOnce()).added).toHaveLength(1)
  await watcher.stop()
  expect(await repository.get('hourly')).not.toBeNull()
  await repository.close()
})
