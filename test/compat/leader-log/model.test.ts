/** `createLeaderLogModel` on SQLite; the conformance suite shows the same verbs on every engine. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createLeaderLogModel, Evertick, type LeaderLogModel, type LeaderTerm } from '../../../src/index.ts'

const start_time = new Date('2025-09-01T10:00:00.123Z')
const ends: (() => unknown)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

function databaseFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-leader-log-'))
  ends.push(() => rmSync(folder, { recursive: true }))
  return `sqlite:${join(folder, 'evertick.db')}`
}

function model(url = 'sqlite::memory:'): LeaderLogModel {
  const opened = createLeaderLogModel(url)
  ends.push(() => opened.close())
  return opened
}

describe('a model', () => {
  it('gives back dates as dates and booleans as booleans', async () => {
    const log = model()
    const inserted = await log.insert({ leader_instance: 'nodeA', start_time, handled_missed_tasks: true })
    expect(inserted).toMatchObject({ id: 1, start_time, stop_time: null, handled_missed_tasks: true })
    expect(inserted.created_at).toBeInstanceOf(Date)
    expect(await log.findOne({ id: 1 })).toEqual(inserted)
    expect(await log.findOne({ id: 2 })).toBeNull()
    expect(await log.find({ start_time }, { orderBy: [{ column: 'id', order: 'desc' }], limit: 5 })).toEqual([
      inserted,
    ])
  })

  it('is the log that a node of Evertick keeps', async () => {
    const url = databaseFile()
    const log = model(url)
    await log.insert({ leader_instance: 'nodeA', start_time })
    const evertick = await Evertick.open({ database: url })
    ends.push(() => evertick.stop())
    expect(await evertick.leader.terms()).toMatchObject([
      { id: 1, leaderInstance: 'nodeA', startTime: start_time },
    ])
  })

  it('does nothing before it is used, and says what is wrong then', async () => {
    const log = model('oracle://nowhere')
    await expect(log.find({})).rejects.toMatchObject({ code: 'unsupported_database' })
  })
})

describe('what a model refuses', () => {
  const wrong: Record<string, (log: LeaderLogModel) => Promise<unknown>> = {
    'a column that is none': (log) => log.find({ leader: 'x' } as Partial<LeaderTerm>),
    'SQL for a column': (log) => log.find({ 'id = 1; --': 1 } as Partial<LeaderTerm>),
    'SQL for an order': (log) => log.find({}, { orderBy: [{ column: 'id; DROP TABLE x', order: 'asc' }] }),
    'an order that is none': (log) => log.find({}, { orderBy: [{ column: 'id', order: 'up' as 'asc' }] }),
    'a limit of nothing': (log) => log.find({}, { limit: 0 }),
    'an unknown option': (log) => log.find({}, { offset: 5 } as object),
    'an update of every term': (log) => log.update({}, { handled_missed_tasks: true }),
    'an update of a term that is undefined': (log) => log.update({ id: undefined as unknown as number }, {}),
    'a change of id': (log) => log.update({ id: 1 }, { id: 2 }),
    'a term without a leader': (log) => log.insert({ start_time }),
    'a term without a start': (log) => log.insert({ leader_instance: 'nodeA' }),
    'an id of the caller': (log) => log.insert({ id: 7, leader_instance: 'nodeA', start_time }),
    'a date that is none': (log) => log.insert({ leader_instance: 'nodeA', start_time: new Date('no') }),
    'a name that is too long': (log) => log.insert({ leader_instance: 'x'.repeat(256), start_time }),
    'a flag that is none': (log) => log.find({ handled_missed_tasks: 1 as unknown as boolean }),
  }

  it.each(Object.entries(wrong))('%s', async (_what, ask) => {
    const log = model()
    await log.insert({ leader_instance: 'nodeA', start_time })
    await expect(ask(log)).rejects.toMatchObject({ code: 'invalid_option' })
    expect(await log.find({})).toMatchObject([{ id: 1, handled_missed_tasks: false }])
  })
})
