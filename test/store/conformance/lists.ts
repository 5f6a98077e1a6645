/** Lists that find things: filters, orders, pages, and the newest of each job. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jobView } from '../../../src/app/views.ts'
import type { ExecutionState } from '../../../src/core/execution/execution-state.ts'
import type { Job } from '../../../src/core/job/job.ts'
import type { JobFilter, JobPlace, JobSort, JobTerm, LastExecution } from '../../../src/store/store.ts'
import { every, hour, idOf, jobSpec, minute, nameOf, newExecution, t0 } from '../builders.ts'
import { at } from '../by-hand.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const is = (by: Exclude<JobTerm['by'], 'next'>, ...values: string[]): JobTerm => ({
  by,
  values,
  negated: false,
})
const not = (term: JobTerm): JobTerm => ({ ...term, negated: true })

/** Few different values, so that many jobs are equal in each: one job for each row. */
const shapes = fc.array(
  fc.record({
    due: fc.constantFrom<(number | null)[]>(null, 10, 20),
    state: fc.constantFrom('active', 'paused', 'completed', 'error', 'disabled', 'cancelled'),
    last: fc.constantFrom<(ExecutionState | null)[]>(
      null,
      'running',
      'pending',
      'completed',
      'failed',
      'cancelled',
    ),
    startedAt: fc.constantFrom<(number | null)[]>(null, 5, 6),
    scheduled: fc.boolean(),
    ahead: fc.nat(3),
  }),
  { minLength: 12, maxLength: 16 },
)
/** When it is asked: what is ready by then waits no more. */
const now = at(7)
type Shape = typeof shapes extends fc.Arbitrary<(infer One)[]> ? One : never

async function fill({ hand, store, sql }: Bench, rows: readonly Shape[], prefix: string): Promise<void> {
  for (const [index, { due, state, last, startedAt, scheduled, ahead }] of rows.entries()) {
    const name = `${prefix}${String(index).padStart(2, '0')}`
    await hand.create(name, jobSpec({ schedule: scheduled ? every(10_000) : null, tags: [prefix] }))
    if (last !== null) {
      await store.work.enqueueExecutions([
        newExecution(`${name}-old`, name),
        newExecution(`${name}-new`, name),
      ])
      await sql(
        `UPDATE @job_executions SET state = '${last}', leased_until = ${last === 'running' ? t0 : 'NULL'}, started_at = ${startedAt === null ? 'NULL' : at(startedAt)} WHERE id = '${idOf(`${name}-new`)}'`,
      )
    }
    await store.work.enqueueExecutions(
      Array.from({ length: ahead }, (_, n) => newExecution(`${name}-${n}`, name, { readyAt: at(7 + n) })),
    )
    await sql(
      `UPDATE @jobs SET state = '${state}', next_due_at = ${due === null ? 'NULL' : at(due)} WHERE id = '${idOf(`job-${name}`)}'`,
    )
  }
}

/** All pages of a list, one after the other. */
async function walk(
  { store }: Bench,
  filter: JobFilter,
  sort: JobSort,
  descending: boolean,
  limit: number,
): Promise<string[]> {
  const names: string[] = []
  let after: JobPlace | undefined
  for (;;) {
    const page = await store.jobs.pageJobs({
      ...filter,
      sort,
      descending,
      limit,
      ...(after === undefined ? {} : { after }),
    })
    names.push(...page.map(({ job }) => job.name))
    after = page.at(-1)?.place
    if (page.length < limit || after === undefined) return names
  }
}

async function lastOf({ store }: Bench, jobs: readonly Job[]): Promise<Map<string, LastExecution>> {
  const ids = jobs.map(({ id }) => id)
  return new Map(
    (await store.executions.lastExecutions(ids, now)).map((last) => [last.execution.jobId, last]),
  )
}

