/** How jobs do: what an end writes of its job, and that SQL and the core say the same of it. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { healthOf, healthStates } from '../../../src/core/job/health.ts'
import { by, every, idOf, jobSpec, minute, nameOf, newExecution, t0 } from '../builders.ts'
import { at, leaseMs } from '../by-hand.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const failed = { state: 'failed', error: { name: 'Error', message: 'no' } } as const

async function healthAt({ store, hand }: Bench, name: string, now: number) {
  const job = await hand.job(name)
  const [facts] = await store.jobs.readHealth([job.id], now)
  if (facts === undefined) throw new Error('a job has facts')
  return healthOf(job, facts, now)
}

/** Few values of each, so that every pair of them comes up. */
const shapes = fc.array(
  fc.record({
    state: fc.constantFrom('active', 'paused', 'completed', 'error', 'disabled', 'cancelled'),
    handler: fc.constantFrom('work', 'gone'),
    failures: fc.constantFrom<(number | null)[]>(null, 0, 1, 3),
    dueAgo: fc.constantFrom<(number | null)[]>(null, -10, 61, 200),
    grace: fc.constantFrom(10, 120),
    tick: fc.constantFrom<('pending' | 'blocked' | 'running' | null)[]>(
      null,
      'pending',
      'blocked',
      'running',
    ),
    readyAgo: fc.constantFrom(1, 61, 200),
    attempt: fc.constantFrom(0, 1),
  }),
  { minLength: 25, maxLength: 25 },
)
type Shape = typeof shapes extends fc.Arbitrary<(infer One)[]> ? One : never

export function describeHealth(open: OpenStoreUnderTest): void {
  describe('health', () => {
    test(
      'three failures in a row while the fourth retries stay failing until a final success',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.lead()
        await hand.work()
        await hand.create('a', jobSpec({ schedule: null }))
        expect(await healthAt(bench, 'a', t0)).toMatchObject({ state: 'never_ran' })
        const end = async (id: string, ending: Parameters<typeof hand.finish>[2]) => {
          await store.work.enqueueExecutions([newExecution(id, 'a')])
          await hand.finish(await hand.claimOne(at(1)), at(2), ending)
        }
        for (const id of ['e1', 'e2', 'e3']) await end(id, failed)
        const failing = { state: 'failing', failures: 3, next: expect.stringContaining(idOf('e3')) as string }
        expect(await healthAt(bench, 'a', at(3))).toMatchObject(failing)
        const { error } = failed
        await end('e4', { state: 'retrying', readyAt: at(5), error, countsAttempt: true })
        expect(await healthAt(bench, 'a', at(3))).toMatchObject(failing)
        await end('e5', { state: 'cancelled', reason: 'handler', error: null })
        expect(await healthAt(bench, 'a', at(3))).toMatchObject(failing)
        await hand.finish(await hand.claimOne(at(5)), at(6))
        expect(await healthAt(bench, 'a', at(6))).toMatchObject({ state: 'ok' })
        expect(await store.jobs.countHealth(at(6))).toMatchObject({ ok: 1, failing: 0, never_ran: 0 })
      }),
    )

    test(
      'of one batch, what ended last decides',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.lead()
        await hand.work()
        for (const name of ['a', 'b']) await hand.create(name, jobSpec({ schedule: null }))
        await store.work.enqueueExecutions(
          ['a', 'b'].flatMap((name) => [newExecution(`${name}1`, name), newExecution(`${name}2`, name)]),
        )
        const claims = await hand.claim(at(1))
        const attempts = claims.map(({ id, fence, attempt, jobId, cause, tickAt }) => {
          const ending =
            id === idOf('a1') || id === idOf('b2') ? failed : ({ state: 'completed', result: null } as const)
          const finishedAt = at(nameOf(id).endsWith('1') ? 2 : 3)
          return { id, fence, attempt, ending, finishedAt, claimed: { jobId, cause, tickAt } }
        })
        await store.work.finishAttempts({ nodeId: 'n1', attempts, now: at(3) })
        expect(await healthAt(bench, 'a', at(3))).toMatchObject({ state: 'ok' })
        expect(await healthAt(bench, 'b', at(3))).toMatchObject({ state: 'failing', failures: 1 })
      }),
    )

    test(
      'a success that its fence refuses proves nothing, and a crash that was the last try is a failure',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.lead()
        await hand.work()
        await hand.create('a', { ...jobSpec({ schedule: null }), onCrash: 'fail' })
        await store.work.enqueueExecutions([newExecution('e1', 'a')])
        const claim = await hand.claimOne(at(1))
        const later = at(1) + leaseMs + 2 * minute
        await hand.expire(later)
        expect((await hand.finish(claim, later)).refused).toEqual([idOf('e1')])
        expect(await healthAt(bench, 'a', later)).toMatchObject({ state: 'failing', failures: 1 })
      }),
    )

    test(
      'a deleted job is in no count, and leaves nothing behind once it is forgotten',
      withStore(open, async ({ hand, store, sql }) => {
        await hand.lead()
        await hand.create('a')
        await store.jobs.changeJob('a', { kind: 'delete' }, by(at(1)))
        expect(Object.values(await store.jobs.countHealth(at(1))).reduce((sum, n) => sum + n, 0)).toBe(0)
        await store.ticks.purgeHistory({ afterJobId: null, jobs: 10, now: at(1) + 100 * 86_400_000 })
        expect(await sql('SELECT job_id FROM @unproven')).toEqual([])
      }),
    )

    test(
      'filters, counts and the core agree on every job, with a leader and without',
      withStore(open, async (bench) => {
        const { hand, sql } = bench
        await hand.work()
        let made = 0
        await fc.assert(
          fc.asyncProperty(shapes, async (rows) => {
            await sql('UPDATE @jobs SET deleted_at = 1 WHERE deleted_at IS NULL')
            for (const row of rows) {
              made += 1
              await makeJob(bench, `j${made}`, row)
            }
            await hand.lead()
            await expectAgreement(bench)
            await sql(`UPDATE @locks SET expires_at = 0 WHERE name = 'leader'`)
            await expectAgreement(bench)
          }),
          { numRuns: 2, endOnFailure: true },
        )
      }),
    )
  })
}

