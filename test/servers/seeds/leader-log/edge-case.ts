/** The section with the service's code: its methods, the gap of a node that leads again, and the document's two flaws. */
import { expect, it } from 'vitest'
import { SchedulerLeaderLogService } from '../../../../src/index.ts'
import { ManualClock } from '../../../../src/testing/index.ts'
import { until } from '../../../process/until.ts'
import { type Engine, engines } from './engines.ts'
import { at, leads, Tasks } from './tasks.ts'
import { block, byName, expectedTimes, logOn } from './walk.ts'

export function handlingTheEdgeCase(): void {
  it('the class has every method that the document shows', () => {
    const [, shown = ''] = block('typescript').split('class SchedulerLeaderLogService')
    const methods = [...shown.matchAll(/^ {2}(?:async )?(\w+)\([^)]*\): /gm)].map(([, name]) => name)
    expect(methods).toContain('getEffectiveEndTime')
    expect(methods.length).toBeGreaterThanOrEqual(9)
    for (const name of methods) expect(SchedulerLeaderLogService.prototype).toHaveProperty(String(name))
  })

  it.each(byName)('on %s its methods say what the document says', async (_name, engine) => {
    const { clock, log } = await logOn(engine, '10:00:00')
    expect(await log.getPreviousEffectiveEndTime()).toBeNull()
    expect(await log.arePreviousMissedTasksHandled()).toBe(true)
    const { id } = await log.insertNewLeaderTerm('nodeA')
    expect(await log.arePreviousMissedTasksHandled()).toBe(false)
    clock.moveTo(at('10:01:00').getTime())
    await log.updateLastHeartbeat(id)
    expect(await log.getPreviousEffectiveEndTime()).toEqual(at('10:06:00'))
    await log.markMissedTasksHandled(id)
    expect(await log.arePreviousMissedTasksHandled()).toBe(true)
    await log.setStopTime(id)
    expect(await log.getPreviousEffectiveEndTime()).toEqual(at('10:01:00'))
  })

  it.each(byName)(
    'on %s the gap of the same node, 10:15 to 10:30, is enqueued once',
    async (_name, engine) => {
      const { url, log } = await logOn(engine, '10:00:00')
      const tasks = new Tasks('10:10:00')
      const coordinator = tasks.coordinator({ database: url, instanceId: 'nodeA' })
      await coordinator.start()
      await leads(coordinator, () => log.arePreviousMissedTasksHandled())
      await tasks.passUntil('10:15:00', coordinator)
      await coordinator.stop()
      tasks.clock.moveTo(at('10:30:00').getTime())
      await coordinator.start()
      await leads(coordinator, () => log.arePreviousMissedTasksHandled())
      expect(tasks.queued.toSorted()).toEqual(expectedTimes('10:10:10', '10:30:00'))
    },
  )

  it('the grace hides no task: a leader that dies just after a heartbeat is not believed to have lived on', async () => {
    const { url, log, dies } = await crashedLeader('10:00:30')
    // Five minutes of grace: by the document's rule there is no gap yet at all.
    expect(await log.getPreviousEffectiveEndTime()).toEqual(at('10:05:30'))
    const next = dies.coordinator({ database: url, instanceId: 'nodeB' })
    dies.clock.moveTo(at('10:03:00').getTime())
    await next.start()
    await leads(next, async () => (await log.getCurrentLeaderTerm())?.handled_missed_tasks === true)
    expect(dies.queued.toSorted()).toEqual(expectedTimes('10:00:10', '10:03:00'))
  })

  it('that the previous leader had handled its own gap is no reason to skip the next', async () => {
    const { url, log, dies } = await crashedLeader('10:00:30')
    // By the document's workflow a new leader would skip: true says that it has nothing to do.
    expect(await log.arePreviousMissedTasksHandled()).toBe(true)
    const next = dies.coordinator({ database: url, instanceId: 'nodeB' })
    dies.clock.moveTo(at('10:20:00').getTime())
    await next.start()
    await leads(next, async () => (await log.getCurrentLeaderTerm())?.handled_missed_tasks === true)
    expect(dies.queued.toSorted()).toEqual(expectedTimes('10:00:10', '10:20:00'))
  })
}

/** A leader that handled its own gap, fired all until its last heartbeat, and then was no more: its node is cut off. */
async function crashedLeader(lastHeartbeat: string) {
  const engine = engines[0] as Engine
  const { url, log } = await logOn(engine, '10:00:00')
  const dies = new Tasks('10:00:00')
  const lives = new ManualClock(at('10:00:00'))
  const leader = dies.coordinator({ database: url, instanceId: 'nodeA', clock: lives })
  await leader.start()
  await leads(leader, () => log.arePreviousMissedTasksHandled())
  for (const seconds of [10, 20, 30]) {
    lives.moveTo(at('10:00:00').getTime() + seconds * 1_000)
    await leader.enqueueOnce('mail', new Date(lives.now()), dies.push)
  }
  await until('its last heartbeat', async () => {
    const heartbeat = (await log.getCurrentLeaderTerm())?.last_heartbeat
    return heartbeat?.getTime() === at(lastHeartbeat).getTime()
  })
  // From here its clock stands: it does nothing any more.
  return { url, log, dies }
}
