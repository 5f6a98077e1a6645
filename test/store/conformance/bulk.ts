/** A change of many jobs does to each what the same change of one does, and says what that one would say. */
import { describe, expect, test } from 'vitest'
import { EvertickError } from '../../../src/core/error.ts'
import type { ChangeJobs } from '../../../src/store/store.ts'
import { by, every, hour, idOf, jobSpec, newExecution, newJob, second } from '../builders.ts'
import { at, type Led } from '../by-hand.ts'
import { type Bench, type OpenStoreUnderTest, type WrittenRow, withStore } from './store-under-test.ts'

type Change = ChangeJobs['change']

const now = at(100)
const cron = { kind: 'cron', cron: '*/10 * * * * *', timezone: 'Europe/Madrid' } as const
const delayed = jobSpec({ schedule: { kind: 'fixed_delay', delayMs: 30 * second } })

/** One job of each kind, by what an action finds of it at 100 s. */
async function scene(bench: Bench): Promise<string[]> {
  const { hand, store, sql } = bench
  await hand.work()
  const led = await hand.lead()
  const hourly = jobSpec({ schedule: every(hour) })

  // Nothing due, in every state that has an action.
  await hand.create('quiet', hourly)
  await hand.create('quiet-allow', { ...hourly, overlap: 'allow' })
  await hand.create('without-schedule', jobSpec({ schedule: null }))
  await hand.create('once', jobSpec({ schedule: { kind: 'at', at: at(500) } }))
  for (const state of ['paused', 'disabled', 'cancelled'] as const)
    await hand.create(`quiet-${state}`, hourly)
  await hand.change('quiet-paused', { kind: 'pause', reason: 'lunch' }, at(20))
  await hand.change('quiet-disabled', { kind: 'disable', reason: 'nobody' }, at(20))
  await hand.change('quiet-cancelled', { kind: 'cancel' }, at(20))

  // Missed while they rested; some twice, so that two ranges may become one.
  for (const name of ['rests', 'rested-twice', 'rests-disabled', 'rests-cancelled']) await hand.create(name)
  await hand.pause('rests', at(5))
  await hand.pause('rested-twice', at(5))
  await hand.resume('rested-twice', at(35))
  await hand.pause('rested-twice', at(36))
  await hand.change('rests-disabled', { kind: 'disable', reason: 'nobody' }, at(5))
  await hand.change('rests-cancelled', { kind: 'cancel' }, at(5))
  await hand.create('rest-is-over')
  await hand.pause('rest-is-over', at(5), at(65))

  // Due, and not accounted for yet.
  await hand.create('due')
  await hand.create('due-all', jobSpec({ catchUp: { policy: 'all' } }))
  await hand.create('due-none', jobSpec({ catchUp: { policy: 'none' } }))
  await hand.create('due-allow', jobSpec({ overlap: 'allow', catchUp: { policy: 'all' } }))
  await hand.create('due-once', jobSpec({ schedule: { kind: 'at', at: at(90) } }))

  // With work under way, or waiting for it.
  const waits = jobSpec({ overlap: 'buffer_all', maxConcurrent: 1 })
  await hand.create('busy', waits)
  await only(bench, led, at(10), 'busy')
  await hand.claimOne(at(10))
  await only(bench, led, at(20), 'busy')
  await hand.create('may-go-on', hourly)
  const { id } = await hand.trigger('may-go-on', 't1', at(10))
  await sql(`UPDATE @job_executions SET state = 'blocked' WHERE id = '${id}'`)
  await hand.create('enqueued', hourly)
  await store.work.enqueueExecutions([newExecution('e1', 'enqueued', { readyAt: at(1_000) })])

  // A next tick that the end of a run writes.
  for (const name of ['delayed', 'delayed-due', 'delayed-paused', 'delayed-cancelled', 'delayed-runs'])
    await hand.create(name, delayed)
  await sql(`UPDATE @jobs SET open_tick_at = ${at(400)}, next_due_at = ${at(400)} WHERE name = 'delayed'`)
  await hand.pause('delayed-paused', at(1))
  await hand.change('delayed-cancelled', { kind: 'cancel' }, at(1))
  await only(bench, led, at(30), 'delayed-runs')
  await hand.pause('delayed-runs', at(31))

  // Accounted ahead of their time.
  const soon = jobSpec({ schedule: { kind: 'every', everyMs: hour, anchorAt: at(101) } })
  await hand.create('ahead', soon, at(95))
  await hand.create('ahead-last', jobSpec({ schedule: { kind: 'at', at: at(101) } }))
  await hand.create('ahead-reserved', { ...soon, queue: 'reserve' }, at(95))
  await only(bench, led, at(99.5), 'ahead', 'ahead-last', 'ahead-reserved')
  const { fromPlace } = await store.work.openReserve({ nodeId: 'n1', queue: 'reserve' }, at(99))
  await hand.claim(at(99), { queue: 'reserve', start: 0, readyBy: at(101), reserveFrom: fromPlace })

  // Over, or no longer to be understood.
  await hand.create('completed', jobSpec({ schedule: { kind: 'at', at: at(50) } }))
  await only(bench, led, at(50), 'completed')
  for (const name of ['no-zone', 'no-zone-paused', 'error'])
    await hand.create(name, jobSpec({ schedule: cron }))
  await hand.pause('no-zone-paused', at(5))
  await sql(
    `UPDATE @jobs SET spec = replace(spec, 'Europe/Madrid', 'Mars/Olympus') WHERE name IN ('no-zone', 'no-zone-paused', 'error')`,
  )
  await sql(`UPDATE @jobs SET state = 'error', next_due_at = NULL WHERE name = 'error'`)

  await hand.create('deleted', hourly)
  await hand.change('deleted', { kind: 'delete' }, at(20))
  const jobs = await store.jobs.listJobs({ limit: 1_000 })
  return [...jobs.map(({ name }) => name), 'deleted', 'missing'].sort()
}

