/** What becomes of the account of a tick when its execution goes: the ledger outlives the history. */
import { describe, expect, test } from 'vitest'
import type { Ending } from '../../../src/core/attempt/outcome.ts'
import type { JobSpec } from '../../../src/core/job/job.ts'
import { by, day, every, hour, idOf, jobSpec, minute, second, t0 } from '../builders.ts'
import { at, seconds } from '../by-hand.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const completed: Ending = { state: 'completed', result: null }
const failed: Ending = { state: 'failed', error: { name: 'Error', message: 'no' } }
const gone = { executions: 1, ageMs: 0 }

async function purge({ store }: Bench, now: number) {
  return await store.ticks.purgeHistory({ afterJobId: null, jobs: 100, now })
}

/** A job whose ticks until `now` are all caught up, each with the ending that its place gives it. */
async function caughtUp(bench: Bench, spec: JobSpec, now: number, endings: readonly Ending[]): Promise<void> {
  const { hand, store } = bench
  await hand.work()
  const led = await hand.lead()
  await hand.create('a', spec)
  await hand.account(led, now)
  const claimed: { id: string; fence: number; tick: number }[] = []
  for (let page = await hand.claim(now); page.length > 0; page = await hand.claim(now)) {
    claimed.push(...page.map(({ id, fence, scheduledFor }) => ({ id, fence, tick: scheduledFor })))
  }
  const inOrder = claimed.sort((a, b) => a.tick - b.tick)
  const attempts = inOrder.map(({ id, fence }, index) => ({
    id,
    fence,
    attempt: 1,
    ending: endings[index % endings.length] ?? completed,
    finishedAt: now,
  }))
  await store.work.finishAttempts({ nodeId: 'n1', attempts, now })
}

const all = { policy: 'all', maxMissedRuns: 1_000, graceMs: 0 } as const

