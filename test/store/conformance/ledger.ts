/** Explain and audit: the account of every tick, and the proof that none is missing. */
import { describe, expect, test } from 'vitest'
import { by, every, idOf, jobSpec, newExecution, second, t0 } from '../builders.ts'
import { at, seconds } from '../by-hand.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

/** Ticks 10 (fired), 20-40 (skipped), 50 (fired) of a job every 10 s. */
async function fiveTicks({ hand }: Bench): Promise<void> {
  await hand.work()
  const led = await hand.lead()
  await hand.create('a', jobSpec({ overlap: 'allow', catchUp: { policy: 'none' } }))
  await hand.account(led, at(10))
  await hand.account(led, at(51))
}

async function explained({ store }: Bench, from = t0, to = at(61)): Promise<string[]> {
  const { ticks } = await store.ticks.explainSpan('a', from, to, 100, at(51))
  return ticks.map(({ tickAt, verdict, reason }) => [seconds(tickAt), verdict, reason ?? ''].join(' ').trim())
}

const madrid = { kind: 'cron', cron: '*/10 * * * * *', timezone: 'Europe/Madrid' } as const

export function describeLedger(open: OpenStoreUnderTest): void {
  describe('explain and audit', () => {
    test(
      'every tick of a span says what became of it and why',
      withStore(open, async (bench) => {
        await fiveTicks(bench)
        expect(await explained(bench)).toEqual([
          '10 fired',
          '20 skipped catchup_off',
          '30 skipped catchup_off',
          '40 skipped catchup_off',
          '50 fired',
          '60 upcoming',
        ])
        expect(await explained(bench, at(25), at(45))).toEqual([
          '30 skipped catchup_off',
          '40 skipped catchup_off',
        ])
        const { truncated, unaccounted } = await bench.store.ticks.explainSpan('a', t0, at(61), 2, at(51))
        expect({ truncated, unaccounted }).toEqual({ truncated: true, unaccounted: 0 })
        await bench.hand.pause('a', at(55))
        const { ticks } = await bench.store.ticks.explainSpan('a', at(60), at(61), 10, at(70))
        expect(ticks).toMatchObject([{ verdict: 'undecided' }])
        await expect(bench.store.ticks.explainSpan('b', t0, at(1), 1, t0)).rejects.toMatchObject({
          code: 'job_not_found',
        })
      }),
    )

    test(
      'a fired row deleted behind its back is reported exactly, by both',
      withStore(open, async (bench) => {
        await fiveTicks(bench)
        await bench.sql('DELETE FROM @job_executions WHERE tick_at = ?', at(50))
        const report = await bench.store.ticks.auditLedger({})
        expect(report).toMatchObject({ unaccounted: 1, doubled: 0 })
        expect(report.findings).toEqual([
          { kind: 'unaccounted', job: 'a', at: at(50), until: at(50), count: 1 },
        ])
        expect((await explained(bench))[4]).toBe('50 unaccounted')
        expect(await bench.store.ticks.explainSpan('a', t0, at(61), 0, at(51))).toMatchObject({
          unaccounted: 1,
        })
      }),
    )

    test(
      'a range deleted behind its back is reported exactly, by both',
      withStore(open, async (bench) => {
        await fiveTicks(bench)
        await bench.sql('DELETE FROM @tick_ranges')
        const { findings } = await bench.store.ticks.auditLedger({})
        expect(findings).toEqual([{ kind: 'unaccounted', job: 'a', at: at(20), until: at(40), count: 3 }])
        expect(await bench.store.ticks.explainSpan('a', t0, at(61), 0, at(51))).toMatchObject({
          unaccounted: 3,
        })
        expect((await explained(bench)).filter((line) => line.endsWith('unaccounted'))).toHaveLength(3)
      }),
    )

    test(
      'a doubled and a foreign tick are found',
      withStore(open, async (bench) => {
        await fiveTicks(bench)
        const insert = `INSERT INTO @tick_ranges (job_id, from_at, to_at, count, account, reason, revision, tz_version, created_at)
          VALUES ('${idOf('job-a')}', ?, ?, 1, 'skipped', 'paused', 1, 'a', 0)`
        await bench.sql(insert, at(10), at(10))
        await bench.sql(insert, at(15), at(15))
        const report = await bench.store.ticks.auditLedger({})
        expect(report).toMatchObject({ unaccounted: 0, doubled: 2 })
        expect(report.findings.map(({ kind, at: instant }) => `${seconds(instant)} ${kind}`)).toEqual([
          '10 doubled',
          '15 foreign',
        ])
      }),
    )

    test(
      'two accounts of one tick cannot be written: the key refuses the second',
      withStore(open, async (bench) => {
        await fiveTicks(bench)
        await expect(
          bench.sql('UPDATE @job_executions SET tick_at = ? WHERE tick_at = ?', at(10), at(50)),
        ).rejects.toThrow(/unique|duplicate/i)
      }),
    )

    test(
      'a cursor that went back makes no second execution of a tick, also where the first has finished',
      withStore(open, async ({ hand, store, sql }) => {
        const led = await hand.lead()
        await hand.work()
        const { id } = await hand.create('a', jobSpec({ overlap: 'allow' }))
        await hand.account(led, at(10))
        await hand.finish(await hand.claimOne(at(10)), at(11))
        await sql('UPDATE @jobs SET accounted_until = ?, next_due_at = ?', at(10), at(10))
        await expect(hand.account(led, at(12))).rejects.toThrow(/unique|duplicate|accounted for its tick/i)
        const executions = await store.executions.listExecutions({ job: id, limit: 10 })
        expect(executions.map(({ state }) => state)).toEqual(['completed'])
      }),
    )

    test(
      'under other time zone data agreement is proof, and a difference is unverifiable, not wrong',
      withStore(open, async ({ hand, store, sql }) => {
        const led = await hand.lead()
        await hand.create('a', jobSpec({ schedule: madrid, overlap: 'allow' }))
        await hand.account(led, at(10))
        await sql(`UPDATE @job_revisions SET tz_version = '1999z'`)
        const proof = { ticks: 1, unaccounted: 0, doubled: 0 }
        expect(await store.ticks.auditLedger({})).toMatchObject({ ...proof, unverifiable: 0 })
        await sql('UPDATE @jobs SET accounted_until = ?', at(30))
        expect(await store.ticks.auditLedger({})).toMatchObject({ ...proof, ticks: 2, unverifiable: 1 })
      }),
    )

    test(
      'the first account under new time zone data begins a span, which is proved again',
      withStore(open, async ({ hand, store, sql }) => {
        const led = await hand.lead()
        await hand.create('a', jobSpec({ schedule: madrid, overlap: 'allow' }))
        await hand.account(led, at(10))
        await sql(`UPDATE @job_revisions SET tz_version = '1999z'`)
        await sql(`UPDATE @jobs SET tz_version = '1999z'`)
        await sql('DELETE FROM @job_executions WHERE tick_at = ?', at(10))
        for (const tick of [20, 30, 40]) await hand.account(led, at(tick))
        expect(await sql('SELECT job_id, from_at FROM @zone_spans')).toEqual([
          { job_id: idOf('job-a'), from_at: at(10) + 1 },
        ])
        await sql('DELETE FROM @job_executions WHERE tick_at = ?', at(30))
        const { unaccounted, unverifiable, findings } = await store.ticks.auditLedger({})
        expect({ unaccounted, unverifiable }).toEqual({ unaccounted: 1, unverifiable: 1 })
        expect(findings).toMatchObject([{ kind: 'unaccounted', at: at(30) }])
      }),
    )

    test(
      'the proof covers every job in slices, and says how far it is',
      withStore(open, async ({ hand, store }) => {
        const led = await hand.lead()
        for (let n = 0; n < 250; n += 1) {
          await hand.create(`j${n}`, jobSpec({ schedule: every(10 * second), overlap: 'allow' }))
        }
        await hand.account(led, at(10))
        const progress: string[] = []
        const report = await store.ticks.auditLedger({
          onProgress: (done, of) => progress.push(`${done}/${of}`),
        })
        expect(report).toMatchObject({ jobs: 250, ticks: 250, executions: 250, unaccounted: 0 })
        expect(progress).toEqual(['200/250', '250/250'])
      }),
    )
  })

  describe('reading', () => {
    test(
      'jobs are found by id or name, and listed by state, tag and text',
      withStore(open, async ({ hand, store }) => {
        await hand.create('mail-daily', jobSpec({ tags: ['mail', 'a"b'] }))
        await hand.create('mail_weekly', jobSpec({ tags: ['mailing'] }))
        await hand.pause('mail_weekly', at(1))
        const names = async (query: object) =>
          (await store.jobs.listJobs({ limit: 10, ...query })).map(({ name }) => name)
        expect(await store.jobs.findJob(idOf('job-mail-daily'))).toMatchObject({ name: 'mail-daily' })
        expect(await store.jobs.findJob('nobody')).toBeNull()
        expect(await names({})).toEqual(['mail-daily', 'mail_weekly'])
        expect(await names({ state: 'paused' })).toEqual(['mail_weekly'])
        expect(await names({ tag: 'mail' })).toEqual(['mail-daily'])
        expect(await names({ tag: 'a"b' })).toEqual(['mail-daily'])
        expect(await names({ search: 'l_w' })).toEqual(['mail_weekly'])
        expect(await names({ search: '%' })).toEqual([])
        expect(await names({ afterName: 'mail-daily' })).toEqual(['mail_weekly'])
        expect(await store.jobs.countJobs()).toEqual({ active: 1, paused: 1 })
      }),
    )

    test.for(['e1', '', 'job-a', `${idOf('e1')}0`, 'a\0b', '%', 'x'.repeat(300)])(
      'what cannot be an id finds nothing: %j',
      async (reference) =>
        await withStore(open, async ({ hand, store }) => {
          const missing = { code: 'execution_not_found', message: `There is no execution ${reference}.` }
          await hand.create('a', jobSpec({ schedule: null }))
          await store.work.enqueueExecutions([newExecution('e1', 'a')])
          expect(await store.jobs.findJob(reference)).toBeNull()
          expect(await store.executions.findExecution(reference)).toBeNull()
          expect(await store.executions.listAttempts(reference)).toEqual([])
          expect(await store.executions.listLogs(reference)).toEqual([])
          expect(await store.executions.listExecutions({ job: reference, limit: 9 })).toEqual([])
          expect(await store.executions.listExecutions({ afterId: reference, limit: 9 })).toEqual([])
          expect(await store.compat.listRuns({ job: reference, tags: [], limit: 9 })).toEqual([])
          expect(await store.compat.purgeJob(reference, 0, at(9))).toBe(0)
          await expect(store.executions.cancelExecution(reference, by(t0))).rejects.toMatchObject(missing)
          await expect(
            store.executions.retryExecution(reference, { id: idOf('e2'), fromStep: null }, by(t0)),
          ).rejects.toMatchObject(missing)
          await expect(hand.change(reference, { kind: 'pause' }, t0)).rejects.toMatchObject({
            code: 'job_not_found',
          })
        })(),
    )

    test(
      'an id is the same in capital letters, and is written as it was made',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        const { id: jobId } = await hand.create('a', jobSpec({ schedule: null, tags: ['x'] }))
        await store.work.enqueueExecutions([newExecution('one', 'a')])
        const id = idOf('one')
        const capital = id.toUpperCase()
        expect(capital).not.toBe(id)
        expect(await store.jobs.findJob(jobId.toUpperCase())).toMatchObject({ id: jobId })
        expect(await store.executions.findExecution(capital)).toMatchObject({ id })
        expect(await store.executions.listExecutions({ job: jobId.toUpperCase(), limit: 9 })).toHaveLength(1)
        const line = { executionId: id, at: t0, level: 'info', message: 'hello' } as const
        await store.work.appendLogs([line])
        expect(await store.executions.listLogs(capital)).toEqual([line])
        expect(await store.executions.cancelExecution(capital, by(t0))).toMatchObject({ id })
        const runs = await store.compat.listRuns({ job: jobId.toUpperCase(), tags: ['x'], limit: 9 })
        expect(runs).toMatchObject([{ execution: { id } }])
        expect(
          await store.executions.retryExecution(capital, { id: idOf('two'), fromStep: null }, by(t0)),
        ).toMatchObject({
          id: idOf('two'),
          retryOf: id,
        })
        const written = await store.audit.listAuditLog({ subject: id, limit: 9 })
        expect(written.map(({ action }) => action).toSorted()).toEqual([
          'execution.cancel',
          'execution.retry',
        ])
      }),
    )

    test(
      'what changed since an instant is told, deleted jobs too; so is the newest execution of each',
      withStore(open, async ({ hand, store }) => {
        for (const name of ['a', 'b', 'c']) await hand.create(name, jobSpec({ schedule: null }))
        await hand.change('b', { kind: 'edit', spec: jobSpec({ schedule: null, priority: 1 }) }, at(5))
        await hand.change('a', { kind: 'delete' }, at(6))
        const marks = await store.jobs.jobsChangedSince(at(5))
        expect(marks.map(({ name, revision, deleted }) => [name, revision, deleted])).toEqual([
          ['b', 2, false],
          ['a', 1, true],
        ])
        await store.work.enqueueExecutions(['e1', 'e2'].map((id) => newExecution(id, 'b')))
        const last = await store.executions.lastExecutions(
          [idOf('job-b'), idOf('job-c'), idOf('nobody')],
          at(7),
        )
        expect(last.map(({ execution }) => execution.id)).toEqual([idOf('e2')])
      }),
    )

    test(
      'executions are listed newest first, page by page, and counted by state',
      withStore(open, async ({ hand, store }) => {
        await hand.work()
        await hand.create('a', jobSpec({ schedule: null }))
        await hand.create('b', jobSpec({ schedule: null }))
        const drafts = ['e1', 'e2', 'e3'].map((id) => newExecution(id, 'a'))
        await store.work.enqueueExecutions([...drafts, newExecution('e4', 'b', { queue: 'slow' })])
        await store.executions.cancelExecution(idOf('e2'), by(t0))
        const ids = async (query: object) =>
          (await store.executions.listExecutions({ limit: 10, ...query })).map(({ id }) => id)
        expect(await ids({})).toEqual([idOf('e4'), idOf('e3'), idOf('e2'), idOf('e1')])
        expect(await ids({ job: 'a', limit: 2 })).toEqual([idOf('e3'), idOf('e2')])
        expect(await ids({ job: idOf('job-a'), afterId: idOf('e2') })).toEqual([idOf('e1')])
        expect(await ids({ state: 'cancelled' })).toEqual([idOf('e2')])
        expect(await ids({ queue: 'slow' })).toEqual([idOf('e4')])
        expect(await store.executions.countExecutions()).toEqual({ pending: 3, cancelled: 1 })
        expect(await store.executions.findExecution(idOf('e9'))).toBeNull()
      }),
    )
  })
}
