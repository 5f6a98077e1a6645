/** The service by the letter of its document, over a model that is not ours. */
import { describe, expect, it } from 'vitest'
import { type LeaderTerm, SchedulerLeaderLogService } from '../../../src/index.ts'
import { ManualClock } from '../../../src/testing/index.ts'
import { MemoryLog } from './memory-log.ts'

const start = new Date('2025-09-01T10:00:00Z')

function service(gracePeriodMs?: number) {
  const [model, clock] = [new MemoryLog(), new ManualClock(start)]
  const options = gracePeriodMs === undefined ? { clock } : { clock, gracePeriodMs }
  return { model, clock, log: new SchedulerLeaderLogService(model, options) }
}

const term: LeaderTerm = {
  id: 1,
  leader_instance: 'nodeA',
  start_time: start,
  stop_time: null,
  last_heartbeat: null,
  handled_missed_tasks: false,
}

describe('the effective end', () => {
  it('is the stop time, whatever the heartbeat says', () => {
    const stop_time = new Date('2025-09-01T10:15:00Z')
    const { log } = service()
    expect(log.getEffectiveEndTime({ ...term, stop_time, last_heartbeat: start })).toEqual(stop_time)
  })

  it('is the last heartbeat and five minutes, else the start and five minutes', () => {
    const { log } = service()
    const last_heartbeat = new Date('2025-09-01T10:14:30Z')
    expect(log.getEffectiveEndTime({ ...term, last_heartbeat })).toEqual(new Date('2025-09-01T10:19:30Z'))
    expect(log.getEffectiveEndTime(term)).toEqual(new Date('2025-09-01T10:05:00Z'))
  })

  it('follows the grace period that is given, down to none', () => {
    expect(service(60_000).log.getEffectiveEndTime(term)).toEqual(new Date('2025-09-01T10:01:00Z'))
    expect(service(0).log.getEffectiveEndTime(term)).toEqual(start)
  })

  it('of no term is an error, as in the document', () => {
    const none = null as unknown as LeaderTerm
    expect(() => service().log.getEffectiveEndTime(none)).toThrow('No previous term provided')
    expect(() => service().log.getEffectiveEndTime(none)).toThrow(
      expect.objectContaining({ code: 'invalid_option', field: 'term' }),
    )
  })
})

describe('the log', () => {
  it('has nothing to say before anybody led', async () => {
    const { log } = service()
    expect(await log.getPreviousLeaderTerm()).toBeNull()
    expect(await log.getCurrentLeaderTerm()).toBeNull()
    expect(await log.getPreviousEffectiveEndTime()).toBeNull()
    expect(await log.arePreviousMissedTasksHandled()).toBe(true)
    expect(await log.getTermsByInstance('nodeA')).toEqual([])
  })

  it('takes the time from its clock, and changes only the term that is named', async () => {
    const { log, clock, model } = service()
    const first = await log.insertNewLeaderTerm('nodeA')
    const second = await log.insertNewLeaderTerm('nodeB', true)
    expect(first).toEqual({ ...term, last_heartbeat: start })
    expect(second).toMatchObject({ id: 2, leader_instance: 'nodeB', handled_missed_tasks: true })
    clock.moveTo(start.getTime() + 30_000)
    await log.updateLastHeartbeat(first.id)
    await log.markMissedTasksHandled(first.id)
    clock.moveTo(start.getTime() + 60_000)
    await log.setStopTime(second.id)
    expect(model.terms).toMatchObject([
      { last_heartbeat: new Date('2025-09-01T10:00:30Z'), handled_missed_tasks: true, stop_time: null },
      { last_heartbeat: new Date('2025-09-01T10:01:00Z'), stop_time: new Date('2025-09-01T10:01:00Z') },
    ])
  })

  it('gives the terms of one instance, newest first or as asked', async () => {
    const { log, clock } = service()
    for (const [index, instance] of ['nodeA', 'nodeB', 'nodeA'].entries()) {
      clock.moveTo(start.getTime() + index * 1_000)
      await log.insertNewLeaderTerm(instance)
    }
    const ids = (terms: LeaderTerm[]) => terms.map(({ id }) => id)
    expect(ids(await log.getTermsByInstance('nodeA'))).toEqual([3, 1])
    expect(ids(await log.getTermsByInstance('nodeA', { limit: 1 }))).toEqual([3])
    const orderBy = [{ column: 'id', order: 'asc' as const }]
    expect(ids(await log.getTermsByInstance('nodeA', { orderBy }))).toEqual([1, 3])
  })

  it('has no option that it ignores', () => {
    const wrong = { gracePeriod: 5 } as object
    expect(() => new SchedulerLeaderLogService(new MemoryLog(), wrong)).toThrow(
      expect.objectContaining({ code: 'invalid_option', next: 'Did you mean "gracePeriodMs"?' }),
    )
    expect(() => new SchedulerLeaderLogService(new MemoryLog(), { gracePeriodMs: -1 })).toThrow(
      expect.objectContaining({ field: 'gracePeriodMs' }),
    )
  })
})