export function describeFolded(open: OpenStoreUnderTest): void {
  describe('what is folded', () => {
    test(
      'says how it ended, and that its details are gone',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', jobSpec({ retention: gone, retry: { attempts: 1 } }))
        const endings: Ending[] = [
          completed,
          failed,
          { state: 'cancelled', reason: 'handler', error: null },
          completed,
        ]
        for (const [index, ending] of endings.entries()) {
          const now = at((index + 1) * 10)
          await hand.account(led, now)
          await hand.finish(await hand.claimOne(now), now, ending)
        }
        await purge(bench, at(41))
        const { ticks, ranges, unaccounted } = await store.ticks.explainSpan('a', t0, at(51), 10, at(41))
        expect(unaccounted).toBe(0)
        const told = ticks.map(({ tickAt, verdict, state, folded, cancelReason }) =>
          [seconds(tickAt), verdict, state, folded, cancelReason].join(' '),
        )
        expect(told).toEqual([
          '10 fired completed true ',
          '20 fired failed true ',
          '30 fired cancelled true handler',
          '40 fired completed false ',
          '50 upcoming  false ',
        ])
        expect(ranges.map(({ outcome, count }) => `${outcome} x${count}`)).toEqual([
          'completed x1',
          'failed x1',
          'cancelled x1',
        ])
        expect(await store.ticks.recentTicks([idOf('job-a')], 4)).toMatchObject([
          { from: at(10), account: 'fired', state: 'completed', executionId: null },
          { from: at(20), state: 'failed' },
          { from: at(30), state: 'cancelled' },
          { from: at(40), state: 'completed' },
        ])
      }),
    )

    test(
      'a year of success is a row for each month',
      withStore(open, async (bench) => {
        const spec = jobSpec({ schedule: every(day), overlap: 'allow', retention: gone, catchUp: all })
        const now = t0 + 365 * day + 1
        await caughtUp(bench, spec, now, [completed])
        expect(await purge(bench, now + 1)).toMatchObject({ executions: 364 })
        const { ranges } = await bench.store.ticks.explainSpan('a', t0, now, 0, now)
        expect(ranges).toHaveLength(13)
        expect(ranges.reduce((sum, { count }) => sum + count, 0)).toBe(364)
        const report = await bench.store.ticks.auditLedger({})
        expect(report).toMatchObject({ ticks: 365, ranges: 13, executions: 1, unaccounted: 0, doubled: 0 })
      }),
    )

    test(
      'an hour that varies is packed, and still explained tick by tick',
      withStore(open, async (bench) => {
        const spec = jobSpec({
          schedule: every(minute),
          overlap: 'allow',
          retention: gone,
          catchUp: all,
          retry: { attempts: 1 },
        })
        const now = t0 + 2 * hour + 1
        await caughtUp(bench, spec, now, [completed, failed, failed])
        expect(await purge(bench, now + 1)).toMatchObject({ executions: 119 })
        const [rows] = await bench.sql('SELECT count(*) AS n, sum(count) AS ticks FROM @tick_ranges')
        // Two packed hours, and the two failures at the turn of the hour between them.
        expect({ ...rows }).toEqual({ n: 3, ticks: 119 })
        const { ticks } = await bench.store.ticks.explainSpan(
          'a',
          t0 + 30 * minute,
          t0 + 90 * minute,
          99,
          now,
        )
        const expected = Array.from({ length: 60 }, (_, n) => {
          const minutes = n + 30
          return `${minutes} caught_up ${(minutes - 1) % 3 === 0 ? 'completed' : 'failed'}`
        })
        expect(
          ticks.map(({ tickAt, verdict, state }) => `${(tickAt - t0) / minute} ${verdict} ${state}`),
        ).toEqual(expected)
        expect(await bench.store.ticks.auditLedger({})).toMatchObject({
          ticks: 120,
          unaccounted: 0,
          doubled: 0,
        })
        const { folded } = await bench.store.executions.jobRuns(idOf('job-a'), 10)
        expect(folded).toEqual({ completed: 40, failed: 79, cancelled: 0 })
        const { cells, ranges } = await bench.store.ticks.countTicks(idOf('job-a'), t0, now, hour, second)
        const counted = [...cells, ...ranges].reduce((sum, { count }) => sum + count, 0)
        expect(counted).toBe(120)
      }),
    )

    test(
      'a packed hour is in the totals by what its ticks became once the ledger has passed it',
      withStore(open, async (bench) => {
        const spec = jobSpec({
          schedule: every(minute),
          overlap: 'allow',
          retention: { ...gone, ledgerMs: hour },
          catchUp: all,
          retry: { attempts: 1 },
        })
        const now = t0 + 3 * hour + 1
        await caughtUp(bench, spec, now, [completed, failed])
        await purge(bench, now + 1)
        const [totals] = await bench.sql('SELECT account, count FROM @ledger_totals')
        expect(totals).toEqual({ account: 'caught_up', count: 119 })
        expect(await bench.store.ticks.auditLedger({})).toMatchObject({ ticks: 61, unaccounted: 0 })
      }),
    )

    test(
      'an older loss is still found after its neighbours were folded over it',
      withStore(open, async (bench) => {
        const { hand, store, sql } = bench
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', jobSpec({ retention: gone }))
        for (const tick of [10, 20, 30, 40]) {
          await hand.account(led, at(tick))
          await hand.drain(at(tick))
        }
        await sql('DELETE FROM @job_executions WHERE tick_at = ?', at(20))
        await purge(bench, at(41))
        expect(await hand.ledger('a')).toEqual(['10-30 fired completed x2', '40 fired'])
        expect(await store.ticks.auditLedger({})).toMatchObject({ unaccounted: 1, doubled: 0 })
      }),
    )

    test(
      'nothing is folded while a retry of it is unfinished or kept, and its outcome stays its own',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', jobSpec({ overlap: 'allow', retention: gone, retry: { attempts: 1 } }))
        await hand.account(led, at(10))
        const claim = await hand.claimOne(at(10))
        await hand.finish(claim, at(10), failed)
        await store.executions.retryExecution(claim.id, { id: idOf('again'), fromStep: null }, by(at(11)))
        await hand.account(led, at(20))
        const second = await hand.claim(at(20))
        for (const one of second) if (one.id !== idOf('again')) await hand.finish(one, at(20))
        await hand.account(led, at(30))
        await hand.drain(at(30))
        await purge(bench, at(31))
        expect(await hand.ledger('a')).toEqual(['10 fired', '20 fired completed x1', '30 fired'])
        for (const one of second) if (one.id === idOf('again')) await hand.finish(one, at(32))
        await purge(bench, at(33))
        expect(await hand.ledger('a')).toEqual(['10 fired failed x1', '20 fired completed x1', '30 fired'])
        expect(await store.executions.findExecution(idOf('again'))).toBeNull()
        const { folded } = await store.executions.jobRuns(idOf('job-a'), 10)
        expect(folded).toEqual({ completed: 2, failed: 1, cancelled: 0 })
      }),
    )

    test(
      'a revision ends a row',
      withStore(open, async (bench) => {
        const { hand } = bench
        await hand.work()
        const led = await hand.lead()
        const spec = jobSpec({ retention: gone })
        await hand.create('a', spec)
        for (const tick of [10, 20, 30, 40, 50]) {
          await hand.account(led, at(tick))
          await hand.drain(at(tick))
          if (tick === 20) await hand.change('a', { kind: 'edit', spec: { ...spec, priority: 1 } }, at(21))
        }
        await purge(bench, at(51))
        expect(await hand.ledger('a')).toEqual([
          '10-20 fired completed x2',
          '30-40 fired completed x2',
          '50 fired',
        ])
      }),
    )

    test(
      'the ticks of a fixedDelay join by their order, and are explained as ranges',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        const led = await hand.lead()
        await hand.create(
          'a',
          jobSpec({ schedule: { kind: 'fixed_delay', delayMs: 10 * second }, retention: gone }),
        )
        for (let now = at(10), n = 0; n < 4; n += 1, now += 12 * second) {
          await hand.account(led, now)
          await hand.drain(now)
        }
        await purge(bench, at(100))
        const { ticks, ranges } = await store.ticks.explainSpan('a', t0, at(100), 9, at(100))
        expect(ranges).toMatchObject([{ count: 3, outcome: 'completed' }])
        expect(ticks.map(({ count, folded }) => `${count} ${folded}`)).toEqual(['3 true', '1 false'])
        expect(await store.ticks.auditLedger({})).toMatchObject({ ticks: 4, unaccounted: 0, doubled: 0 })
      }),
    )

    test(
      'more than a slice holds is gone on with',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.create('a', jobSpec())
        await hand.create('b', jobSpec())
        const ids: (string | null)[] = []
        for (let afterJobId: string | null = null; ids.length < 9; ) {
          afterJobId = (await store.ticks.purgeHistory({ afterJobId, jobs: 1, now: at(1) })).lastJobId
          ids.push(afterJobId)
          if (afterJobId === null) break
        }
        expect(ids).toEqual([idOf('job-a'), idOf('job-b'), null])
      }),
    )
  })

  test(
    'how large the history and the ledger are is known',
    withStore(open, async (bench) => {
      const { history, ledger } = await bench.store.cluster.tableSizes()
      for (const { rows, bytes } of [history, ledger]) {
        expect(rows).toBeGreaterThanOrEqual(0)
        expect(bytes).toBeGreaterThan(0)
      }
    }),
  )

  describe('a reset of the cursor over a folded ledger', () => {
    /** The clock is ten minutes ahead, ticks run and are folded; then it is set right. */
    test(
      'does not give back what ran, though only the ledger knows of it',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        const led = await hand.lead()
        await hand.create('a', jobSpec({ retention: gone, catchUp: { policy: 'none' } }))
        for (const tick of [600, 610, 620]) {
          await hand.account(led, at(tick))
          await hand.drain(at(tick))
        }
        await purge(bench, at(625))
        const reset = await hand.change('a', { kind: 'reset_cursor' }, at(15))
        expect(reset.accountedUntil).toBe(at(620) + 1)
        expect((await hand.ledger('a')).slice(-2)).toEqual(['600-610 fired completed x2', '620 fired'])
        expect(await store.ticks.auditLedger({})).toMatchObject({ unaccounted: 0, doubled: 0 })
      }),
    )

    test(
      'cuts a skipped row at the line',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        const led = await hand.lead()
        await hand.create('a', jobSpec({ catchUp: { policy: 'none', graceMs: 0 } }))
        await hand.account(led, at(605))
        expect(await hand.ledger('a')).toEqual(['10-600 skipped catchup_off x60'])
        const reset = await hand.change('a', { kind: 'reset_cursor' }, at(35))
        expect(reset.accountedUntil).toBe(at(35) + 1)
        expect(await hand.ledger('a')).toEqual(['10-30 skipped catchup_off x3'])
        await hand.account(led, at(40))
        expect(await hand.ledger('a')).toEqual(['10-30 skipped catchup_off x3', '40 fired'])
        expect(await store.ticks.auditLedger({})).toMatchObject({ unaccounted: 0, doubled: 0 })
      }),
    )

    test(
      'takes back what was coalesced into an execution that is taken back',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        const led = await hand.lead()
        await hand.create('a', jobSpec())
        await hand.account(led, at(605))
        expect(await hand.ledger('a')).toEqual(['10-590 coalesced latest x59', '600 fired'])
        const reset = await hand.change('a', { kind: 'reset_cursor' }, at(35))
        expect(reset.accountedUntil).toBe(at(10))
        expect(await hand.ledger('a')).toEqual([])
        await hand.account(led, at(40))
        expect(await hand.ledger('a')).toEqual(['10-30 coalesced latest x3', '40 fired'])
        expect(await store.ticks.auditLedger({})).toMatchObject({ unaccounted: 0, doubled: 0 })
      }),
    )
  })
}
