/** A coordinator in trouble: answers that fail or never come, tasks that cannot be enqueued, options that cannot be. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  createLeaderLogModel,
  DistributedLock,
  Evertick,
  LeaderLogCoordinator,
  type LeaderLogCoordinatorOptions,
  type SchedulerLeaderLogModel,
} from '../../../src/index.ts'
import { ManualClock } from '../../../src/testing/index.ts'
import { until } from '../../process/until.ts'
import { MemoryLog } from './memory-log.ts'

const second = 1_000
const t0 = Date.UTC(2026, 0, 1)
const task = { taskId: 'mail', scheduleTime: new Date(t0 - 60 * second) }

function databaseFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-coordinator-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return `sqlite:${join(folder, 'evertick.db')}`
}

function scene(options: Partial<LeaderLogCoordinatorOptions> = {}) {
  const clock = new ManualClock(t0)
  const told: string[] = []
  const logged: string[] = []
  const write = (message: string) => void logged.push(message)
  const coordinator = new LeaderLogCoordinator({
    database: databaseFile(),
    instanceId: 'nodeA',
    clock,
    logger: { debug: write, info: write, warn: write, error: write },
    findMissedTasks: () => [],
    enqueue: () => {},
    onElected: ({ id }) => void told.push(`elected ${id}`),
    onLost: ({ id }) => void told.push(`lost ${id}`),
    ...options,
  })
  onTestFinished(() => coordinator.stop())
  return { clock, coordinator, told, logged }
}

/** A log whose next calls can be made to fail or to hang. */
class MoodyLog extends MemoryLog {
  mood: 'well' | 'fails' | 'hangs' = 'well'

  override async update(...args: Parameters<SchedulerLeaderLogModel['update']>): Promise<void> {
    if (this.mood === 'fails') throw new Error('no connection')
    if (this.mood === 'hangs') await new Promise(() => {})
    await super.update(...args)
  }
}

/** A log that keeps what was said about missed tasks. */
class TellingLog extends MemoryLog {
  readonly flags: boolean[] = []

  override async update(...args: Parameters<SchedulerLeaderLogModel['update']>): Promise<void> {
    const [, { handled_missed_tasks }] = args
    await super.update(...args)
    if (handled_missed_tasks !== undefined) this.flags.push(handled_missed_tasks)
  }
}

/** Somebody led long ago, so that there is a gap. */
function afterOneTerm<Log extends MemoryLog>(log: Log): Log {
  const ended = new Date(t0 - 300 * second)
  const term = { leader_instance: 'before', start_time: ended, stop_time: ended, last_heartbeat: ended }
  log.terms.push({ id: 1, ...term, handled_missed_tasks: true })
  return log
}

async function afterGap(options: Partial<LeaderLogCoordinatorOptions> = {}) {
  const database = databaseFile()
  const log = createLeaderLogModel(database)
  onTestFinished(() => log.close())
  const long = new Date(t0 - 300 * second)
  await log.insert({
    leader_instance: 'before',
    start_time: long,
    stop_time: long,
    handled_missed_tasks: true,
  })
  const handled = async () => (await log.findOne({ leader_instance: 'nodeA' }))?.handled_missed_tasks === true
  return { ...scene({ database, findMissedTasks: () => [task], ...options }), log, handled }
}

describe('in doubt', () => {
  it('a heartbeat that fails ends the lead at once; the term ends where it was last confirmed; it comes back', async () => {
    const model = new MoodyLog()
    const { clock, coordinator, told } = scene({ model })
    await coordinator.start()
    await until('a leader that has handled its gap', () => model.terms[0]?.handled_missed_tasks === true)
    clock.moveTo(t0 + 30 * second)
    await until('a heartbeat', () => coordinator.currentTerm?.last_heartbeat?.getTime() === t0 + 30 * second)
    await until('a second look', () => model.terms[0]?.handled_missed_tasks === true)
    model.mood = 'fails'
    clock.moveTo(t0 + 60 * second)
    await until('doubt', () => !coordinator.isLeader)
    expect(await coordinator.enqueueOnce('mail', new Date(t0), () => {})).toBe('not_leading')
    model.mood = 'well'
    clock.moveTo(t0 + 63 * second)
    await until('a leader again', () => coordinator.isLeader)
    expect(told).toEqual(['elected 1', 'lost 1', 'elected 2'])
    expect(model.terms[0]?.stop_time).toEqual(new Date(t0 + 30 * second))
    expect(model.terms[1]?.start_time).toEqual(new Date(t0 + 63 * second))
  })

  it('a heartbeat that is never answered ends it when the lease is over, by the own clock', async () => {
    const model = new MoodyLog()
    const { clock, coordinator, told } = scene({ model, heartbeat: '10s', lease: '25s' })
    await coordinator.start()
    await until('a leader that has handled its gap', () => model.terms[0]?.handled_missed_tasks === true)
    model.mood = 'hangs'
    clock.moveTo(t0 + 25 * second - 1)
    expect(coordinator.isLeader).toBe(true)
    clock.moveTo(t0 + 25 * second)
    expect(coordinator.isLeader).toBe(false)
    expect(coordinator.currentTerm).toBeNull()
    expect(told).toEqual(['elected 1', 'lost 1'])
    // A process that hangs cannot be stopped gracefully: nothing here waits for it.
    onTestFinished(() => void (model.mood = 'well'))
    model.update = () => Promise.resolve()
  })

  it('a clock that is set forward ends it as well', async () => {
    const { clock, coordinator } = scene()
    await coordinator.start()
    await until('a leader', () => coordinator.isLeader)
    clock.jump(600 * second)
    expect(coordinator.isLeader).toBe(false)
  })
})