export function describeLists(open: OpenStoreUnderTest): void {
  describe('lists', () => {
    test(
      'in every order, the pages hold every job once, equals and those without a value too',
      withStore(open, async (bench) => {
        let run = 0
        await fc.assert(
          fc.asyncProperty(shapes, fc.integer({ min: 1, max: 5 }), async (rows, limit) => {
            run += 1
            const prefix = `p${run}-`
            await fill(bench, rows, prefix)
            const { store } = bench
            const jobs = await store.jobs.listJobs({ tag: prefix, limit: 100 })
            const last = await lastOf(bench, jobs)
            const valueOf: Readonly<Record<JobSort, (job: (typeof jobs)[number]) => string | number | null>> =
              {
                name: ({ name }) => name,
                createdAt: ({ id }) => id,
                nextRunAt: ({ state, nextDueAt }) => (state === 'active' ? nextDueAt : null),
                lastRunAt: ({ id }) => last.get(id)?.startedAt ?? null,
                status: (job) => jobView(job, last.get(job.id) ?? null, now).status,
              }
            for (const sort of Object.keys(valueOf) as JobSort[]) {
              for (const descending of [false, true]) {
                const way = descending ? -1 : 1
                const compare = (a: string | number, b: string | number) => (a === b ? 0 : a < b ? -way : way)
                const expected = jobs.toSorted((a, b) => {
                  const [one, other] = [valueOf[sort](a), valueOf[sort](b)]
                  if (one !== null && other !== null) return compare(one, other) || compare(a.id, b.id)
                  return one === other ? compare(a.id, b.id) : one === null ? 1 : -1
                })
                const found = await walk(bench, { terms: [is('tag', prefix)], now }, sort, descending, limit)
                expect([sort, descending, found]).toEqual([
                  sort,
                  descending,
                  expected.map(({ name }) => name),
                ])
              }
            }
          }),
          { numRuns: 6 },
        )
      }),
    )

    test(
      'a status is found in the words that a view has for it',
      withStore(open, async (bench) => {
        const states = ['active', 'paused', 'completed', 'error', 'disabled', 'cancelled'] as const
        const lasts = [
          null,
          'running',
          'pending',
          'retrying',
          'blocked',
          'completed',
          'failed',
          'cancelled',
        ] as const
        const rows = states.flatMap((state) =>
          lasts.flatMap((last) =>
            [true, false].flatMap((scheduled) =>
              [0, 2].map((ahead) => ({ due: null, state, last, startedAt: null, scheduled, ahead })),
            ),
          ),
        )
        await fill(bench, rows, 's')
        const { store } = bench
        const jobs = await store.jobs.listJobs({ limit: 200 })
        const last = await lastOf(bench, jobs)
        const statuses = Map.groupBy(jobs, (job) => jobView(job, last.get(job.id) ?? null, now).status)
        expect(statuses.size).toBe(7)
        for (const [status, ofIt] of statuses) {
          const names = ofIt.map(({ name }) => name)
          expect(await store.jobs.matchingNames({ terms: [is('status', status)], now }, 200)).toEqual(names)
          expect(await store.jobs.countMatches({ terms: [not(is('status', status))], now }, 200)).toBe(
            192 - names.length,
          )
        }
      }),
    )

    test(
      'the last execution is the newest that does not wait for a later instant, and the last run the newest begun',
      withStore(open, async ({ hand, store, sql }) => {
        const ask = async (when: number) => {
          const [last] = await store.executions.lastExecutions([idOf('job-a')], when)
          return last && [nameOf(last.execution.id), last.newestState, last.startedAt]
        }
        const names = async (when: number, ...terms: JobTerm[]) =>
          await store.jobs.matchingNames({ terms, now: when }, 10)
        await hand.create('a', jobSpec({ schedule: null }))
        expect(await ask(at(1))).toBeUndefined()
        await store.work.enqueueExecutions([newExecution('first', 'a', { readyAt: at(5) })])
        expect(await ask(at(1))).toEqual(['first', 'pending', null])
        await sql(
          `UPDATE @job_executions SET state = 'failed', started_at = ${at(5)} WHERE id = '${idOf('first')}'`,
        )
        await store.work.enqueueExecutions([newExecution('later', 'a', { readyAt: at(20) })])
        expect(await ask(at(10))).toEqual(['first', 'pending', at(5)])
        expect(await names(at(10), is('last', 'failed'))).toEqual(['a'])
        expect(await names(at(10), is('last', 'pending'))).toEqual([])
        // It is ready, and waits for a worker: what ran last is still the one before.
        expect(await ask(at(20))).toEqual(['later', 'pending', at(5)])
        expect(await names(at(20), is('last', 'pending'))).toEqual(['a'])
        expect(await names(at(20), is('last', 'failed'))).toEqual([])
        const [{ place } = { place: null }] = await store.jobs.pageJobs({
          terms: [],
          now: at(20),
          sort: 'lastRunAt',
          descending: true,
          limit: 1,
        })
        expect(place).toEqual({ id: idOf('job-a'), value: at(5) })
      }),
    )

    test(
      'behind very many that wait nobody looks for the last: it is the newest, in a view as in a list',
      withStore(open, async ({ hand, store, sql }) => {
        await hand.create('a', jobSpec({ schedule: null }))
        await store.work.enqueueExecutions([newExecution('ran', 'a')])
        await sql(
          `UPDATE @job_executions SET state = 'completed', started_at = ${at(0)} WHERE id = '${idOf('ran')}'`,
        )
        for (let waiting = 0; waiting < 9; waiting += 1) {
          const found = await store.executions.lastExecutions([idOf('job-a')], at(1))
          const seen = found.map(({ execution }) => execution.state)
          expect(seen).toEqual([waiting < 8 ? 'completed' : 'pending'])
          expect(await store.jobs.matchingNames({ terms: [is('last', ...seen)], now: at(1) }, 10)).toEqual([
            'a',
          ])
          await store.work.enqueueExecutions([newExecution(`w${waiting}`, 'a', { readyAt: at(60) })])
        }
      }),
    )

    test(
      'of each job the definition that its manager wrote last is told, whatever others wrote since',
      withStore(open, async ({ hand, store }) => {
        const edit = async (name: string, priority: number, actor: string) => {
          const context = { now: at(priority), actor }
          await store.jobs.changeJob(name, { kind: 'edit', spec: jobSpec({ priority }) }, context)
        }
        for (const name of ['a', 'b', 'c']) await hand.create(name)
        await edit('a', 1, 'code')
        await edit('a', 2, 'ann')
        await edit('b', 3, 'ann')
        const managed = await store.jobs.managedSpecs([
          idOf('job-a'),
          idOf('job-b'),
          idOf('job-c'),
          idOf('nobody'),
        ])
        expect(Object.fromEntries(managed.map(({ jobId, spec }) => [jobId, spec.priority]))).toEqual({
          [idOf('job-a')]: 1,
          [idOf('job-b')]: 0,
          [idOf('job-c')]: 0,
        })
      }),
    )

    test(
      'jobs are found by each of their sides, by any of several values, and by none of them',
      withStore(open, async ({ hand, store, sql }) => {
        await hand.create('a', jobSpec({ tags: ['x', 'y', 'x'], queue: 'slow' }))
        await hand.create(
          'b',
          jobSpec({
            tags: ['y'],
            schedule: { kind: 'cron', cron: '0 9 * * *', timezone: 'Europe/Madrid' },
            handler: { type: 'function', name: 'other' },
          }),
        )
        await hand.create('c-File', jobSpec({ schedule: null }))
        await sql(`UPDATE @jobs SET managed_by = 'file:jobs.json' WHERE name = 'c-File'`)
        await store.work.enqueueExecutions([newExecution('e1', 'a'), newExecution('e2', 'c-File')])
        await sql(`UPDATE @job_executions SET state = 'failed' WHERE id = '${idOf('e1')}'`)
        await sql(
          `UPDATE @job_executions SET state = 'completed', account = 'caught_up' WHERE id = '${idOf('e2')}'`,
        )
        const names = async (...terms: JobTerm[]) =>
          (await store.jobs.matchingNames({ terms, now }, 10)).join(' ')
        expect(await names(is('tag', 'x'))).toBe('a')
        expect(await names(is('tag', 'x', 'y'))).toBe('a b')
        expect(await names(is('tag', 'y'), not(is('tag', 'x')))).toBe('b')
        expect(await names(is('queue', 'slow'))).toBe('a')
        expect(await names(is('handler', 'other'))).toBe('b')
        expect(await names(is('zone', 'Europe/Madrid'))).toBe('b')
        expect(await names(is('zone', 'UTC'))).toBe('a c-File')
        expect(await names(is('schedule', 'none', 'cron'))).toBe('b c-File')
        expect(await names(is('managed', 'file'))).toBe('c-File')
        expect(await names(is('managed', 'file:jobs.json', 'code'))).toBe('a b c-File')
        expect(await names(is('managed', 'fil_'))).toBe('')
        expect(await names(is('last', 'failed'))).toBe('a')
        expect(await names(is('last', 'never'))).toBe('b')
        expect(await names(is('last', 'late', 'never'))).toBe('b c-File')
        expect(await names(not(is('last', 'failed')))).toBe('b c-File')
        expect(await names({ by: 'next', from: null, to: at(3_600), negated: false })).toBe('a')
        expect(await names({ by: 'next', from: at(3_600), to: null, negated: false })).toBe('b')
        expect(await names({ by: 'next', from: null, to: null, negated: true })).toBe('c-File')
        expect(await store.jobs.matchingNames({ terms: [], search: 'FILE', now }, 10)).toEqual(['c-File'])
        expect(await store.jobs.countMatches({ terms: [], now }, 2)).toBe(2)
        expect(await store.jobs.countTags(10)).toEqual([
          { tag: 'y', jobs: 2 },
          { tag: 'x', jobs: 1 },
        ])
      }),
    )

    test(
      'tags follow the definition, and go with the job',
      withStore(open, async ({ hand, store, sql }) => {
        await hand.create('a', jobSpec({ schedule: null, tags: ['x', 'y'] }))
        await hand.change('a', { kind: 'edit', spec: jobSpec({ schedule: null, tags: ['y', 'z'] }) }, at(1))
        expect((await store.jobs.countTags(10)).map(({ tag }) => tag)).toEqual(['y', 'z'])
        await hand.change('a', { kind: 'delete' }, at(2))
        expect(await store.jobs.countTags(10)).toEqual([])
        expect(await store.jobs.matchingNames({ terms: [is('tag', 'y')], now }, 10)).toEqual([])
        await store.ticks.purgeHistory({ now: at(90 * 86_400), jobs: 100, afterJobId: null })
        expect(await sql('SELECT tag FROM @job_tags')).toEqual([])
      }),
    )

    test(
      'executions are found by each of their sides, newest or oldest first',
      withStore(open, async ({ hand, store, sql }) => {
        await hand.create('a', jobSpec({ schedule: null }))
        await hand.create('b', jobSpec({ schedule: null }))
        for (const [index, job] of ['a', 'b', 'a', 'b', 'a'].entries()) {
          await store.work.enqueueExecutions([
            newExecution(`e${index}`, job, {
              createdAt: t0 + index * 30 * minute,
            }),
          ])
        }
        await sql(
          `UPDATE @job_executions SET leased_by = 'n1', account = 'fired', state = 'failed' WHERE id = '${idOf('e1')}'`,
        )
        await sql(`UPDATE @job_executions SET cause = 'manual' WHERE id = '${idOf('e2')}'`)
        const ids = async (query: object) =>
          (await store.executions.listExecutions({ limit: 10, ...query }))
            .map(({ id }) => nameOf(id))
            .join(' ')
        const term = (by: string, ...values: string[]) => ({ terms: [{ by, values, negated: false }] })
        expect(await ids({ oldestFirst: true, limit: 2 })).toBe('e0 e1')
        expect(await ids({ oldestFirst: true, afterId: idOf('e3') })).toBe('e4')
        expect(await ids(term('job', 'a', idOf('job-b')))).toBe('e4 e3 e2 e1 e0')
        expect(await ids(term('job', 'nobody'))).toBe('')
        expect(await ids(term('cause', 'manual'))).toBe('e2')
        expect(await ids(term('node', 'n1'))).toBe('e1')
        expect(await ids(term('account', 'fired'))).toBe('e1')
        expect(await ids({ terms: [{ by: 'state', values: ['failed'], negated: true }] })).toBe('e4 e3 e2 e0')
        expect(await ids({ from: t0 + 30 * minute, to: t0 + 90 * minute })).toBe('e2 e1')
        await sql(`UPDATE @job_executions SET finished_at = ? WHERE id = '${idOf('e1')}'`, t0 + 2 * hour)
        await sql(`UPDATE @job_executions SET finished_at = ? WHERE id = '${idOf('e0')}'`, t0 + hour)
        expect(await ids({ ended: t0 + hour })).toBe('e1 e0')
        expect(await ids({ ended: t0 + hour + 1 })).toBe('e1')
      }),
    )
  })
}
