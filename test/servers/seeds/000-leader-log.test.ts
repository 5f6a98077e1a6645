/** The leader log of node-schedule and node-resque, walked from top to bottom on three databases and a Redis. */
import { randomUUID } from 'node:crypto'
import { expect, inject, it, onTestFinished } from 'vitest'
import { DistributedLock, SchedulerLeaderLogService } from '../../../src/index.ts'
import { until } from '../../process/until.ts'
import { connectAdmin } from '../redis-server.ts'
import { describeDocument, holds } from './describe-document.ts'
import { handlingTheEdgeCase } from './leader-log/edge-case.ts'
import { type Engine, engines } from './leader-log/engines.ts'
import { ownModel } from './leader-log/own-model.ts'
import { at, leads, quiet, Tasks } from './leader-log/tasks.ts'
import { block, byName, document, expectedTimes, logOn } from './leader-log/walk.ts'

const redisUrl = inject('redisUrl') ?? ''
const day = '2025-09-01'

describeDocument('000', {
  'Proposed Table Design for Scheduler Leader Log': holds,

  'Table Name: `scheduler_leader_log`': () => {
    it.each(byName)('on %s has these columns and these defaults', async (_name, engine) => {
      const { url, model } = await logOn(engine, '10:00:00')
      const insert = (columns: string, values: string) =>
        engine.sql(url, `INSERT INTO ${engine.table} (${columns}) VALUES (${values})`)
      await insert('leader_instance, start_time', `'nodeA', '${day} 10:00:00.250'`)
      const [term] = await model.find({})
      expect(term).toEqual({
        id: 1,
        leader_instance: 'nodeA',
        start_time: new Date(`${day}T10:00:00.250Z`),
        stop_time: null,
        last_heartbeat: null,
        handled_missed_tasks: false,
        created_at: expect.any(Date) as Date,
        updated_at: expect.any(Date) as Date,
      })
      const [row] = await engine.sql(url, `SELECT * FROM ${engine.table}`)
      const columns = [...document.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)
      expect(Object.keys(row ?? {})).toEqual(columns)
      expect(columns).toHaveLength(8)
      await expect(insert('start_time', `'${day} 10:00:00'`)).rejects.toThrow(/null|default/i)
      await expect(insert('leader_instance', `'nodeA'`)).rejects.toThrow(/null|default/i)
    })

    it.each(byName)('on %s an update moves updated_at, and only it', async (_name, engine) => {
      const { model } = await logOn(engine, '10:00:00')
      const created_at = at('09:00:00')
      const { id } = await model.insert({
        leader_instance: 'nodeA',
        start_time: created_at,
        created_at,
        updated_at: created_at,
      })
      await model.update({ id }, { handled_missed_tasks: true })
      const updated = await model.findOne({ id })
      expect(updated).toMatchObject({ created_at, handled_missed_tasks: true })
      expect(updated?.updated_at?.getTime()).toBeGreaterThan(created_at.getTime())
    })
  },

  Indexes: () => {
    it.each(byName)('on %s are there by these names', async (_name, engine) => {
      const found = await engine.indexes(await engine.create())
      expect(found).toEqual(expect.arrayContaining(['idx_start_time', 'idx_leader_instance']))
    })
  },

  'SQL Schema Creation Script': () => {
    it('makes a table of your own, on which service and coordinator work through a model of your own', async () => {
      const model = await ownModel(block('sql'))
      const tasks = new Tasks('10:00:00')
      const log = new SchedulerLeaderLogService(model, { clock: tasks.clock })
      const lock = new DistributedLock({ redis: redisUrl, prefix: randomUUID() })
      onTestFinished(() => lock.close())
      const options = { model, lock, redis: redisUrl, prefix: randomUUID() }
      const first = tasks.coordinator({ ...options, instanceId: 'nodeA' })
      await first.start()
      await leads(first, () => log.arePreviousMissedTasksHandled())
      await tasks.passUntil('10:01:05', first)
      await first.stop()
      expect(await log.getCurrentLeaderTerm()).toMatchObject({
        leader_instance: 'nodeA',
        start_time: at('10:00:00'),
        stop_time: at('10:01:05'),
        last_heartbeat: at('10:01:05'),
      })
      tasks.clock.moveTo(at('10:02:00').getTime())
      const second = tasks.coordinator({ ...options, instanceId: 'nodeB' })
      await second.start()
      await leads(second, async () => (await log.getCurrentLeaderTerm())?.handled_missed_tasks === true)
      expect(await log.getTermsByInstance('nodeB')).toMatchObject([{ id: 2, stop_time: null }])
      expect(tasks.queued.toSorted()).toEqual(expectedTimes('10:00:10', '10:02:00'))
    })
  },

  'How This Fits Into Your Workflow': () => {
    it.each(byName)(
      'on %s a leader of one, its heartbeat, its graceful stop, and its successor',
      async (_name, engine) => {
        const { url, log } = await logOn(engine, '10:00:00')
        const tasks = new Tasks('10:00:00')
        const first = tasks.coordinator({ database: url, instanceId: 'nodeA' })
        await first.start()
        // "First-ever leader: no previous row, so no missed tasks; set handled_missed_tasks to TRUE."
        await leads(first, async () => (await log.getCurrentLeaderTerm())?.handled_missed_tasks === true)
        expect(tasks.queued).toEqual([])
        expect(first.currentTerm).toMatchObject({ leader_instance: 'nodeA', start_time: at('10:00:00') })
        // "Periodic heartbeat, for example every 30 seconds."
        await tasks.passUntil('10:01:10', first)
        expect(await log.getCurrentLeaderTerm()).toMatchObject({
          last_heartbeat: at('10:01:00'),
          stop_time: null,
        })
        // "Before stopping, update stop_time to now and last_heartbeat to now."
        await first.stop()
        expect(first.isLeader).toBe(false)
        const stopped = { stop_time: at('10:01:10'), last_heartbeat: at('10:01:10') }
        expect(await log.getPreviousLeaderTerm()).toMatchObject(stopped)
        expect(await log.getPreviousEffectiveEndTime()).toEqual(at('10:01:10'))
        // "Scan for tasks that were due in that gap and enqueue them. Insert a new row."
        tasks.clock.moveTo(at('10:05:00').getTime())
        const second = tasks.coordinator({ database: url, instanceId: 'nodeB' })
        await second.start()
        await leads(second, async () => (await log.getCurrentLeaderTerm())?.handled_missed_tasks === true)
        expect(await log.getCurrentLeaderTerm()).toMatchObject({
          leader_instance: 'nodeB',
          start_time: at('10:05:00'),
          last_heartbeat: at('10:05:00'),
          stop_time: null,
        })
        expect(tasks.queued.toSorted()).toEqual(expectedTimes('10:00:10', '10:05:00'))
      },
    )

    it.each(byName)('on %s only one of two leads', async (_name, engine) => {
      const tasks = new Tasks('10:00:00')
      const database = await engine.create()
      const [one, other] = [tasks.coordinator({ database }), tasks.coordinator({ database })]
      await Promise.all([one.start(), other.start()])
      await until('a leader', () => one.isLeader || other.isLeader)
      const [leader, follower] = one.isLeader ? [one, other] : [other, one]
      expect(await follower.enqueueOnce('mail', at('10:00:00'), tasks.push)).toBe('not_leading')
      expect(await leader.enqueueOnce('mail', at('10:00:00'), tasks.push)).toBe('enqueued')
      expect(tasks.queued).toEqual(['10:00:00'])
      tasks.clock.moveTo(at('10:00:30').getTime())
      await until('a heartbeat', () => leader.currentTerm?.last_heartbeat?.getTime() === tasks.clock.now())
      expect(follower.isLeader).toBe(false)
      // A leader that stops leaves its seat to the other one at once.
      await leader.stop()
      tasks.clock.moveTo(at('10:01:00').getTime())
      await until('the other one to lead', () => follower.isLeader)
    })
  },

  'Why Two Records Are Created': () => {
    it.each(byName)('on %s each term is a record of its own', async (_name, engine) => {
      const { clock, log, model } = await logOn(engine, '10:00:00')
      const first = await log.insertNewLeaderTerm('nodeA')
      expect(first).toMatchObject({
        stop_time: null,
        last_heartbeat: at('10:00:00'),
        handled_missed_tasks: false,
      })
      expect(await log.insertNewLeaderTerm('nodeB', true)).toMatchObject({ handled_missed_tasks: true })
      clock.moveTo(at('10:15:00').getTime())
      await log.setStopTime(first.id)
      clock.moveTo(at('10:30:00').getTime())
      const again = await log.insertNewLeaderTerm('nodeA')
      expect(again.id).not.toBe(first.id)
      const terms = await log.getTermsByInstance('nodeA')
      expect(terms.map(({ start_time, stop_time }) => [start_time, stop_time])).toEqual([
        [at('10:30:00'), null],
        [at('10:00:00'), at('10:15:00')],
      ])
      expect(await model.find({})).toHaveLength(3)
    })

    it('a coordinator that stops and starts again has two, and a crash leaves stop_time null', async () => {
      const [engine] = engines
      if (engine === undefined) throw new Error('There is no engine.')
      const { url, log } = await logOn(engine, '10:00:00')
      const tasks = new Tasks('10:00:00')
      const coordinator = tasks.coordinator({ database: url, instanceId: 'nodeA' })
      for (const time of ['10:00:00', '10:30:00']) {
        tasks.clock.moveTo(at(time).getTime())
        await coordinator.start()
        await until('a leader', () => coordinator.isLeader)
        if (time === '10:00:00') await coordinator.stop()
      }
      expect(await log.getTermsByInstance('nodeA')).toMatchObject([
        { start_time: at('10:30:00'), stop_time: null },
        { start_time: at('10:00:00'), stop_time: at('10:00:00') },
      ])
    })
  },

  'Example Scenario': () => {
    it.each(byName)('on %s gives these two records', async (_name, engine) => {
      const { clock, log } = await logOn(engine, '10:00:00')
      const record1 = await log.insertNewLeaderTerm('nodeA')
      expect(record1).toMatchObject({
        id: 1,
        leader_instance: 'nodeA',
        start_time: at('10:00:00'),
        stop_time: null,
        last_heartbeat: at('10:00:00'),
        handled_missed_tasks: false,
      })
      clock.moveTo(at('10:14:30').getTime())
      await log.updateLastHeartbeat(record1.id)
      expect(await log.getCurrentLeaderTerm()).toMatchObject({ last_heartbeat: at('10:14:30') })
      clock.moveTo(at('10:15:00').getTime())
      await log.setStopTime(record1.id)
      // Here the document keeps 10:14:30, while its workflow sets both to now. Both cannot be; the workflow is kept.
      const stopped = { stop_time: at('10:15:00'), last_heartbeat: at('10:15:00') }
      expect(await log.getCurrentLeaderTerm()).toMatchObject({ id: 1, ...stopped })
      clock.moveTo(at('10:30:00').getTime())
      expect(await log.insertNewLeaderTerm('nodeA')).toMatchObject({
        id: 2,
        leader_instance: 'nodeA',
        start_time: at('10:30:00'),
        stop_time: null,
        last_heartbeat: at('10:30:00'),
        handled_missed_tasks: false,
      })
    })
  },

  'Handling the Edge Case': handlingTheEdgeCase,

  'Updated Workflow for the Edge Case': () => {
    it.each(byName)('on %s its five steps, by hand', async (_name, engine) => {
      const { clock, log } = await logOn(engine, '10:00:00')
      const becomeLeader = async (instance: string) => {
        const handled = await log.arePreviousMissedTasksHandled()
        const end = handled ? null : await log.getPreviousEffectiveEndTime()
        return { end, term: await log.insertNewLeaderTerm(instance, !handled) }
      }
      const first = await becomeLeader('nodeA')
      expect(first).toMatchObject({ end: null, term: { handled_missed_tasks: false } })
      clock.moveTo(at('10:00:30').getTime())
      await log.updateLastHeartbeat(first.term.id)
      clock.moveTo(at('10:15:00').getTime())
      await log.setStopTime(first.term.id)
      clock.moveTo(at('10:30:00').getTime())
      const second = await becomeLeader('nodeA')
      expect(second).toMatchObject({ end: at('10:15:00'), term: { handled_missed_tasks: true } })
    })

    it('what was enqueued is remembered in Redis as taskId:scheduleTime, with a TTL', async () => {
      const [engine] = engines
      const database = (await engine?.create()) ?? ''
      const prefix = randomUUID()
      const tasks = new Tasks('10:00:00')
      const options = { database, redis: redisUrl, prefix, dedupeTtl: '1d' } as const
      const coordinator = tasks.coordinator(options)
      await coordinator.start()
      await until('a leader', () => coordinator.isLeader)
      expect(await coordinator.enqueueOnce('mail', at('10:00:10'), tasks.push)).toBe('enqueued')
      expect(await coordinator.enqueueOnce('mail', at('10:00:10'), tasks.push)).toBe('duplicate')
      expect(await coordinator.enqueueOnce('mail', at('10:00:20'), tasks.push)).toBe('enqueued')
      expect(tasks.queued).toEqual(['10:00:10', '10:00:20'])
      const admin = await connectAdmin(redisUrl)
      onTestFinished(() => admin.close())
      const key = `${prefix}:mark:mail:${at('10:00:10').toISOString()}`
      const ttl = await admin.pTTL(key)
      expect(ttl).toBeGreaterThan(86_000_000)
      expect(ttl).toBeLessThanOrEqual(86_400_000)
    })
  },

  'Additional Considerations': () => {
    it.each(byName)(
      'on %s missed tasks are processed under the lock missed_task_processing',
      async (_name, engine) => {
        const { url, log } = await logOn(engine, '10:00:00')
        const lock = new DistributedLock({ database: url, instanceId: 'somebody' })
        onTestFinished(() => lock.close())
        const { id } = await log.insertNewLeaderTerm('nodeA', true)
        await log.setStopTime(id)
        const owners: (string | undefined)[] = []
        const tasks = new Tasks('10:01:00')
        const lines: string[] = []
        const logger = { ...quiet, info: (line: string) => void lines.push(line) }
        const coordinator = tasks.coordinator({
          database: url,
          instanceId: 'nodeA',
          logger,
          clock: undefined as never,
          async enqueue(_task, entry) {
            owners.push((await lock.owner('missed_task_processing'))?.owner)
            tasks.push(entry)
          },
          findMissedTasks: () => tasks.due(at('10:00:10'), at('10:01:00')),
        })
        await coordinator.start()
        await leads(coordinator, async () =>
          (await log.getTermsByInstance('nodeA')).every((term) => term.handled_missed_tasks),
        )
        expect(owners).toEqual(Array.from({ length: 6 }, () => 'nodeA'))
        await until('the lock to be free', async () => (await lock.owner('missed_task_processing')) === null)
        // "Log when a node regains leadership and processes missed tasks."
        expect(lines).toEqual([
          expect.stringMatching(/^Leading since term 2/),
          expect.stringMatching(/^Of 6 tasks since .*, 6 were missed and have been enqueued/),
        ])
        // "You can query the table by leader_instance to track a node's leadership history."
        expect(await log.getTermsByInstance('nodeA')).toHaveLength(2)
      },
    )

    it('a task that may be in the queue already is told apart, for a queue that can look', async () => {
      const [engine] = engines
      const { url, log } = await logOn(engine as Engine, '10:00:00')
      const tasks = new Tasks('10:00:00')
      const coordinator = tasks.coordinator({ database: url })
      await coordinator.start()
      await leads(coordinator, () => log.arePreviousMissedTasksHandled())
      const lost = coordinator.enqueueOnce('mail', at('10:00:10'), (entry) => {
        tasks.push(entry)
        throw new Error('no answer from the queue')
      })
      await expect(lost).rejects.toThrow('no answer')
      expect(await coordinator.enqueueOnce('mail', at('10:00:10'), tasks.push)).toBe('enqueued')
      expect(tasks.entries.map(({ key, repeat }) => [key, repeat])).toEqual([
        [`mail:${day}T10:00:10.000Z`, false],
        [`mail:${day}T10:00:10.000Z`, true],
      ])
    })
  },
})