describe('missed tasks', () => {
  it('are found again at the next heartbeat where they could not be looked for', async () => {
    let looks = 0
    const enqueued: string[] = []
    const { clock, coordinator, handled, log, logged } = await afterGap({
      findMissedTasks: () => {
        looks += 1
        if (looks === 1) throw new Error('the task store is away')
        return [task]
      },
      enqueue: ({ taskId }) => void enqueued.push(taskId),
    })
    await coordinator.start()
    await until('the failure', () => logged.some((line) => line.includes('next heartbeat')))
    expect(await handled()).toBe(false)
    clock.moveTo(t0 + 30 * second)
    await until('the repair', handled)
    expect(enqueued).toEqual(['mail'])
    expect(await log.find({})).toHaveLength(2)
  })

  it('one that cannot be enqueued holds up nobody else, and the flag stays false until it is', async () => {
    let poisoned = true
    const enqueued: string[] = []
    const { clock, coordinator, handled, logged } = await afterGap({
      findMissedTasks: () => [{ ...task, taskId: 'poison' }, task],
      enqueue: ({ taskId }, { repeat }) => {
        if (taskId === 'poison' && poisoned) throw new Error('no')
        enqueued.push(`${taskId} ${repeat}`)
      },
    })
    await coordinator.start()
    await until('the failure', () => logged.includes('Could not enqueue the missed task poison'))
    await until('the other one', () => enqueued.length === 1)
    expect(await handled()).toBe(false)
    poisoned = false
    clock.moveTo(t0 + 30 * second)
    await until('the repair', handled)
    expect(enqueued).toEqual(['mail false', 'poison true'])
  })

  it('wait while somebody else holds the lock', async () => {
    const database = databaseFile()
    const lock = new DistributedLock({ database })
    onTestFinished(() => lock.close())
    const held = await lock.acquire('missed_task_processing')
    const { clock, coordinator, logged } = scene({
      database,
      model: afterOneTerm(new MemoryLog()),
      findMissedTasks: () => [task],
    })
    await coordinator.start()
    await until('the wait', () =>
      logged.includes('Missed tasks wait: somebody else is processing some of them'),
    )
    await held?.release()
    clock.moveTo(t0 + 30 * second)
    await until('the repair', () => logged.some((line) => line.startsWith('Of 1 tasks since')))
    expect(coordinator.isLeader).toBe(true)
  })

  it('a live task that failed is found by the next heartbeat, and the log says so until then', async () => {
    const log = new TellingLog()
    const live = { taskId: 'live', scheduleTime: new Date(t0 + 5 * second) }
    const enqueued: string[] = []
    const { clock, coordinator } = scene({
      model: afterOneTerm(log),
      findMissedTasks: (from, to) => (live.scheduleTime >= from && live.scheduleTime <= to ? [live] : []),
      enqueue: ({ taskId }, { repeat }) => void enqueued.push(`${taskId} ${repeat}`),
    })
    await coordinator.start()
    await until('the repair', () => log.flags.length === 1)
    clock.moveTo(t0 + 6 * second)
    const failed = coordinator.enqueueOnce('live', live.scheduleTime, () => {
      throw new Error('the queue is away')
    })
    await expect(failed).rejects.toThrow('away')
    clock.moveTo(t0 + 30 * second)
    await until('the second look', () => log.flags.length === 3)
    expect(log.flags).toEqual([true, false, true])
    expect(enqueued).toEqual(['live true'])
  })

  it('a listener that throws disturbs nobody', async () => {
    const { coordinator, handled, logged } = await afterGap({
      onElected: () => {
        throw new Error('no')
      },
      onRepaired: () => Promise.reject(new Error('no')),
    })
    await coordinator.start()
    await until('the repair', handled)
    await until('both complaints', () => logged.filter((line) => line.includes('listener')).length === 2)
    expect(coordinator.isLeader).toBe(true)
  })
})