/** What the leader does for these jobs alone, up to 2 s ahead. */
async function only({ hand, store }: Bench, led: Led, when: number, ...names: string[]): Promise<void> {
  const ids = names.map((name) => idOf(`job-${name}`))
  const { jobs } = await store.ticks.findDueJobs(when + 2 * second, 1_000)
  // What is due at one instant comes in any order.
  const due = jobs.filter(({ id }) => ids.includes(id)).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  await hand.account(led, when, { aheadMs: 2 * second, jobs: due })
}

/** Everything that an action may write, but for the numbers that the database gives. */
async function written({ sql }: Bench): Promise<Record<string, WrittenRow[]>> {
  const read = async (text: string) =>
    (await sql(text)).map(({ id, seq: _, ...row }) => (typeof id === 'string' ? { id, ...row } : row))
  return {
    jobs: await read('SELECT * FROM @jobs ORDER BY id'),
    executions: await read('SELECT * FROM @job_executions ORDER BY seq'),
    ranges: await read('SELECT * FROM @tick_ranges ORDER BY job_id, from_at'),
    revisions: await read('SELECT * FROM @job_revisions ORDER BY job_id, revision'),
    reserves: await read('SELECT * FROM @reserves ORDER BY node_id, queue'),
    audit: await read('SELECT * FROM @audit_log ORDER BY subject, id'),
  }
}

/** The messages of those that were refused, by job. */
type Refusals = Record<string, string>

async function oneByOne({ store }: Bench, names: readonly string[], change: Change): Promise<Refusals> {
  const refusals: Refusals = {}
  for (const name of names) {
    try {
      await store.jobs.changeJob(name, change, by(now))
    } catch (error) {
      if (!(error instanceof EvertickError)) throw error
      refusals[name] = `${error.code}: ${error.message}`
    }
  }
  return refusals
}