const now = t0 + 10 * minute

async function makeJob({ hand, store, sql }: Bench, name: string, row: Shape): Promise<void> {
  const handler = { type: 'function', name: row.handler } as const
  await hand.create(
    name,
    jobSpec({ schedule: every(10_000), handler, catchUp: { graceMs: row.grace * 1_000 } }),
  )
  await sql(
    row.failures === null
      ? `DELETE FROM @unproven WHERE job_id = '${idOf(`job-${name}`)}'`
      : `UPDATE @unproven SET failures = ${row.failures} WHERE job_id = '${idOf(`job-${name}`)}'`,
  )
  if (row.tick !== null) {
    await store.work.enqueueExecutions([newExecution(`e${name}`, name)])
    await sql(
      `UPDATE @job_executions SET state = '${row.tick}', cause = 'schedule', tick_at = 1, attempt = ${row.attempt},
         ready_at = ${now - row.readyAgo * 1_000} WHERE id = '${idOf(`e${name}`)}'`,
    )
  }
  const due = row.dueAgo === null ? 'NULL' : now - row.dueAgo * 1_000
  await sql(`UPDATE @jobs SET state = '${row.state}', next_due_at = ${due} WHERE name = '${name}'`)
}

async function expectAgreement({ store }: Bench): Promise<void> {
  const jobs = await store.jobs.listJobs({ limit: 100 })
  const ids = jobs.map(({ id }) => id)
  const facts = new Map((await store.jobs.readHealth(ids, now)).map((known) => [known.jobId, known]))
  const said = jobs.flatMap((job) => {
    const known = facts.get(job.id)
    return known === undefined ? [] : [{ name: job.name, state: healthOf(job, known, now).state }]
  })
  const counts = await store.jobs.countHealth(now)
  for (const state of healthStates) {
    const names = said.filter((one) => one.state === state).map(({ name }) => name)
    const term = { by: 'health' as const, values: [state], negated: false }
    expect(await store.jobs.matchingNames({ terms: [term], now }, 100)).toEqual(names.toSorted())
    expect([state, counts[state]]).toEqual([state, names.length])
    const others = await store.jobs.countMatches({ terms: [{ ...term, negated: true }], now }, 100)
    expect(others).toBe(jobs.length - names.length)
  }
}