describe('a coordinator', () => {
  it('does nothing before start, and may stop and start again', async () => {
    const { coordinator } = scene()
    expect(coordinator.isLeader).toBe(false)
    expect(await coordinator.enqueueOnce('mail', new Date(t0), () => {})).toBe('not_leading')
    await coordinator.stop()
    await Promise.all([coordinator.start(), coordinator.start()])
    await until('a leader', () => coordinator.isLeader)
    await Promise.all([coordinator.stop(), coordinator.stop()])
    await coordinator.start()
    await until('a leader', () => coordinator.isLeader)
  })

  it('says that a database cannot be opened, and may be started again', async () => {
    const { coordinator } = scene({ database: 'sqlite:/no/such/folder/evertick.db' })
    await expect(coordinator.start()).rejects.toMatchObject({
      code: expect.stringMatching(/^database_/) as string,
    })
    await expect(coordinator.start()).rejects.toMatchObject({
      code: expect.stringMatching(/^database_/) as string,
    })
  })

  it('enqueues a task once, however many ask at once, and forgets no mark before its time', async () => {
    const { coordinator, clock } = scene({ dedupeTtl: '10m' })
    await coordinator.start()
    await until('a leader', () => coordinator.isLeader)
    let pushed = 0
    const push = () => {
      pushed += 1
    }
    const asked = Array.from({ length: 5 }, () => coordinator.enqueueOnce('mail', new Date(t0), push))
    expect((await Promise.all(asked)).toSorted()).toEqual([
      ...Array.from({ length: 4 }, () => 'duplicate'),
      'enqueued',
    ])
    expect(pushed).toBe(1)
    for (let at = t0 + 30 * second; at <= t0 + 630 * second; at += 30 * second) {
      clock.moveTo(at)
      await until('a heartbeat', () => coordinator.currentTerm?.last_heartbeat?.getTime() === at)
    }
    await until(
      'the mark to be forgotten',
      async () => (await coordinator.enqueueOnce('mail', new Date(t0), push)) === 'enqueued',
    )
  })

  it('warns where a node of Evertick leads in its database', async () => {
    const database = databaseFile()
    const evertick = await Evertick.open({ database, nodeId: 'the node' })
    onTestFinished(() => evertick.stop())
    await evertick.start()
    await until('the node to lead', async () => (await evertick.leader.current()) !== null)
    const { coordinator, logged } = scene({ database, clock: undefined as never })
    await coordinator.start()
    await until('the warning', () => logged.some((line) => line.includes('The Evertick node the node leads')))
    expect(coordinator.isLeader).toBe(false)
  })
})

describe('what a coordinator refuses', () => {
  const model = new MemoryLog()
  const lock = { acquire: () => Promise.resolve(null) }
  const wrong: Record<string, [object, string]> = {
    'no log': [{ database: undefined }, 'database'],
    'a lock beside a database’s own': [{ lock }, 'lock'],
    'no place for marks': [{ database: undefined, model, lock }, 'redis'],
    'a prefix without Redis': [{ prefix: 'x' }, 'prefix'],
    'a lease of one heartbeat': [{ heartbeat: '30s', lease: '30s' }, 'lease'],
    'a heartbeat without a pause': [{ heartbeat: '1ms' }, 'heartbeat'],
    'marks that are forgotten too early': [{ dedupeTtl: '1m' }, 'dedupeTtl'],
    'a slip': [{ hartbeat: '30s' }, 'hartbeat'],
    'nothing to look with': [{ findMissedTasks: undefined }, 'findMissedTasks'],
    'a name that is too long': [{ instanceId: 'x'.repeat(201) }, 'instanceId'],
  }

  it.each(Object.entries(wrong))('%s', (_what, [options, field]) => {
    expect(() => scene(options)).toThrow(expect.objectContaining({ code: 'invalid_option', field }))
  })

  it('a task without a nominal time', async () => {
    const { coordinator } = scene()
    await coordinator.start()
    const enqueue = (taskId: string, time: unknown) => coordinator.enqueueOnce(taskId, time as Date, () => {})
    await expect(enqueue('mail', 'now')).rejects.toMatchObject({ field: 'scheduleTime' })
    await expect(enqueue('mail', new Date('no'))).rejects.toMatchObject({ field: 'scheduleTime' })
    await expect(enqueue('', new Date(t0))).rejects.toMatchObject({ field: 'taskId' })
  })
})
