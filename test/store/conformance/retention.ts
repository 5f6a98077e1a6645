/** What may go, by the retention of executions and by that of the ledger; totals + ledger stay all ticks. */
import { describe, expect, test } from 'vitest'
import { by, day, every, hour, idOf, jobSpec, minute, newExecution, second, t0 } from '../builders.ts'
import { at } from '../by-hand.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

async function totals({ sql }: Bench): Promise<string[]> {
  const rows = await sql('SELECT account, reason, count FROM @ledger_totals ORDER BY account, reason')
  return rows.map((row) => `${row['account']} ${row['reason']} x${row['count']}`.replace('  ', ' '))
}

async function purge({ store }: Bench, now: number) {
  return await store.ticks.purgeHistory({ afterJobId: null, jobs: 100, now })
}

export function describeRetention(open: OpenStoreUnderTest): void {
  describe('retention', () => {
    test(
      'executions are kept that are among the newest or young enough, whichever keeps more',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        const led = await hand.lead()
        await hand.create('few', jobSpec({ retention: { executions: 2, ageMs: 25 * second } }))
        await hand.create('many', jobSpec({ retention: { executions: 4, ageMs: 25 * second } }))
        for (const tick of [10, 20, 30, 40, 50]) {
          await hand.account(led, at(tick))
          await hand.drain(at(tick))
        }
        expect(await purge(bench, at(51))).toMatchObject({ executions: 3, ranges: 0, lastJobId: null })
        expect(await hand.ledger('few')).toEqual([
          '10-20 fired completed x2',
          '30 fired',
          '40 fired',
          '50 fired',
        ])
        expect(await hand.ledger('many')).toEqual([
          '10 fired completed x1',
          '20 fired',
          '30 fired',
          '40 fired',
          '50 fired',
        ])
        expect(await purge(bench, at(51))).toMatchObject({ executions: 0 })
      }),
    )

    test(
      'failures stay longer where that is asked for, and unfinished work and the last execution always',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        const led = await hand.lead()
        const retention = { executions: 1, ageMs: 0, failedMs: day }
        await hand.create('a', jobSpec({ overlap: 'allow', retention }))
        const ended = [
          { state: 'failed', error: { name: 'Error', message: 'no' } },
          { state: 'completed', result: null },
          null,
          { state: 'completed', result: null },
          { state: 'completed', result: null },
        ] as const
        for (const [index, ending] of ended.entries()) {
          const now = at((index + 1) * 10)
          await hand.account(led, now)
          const claim = await hand.claimOne(now)
          if (ending !== null) await hand.finish(claim, now, ending)
        }
        await purge(bench, at(60))
        expect(await hand.states('a')).toEqual(['schedule failed', 'schedule running', 'schedule completed'])
        // The kept ones cut what is folded.
        expect(await hand.ledger('a')).toEqual([
          '10 fired',
          '20 fired completed x1',
          '30 fired',
          '40 fired completed x1',
          '50 fired',
        ])
        await purge(bench, t0 + 2 * day)
        expect(await hand.states('a')).toEqual(['schedule running', 'schedule completed'])
        expect((await hand.ledger('a')).slice(0, 2)).toEqual(['10 fired failed x1', '20 fired completed x1'])
        expect(await totals(bench)).toEqual([])
        expect(await store.ticks.auditLedger({})).toMatchObject({ ticks: 5, unaccounted: 0, doubled: 0 })
      }),
    )

    test(
      'the ledger goes by its own age, to the start of a row, and what it passes is in the totals',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        const led = await hand.lead()
        const retention = { executions: 1, ageMs: 0, ledgerMs: hour }
        await hand.create('a', jobSpec({ schedule: every(minute), retention, catchUp: { policy: 'none' } }))
        await hand.account(led, t0 + minute)
        await hand.drain(t0 + minute)
        await hand.account(led, t0 + 2 * hour)
        await hand.drain(t0 + 2 * hour)
        // The line is at 1 h; the range runs from minute 2 to minute 119.
        expect(await purge(bench, t0 + 2 * hour)).toMatchObject({ executions: 1, ranges: 1 })
        expect((await hand.job('a')).ledgerFrom).toBe(t0 + 2 * minute)
        expect(await totals(bench)).toEqual(['fired x1'])
        expect(await store.ticks.auditLedger({})).toMatchObject({ ticks: 119, unaccounted: 0 })
        expect(await purge(bench, t0 + 4 * hour)).toMatchObject({ executions: 0, ranges: 1 })
        expect(await totals(bench)).toEqual(['fired x1', 'skipped catchup_off x118'])
        expect(await store.ticks.auditLedger({})).toMatchObject({ ticks: 1, unaccounted: 0 })
        const { ticks } = await store.ticks.explainSpan('a', t0, t0 + 3 * minute, 9, t0 + 4 * hour)
        expect(ticks.map(({ verdict }) => verdict)).toEqual(['purged', 'purged'])
      }),
    )

    test(
      'ticks accounted ahead are not passed: they may still be taken back',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        const led = await hand.lead()
        const spec = jobSpec({
          schedule: every(second),
          overlap: 'allow',
          retention: { executions: 1, ageMs: 0, ledgerMs: 0 },
        })
        await hand.create('a', spec)
        await hand.account(led, t0, { aheadMs: 3 * second })
        await purge(bench, t0)
        await hand.pause('a', t0)
        expect(await totals(bench)).toEqual([])
        await hand.resume('a', at(3))
        expect(await hand.ledger('a')).toEqual(['1-3 skipped paused x3'])
        expect(await store.ticks.auditLedger({})).toMatchObject({ ticks: 3, unaccounted: 0 })
      }),
    )

    test(
      'what has no tick goes by count and age, with its attempts and log lines',
      withStore(open, async (bench) => {
        const { hand, store, sql } = bench
        await hand.work()
        await hand.create('a', jobSpec({ schedule: null, retention: { executions: 2, ageMs: 0 } }))
        for (const name of ['e1', 'e2', 'e3', 'e4']) {
          await store.work.enqueueExecutions([newExecution(name, 'a')])
          const claim = await hand.claimOne(at(0))
          await store.work.appendLogs([{ executionId: claim.id, at: t0, level: 'info', message: 'x' }])
          await hand.finish(claim, at(1), { state: 'cancelled', reason: 'handler', error: null })
        }
        expect(await purge(bench, at(2))).toMatchObject({ executions: 2 })
        expect((await hand.executions('a')).map(({ id }) => id)).toEqual([idOf('e3'), idOf('e4')])
        for (const table of ['attempts', 'execution_logs']) {
          expect(await sql(`SELECT execution_id FROM @${table} ORDER BY execution_id`)).toEqual([
            { execution_id: idOf('e3') },
            { execution_id: idOf('e4') },
          ])
        }
      }),
    )

    test(
      'a deleted job is forgotten once it is old enough, not before, and not while it runs',
      withStore(open, async (bench) => {
        const { hand, store, sql } = bench
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', jobSpec({ retention: { ageMs: day }, catchUp: { policy: 'none' } }))
        await hand.account(led, at(100))
        const claim = await hand.claimOne(at(100))
        await store.jobs.changeJob('a', { kind: 'delete' }, by(at(105)))
        await purge(bench, t0 + hour)
        expect(await sql('SELECT name FROM @jobs')).toHaveLength(1)
        await purge(bench, t0 + 2 * day)
        expect(await sql('SELECT name FROM @jobs')).toHaveLength(1)
        await hand.finish(claim, t0 + 2 * day)
        await purge(bench, t0 + 2 * day)
        for (const table of ['jobs', 'job_executions', 'tick_ranges', 'job_revisions', 'ledger_totals']) {
          expect({ [table]: await sql(`SELECT * FROM @${table}`) }).toEqual({ [table]: [] })
        }
      }),
    )

    test(
      'it goes on from job to job',
      withStore(open, async ({ hand, store }) => {
        for (const name of ['a', 'b', 'c']) await hand.create(name)
        const seen: (string | null)[] = []
        let afterJobId: string | null = null
        do {
          const { lastJobId } = await store.ticks.purgeHistory({ afterJobId, jobs: 2, now: t0 + second })
          seen.push(lastJobId)
          afterJobId = lastJobId
        } while (afterJobId !== null)
        expect(seen).toEqual([idOf('job-b'), null])
      }),
    )
  })
}