async function together(bench: Bench, names: readonly string[], change: Change): Promise<Refusals> {
  const request = { names, change, context: by(now), outOfTime: () => false }
  const outcomes = await bench.store.jobs.changeJobs(request)
  expect(outcomes).toHaveLength(names.length)
  const left = names.filter((_, index) => outcomes[index]?.became === 'left')
  // Only what may be refused after it has written something.
  expect(['ahead-last', 'no-zone', 'no-zone-paused', 'error', 'rest-is-over']).toEqual(
    expect.arrayContaining(left),
  )
  const refusals: Refusals = {}
  for (const [index, outcome] of outcomes.entries()) {
    const { code, message } = outcome.became === 'refused' ? outcome.error : { code: null, message: '' }
    if (code !== null) refusals[names[index] ?? ''] = `${code}: ${message}`
  }
  return { ...refusals, ...(await oneByOne(bench, left, change)) }
}

interface Aftermath {
  readonly refusals: Refusals
  readonly rows: Record<string, WrittenRow[]>
}

async function after(
  open: OpenStoreUnderTest,
  change: Change,
  apply: (bench: Bench, names: readonly string[], change: Change) => Promise<Refusals>,
): Promise<Aftermath> {
  const found: Aftermath[] = []
  await withStore(open, async (bench) => {
    const refusals = await apply(bench, await scene(bench), change)
    found.push({ refusals, rows: await written(bench) })
  })()
  const [only] = found
  if (only === undefined) throw new Error('The scene was not played.')
  return only
}

const changes: readonly Change[] = [
  { kind: 'pause' },
  { kind: 'pause', reason: 'lunch \0', until: at(7_200) },
  { kind: 'resume', catchUp: 'skip' },
  { kind: 'resume', catchUp: 'policy' },
  { kind: 'resume', catchUp: 'all' },
  { kind: 'cancel' },
  { kind: 'delete' },
]

export function describeBulk(open: OpenStoreUnderTest): void {
  describe('one change of many jobs', () => {
    test.each(changes)('leaves each as a change of that one does: %j', async (change) => {
      // One after the other: on a server both have the same database.
      const single = await after(open, change, oneByOne)
      const bulk = await after(open, change, together)
      expect(bulk.refusals).toEqual(single.refusals)
      expect(Object.keys(single.refusals)).toEqual(expect.arrayContaining(['deleted', 'missing']))
      expect(bulk.rows).toEqual(single.rows)
    })

    test(
      'what its time does not allow is neither touched nor in the answer',
      withStore(open, async ({ hand, store }) => {
        for (const name of ['a', 'b', 'c']) await hand.create(name, jobSpec({ schedule: every(hour) }))
        let asked = 0
        const outOfTime = () => {
          asked += 1
          return asked > 1
        }
        const change = { kind: 'pause' } as const
        const outcomes = await store.jobs.changeJobs({
          names: ['a', 'b', 'c'],
          change,
          context: by(now),
          outOfTime,
        })
        expect(outcomes.map(({ became }) => became)).toEqual(['changed', 'changed'])
        const states = (await store.jobs.listJobs({ limit: 3 })).map(({ state }) => state)
        expect(states).toEqual(['paused', 'paused', 'active'])
      }),
    )

    test(
      'entries of the audit log come in the order of the names, whatever had to be settled',
      withStore(open, async ({ hand, store }) => {
        for (const name of ['b', 'd']) await hand.create(name)
        for (const name of ['a', 'c', 'e']) await hand.create(name, jobSpec({ schedule: every(hour) }))
        await store.jobs.createJob({ ...newJob('f'), managedBy: 'api' })
        const names = ['a', 'b', 'c', 'd', 'e', 'f']
        await store.jobs.changeJobs({
          names,
          change: { kind: 'pause' },
          context: by(now),
          outOfTime: () => false,
        })
        const entries = await store.audit.listAuditLog({ action: 'job.pause', limit: 10 })
        expect(entries.map(({ subject }) => subject).toReversed()).toEqual(names)
      }),
    )
  })
}
