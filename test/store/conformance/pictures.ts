/** What pictures are drawn from: the same rows, counted and cut, on every engine. */
import { describe, expect, test } from 'vitest'
import { day, hour, idOf, jobSpec, minute, nameOf, newExecution, t0 } from '../builders.ts'
import { at, seconds } from '../by-hand.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

/** Ticks 10 (completed in 2 s), 20-40 (skipped), 50 (runs) of a job every 10 s. */
async function someTicks({ hand }: Bench): Promise<void> {
  await hand.work()
  const led = await hand.lead()
  await hand.create('a', jobSpec({ overlap: 'allow', catchUp: { policy: 'none' } }))
  await hand.account(led, at(10))
  await hand.finish(await hand.claimOne(at(11)), at(13))
  await hand.account(led, at(51))
  await hand.claimOne(at(52))
}

const wide = { maxRows: 1_000, lookBackMs: day }

export function describePictures(open: OpenStoreUnderTest): void {
  describe('pictures', () => {
    test(
      'the last entries of each ledger come oldest first, a range as one, with what became of each',
      withStore(open, async (bench) => {
        await someTicks(bench)
        const { hand, store } = bench
        await hand.create('b', jobSpec({ schedule: null }))
        const ticks = await store.ticks.recentTicks([idOf('job-a'), idOf('job-b'), idOf('nobody')], 20)
        expect(
          ticks.map(({ from, count, account, reason, state }) => [
            seconds(from),
            count,
            account,
            reason,
            state,
          ]),
        ).toEqual([
          [10, 1, 'fired', null, 'completed'],
          [20, 3, 'skipped', 'catchup_off', null],
          [50, 1, 'fired', null, 'running'],
        ])
        expect(ticks[0]).toMatchObject({ startedAt: at(11), finishedAt: at(13) })
        expect((await store.ticks.recentTicks([idOf('job-a')], 1)).map(({ from }) => seconds(from))).toEqual([
          50,
        ])
        expect(await store.jobs.recentRuns([idOf('job-a'), idOf('job-b')], 20)).toEqual([
          { jobId: idOf('job-a'), state: 'completed', durationMs: 2_000 },
        ])
      }),
    )

    test(
      'what ended is counted by slots, and told from where on nothing is left out',
      withStore(open, async ({ hand, store, sql }) => {
        await hand.create('a', jobSpec({ schedule: null }))
        const made = Array.from({ length: 6 }, (_, index) =>
          newExecution(`e${index}`, 'a', { createdAt: t0 + index * hour }),
        )
        for (const one of made) await store.work.enqueueExecutions([one])
        for (const [index] of made.entries()) {
          const state = index === 2 ? 'failed' : 'completed'
          await sql(
            `UPDATE @job_executions SET state = '${state}', started_at = ${t0 + index * hour}, finished_at = ${t0 + index * hour + minute} WHERE id = '${idOf(`e${index}`)}'`,
          )
        }
        const query = { from: t0 + hour, to: t0 + 5 * hour, bucketMs: 2 * hour, maxRows: 1_000 }
        const { ended, coveredFrom } = await store.executions.readActivity(query)
        expect(coveredFrom).toBe(query.from)
        expect(ended.toSorted((a, b) => a.at - b.at || (a.state < b.state ? -1 : 1))).toEqual([
          { at: t0 + hour, state: 'completed', count: 1 },
          { at: t0 + hour, state: 'failed', count: 1 },
          { at: t0 + 3 * hour, state: 'completed', count: 2 },
        ])
        const few = await store.executions.readActivity({ ...query, maxRows: 2 })
        expect(few.coveredFrom).toBe(t0 + 4 * hour)
        const runs = await store.executions.readTimeline({
          ...wide,
          from: t0 + hour,
          to: t0 + 4 * hour,
          limit: 2,
        })
        expect(runs.map(({ id }) => id)).toEqual([idOf('e3'), idOf('e2')])
        const rest = await store.executions.readTimeline({
          ...wide,
          from: t0 + hour,
          to: t0 + 4 * hour,
          limit: 2,
          beforeSeq: runs[1]?.seq ?? 0,
        })
        expect(rest.map(({ id }) => id)).toEqual([idOf('e1')])
        expect(
          await store.executions.readTimeline({ ...wide, from: t0, to: t0 + day, limit: 9, job: 'nobody' }),
        ).toEqual([])
      }),
    )

    test(
      'short runs that are close together are one in a merged timeline, and all others stand by themselves',
      withStore(open, async ({ hand, store, sql }) => {
        for (const name of ['a', 'b']) await hand.create(name, jobSpec({ schedule: null }))
        // In minutes: what began when, and how long it took.
        const runs = [
          ['a', 0, 0.1],
          ['a', 1, 0.1],
          ['b', 1, 0.1],
          ['a', 2, 0.1],
          ['a', 3, 0.1, 'failed'],
          ['a', 4, 30],
          ['a', 40, 0.1],
          ['a', 41, null, 'running'],
        ] as const
        for (const [index, [job, begin, took, state = 'completed']] of runs.entries()) {
          const name = `e${index}`
          const startedAt = t0 + begin * minute
          await store.work.enqueueExecutions([newExecution(name, job, { createdAt: startedAt })])
          await sql(
            `UPDATE @job_executions SET state = '${state}', started_at = ${startedAt}, leased_by = 'n1', attempt = 1,
               finished_at = ${took === null ? 'NULL' : startedAt + took * minute} WHERE id = '${idOf(name)}'`,
          )
        }
        const query = { from: t0, to: t0 + hour, slotMs: minute, limit: 100, lookBackMs: day, maxRows: 1_000 }
        const shown = async (more: object = {}) => {
          const timeline = await store.executions.mergeTimeline({ ...query, ...more })
          const told = timeline.runs.map(
            ({ job, count, id, state, startedAt, finishedAt }) =>
              `${job} ${count}x ${nameOf(id)} ${state} ${seconds(startedAt)}-${finishedAt === null ? '' : seconds(finishedAt)}`,
          )
          return { told, beforeSeq: timeline.beforeSeq }
        }
        expect(await shown()).toEqual({
          told: [
            'a 1x e7 running 2460-',
            'a 1x e6 completed 2400-2406',
            'a 1x e5 completed 240-2040',
            'a 1x e4 failed 180-186',
            'b 1x e2 completed 60-66',
            'a 3x e3 completed 0-126',
          ],
          beforeSeq: null,
        })
        expect((await shown({ job: 'b' })).told).toEqual(['b 1x e2 completed 60-66'])
        // What was not read is told, and read from there on.
        const part = await shown({ maxRows: 3 })
        expect(part.told).toHaveLength(3)
        const rest = await shown({ beforeSeq: part.beforeSeq })
        expect(rest.told).toEqual([
          'a 1x e4 failed 180-186',
          'b 1x e2 completed 60-66',
          'a 3x e3 completed 0-126',
        ])
      }),
    )

    test(
      'what still runs is in the timeline, however long ago it was made',
      withStore(open, async (bench) => {
        await someTicks(bench)
        const { store } = bench
        const late = { from: t0 + 30 * day, to: t0 + 31 * day, limit: 10, ...wide }
        expect(await store.executions.readTimeline(late)).toMatchObject([
          { job: 'a', state: 'running', finishedAt: null },
        ])
        expect(await store.executions.readTimeline({ ...late, job: 'a' })).toHaveLength(1)
      }),
    )

    test(
      'ticks are counted by slots, and their ranges found',
      withStore(open, async (bench) => {
        await someTicks(bench)
        const { store } = bench
        const { cells } = await store.ticks.countTicks(idOf('job-a'), t0, at(60), minute, 1_500)
        expect(cells.toSorted((a, b) => (a.state < b.state ? -1 : 1))).toEqual([
          { at: t0, account: 'fired', state: 'completed', late: false, count: 1 },
          { at: t0, account: 'fired', state: 'running', late: true, count: 1 },
        ])
        const { ranges } = await store.ticks.countTicks(idOf('job-a'), at(30), at(60), minute, 1_500)
        expect(ranges).toMatchObject([{ from: at(20), to: at(40), count: 3 }])
        expect(
          (await store.executions.readActivity({ from: t0, to: at(60), bucketMs: minute, maxRows: 9 }))
            .ranges,
        ).toEqual(ranges)
      }),
    )

    test(
      'what is unfinished is counted, and what rests is found',
      withStore(open, async ({ hand, store, sql }) => {
        for (const name of ['a', 'b', 'c']) await hand.create(name)
        await hand.pause('b', at(5))
        await hand.pause('c', at(9))
        await store.work.enqueueExecutions([newExecution('e1', 'c'), newExecution('e2', 'a')])
        await sql(`UPDATE @job_executions SET state = 'failed' WHERE id = '${idOf('e1')}'`)
        expect(await store.executions.countUnfinished()).toEqual({ running: 0, waiting: 1 })
        expect(await store.jobs.pausedBefore(at(8), 5)).toEqual([{ name: 'b', since: at(5) }])
        expect(await store.jobs.pausedBefore(at(9), 1)).toHaveLength(1)
      }),
    )

    test(
      'what a new leader made good is told by job',
      withStore(open, async ({ hand, store }) => {
        const first = await hand.lead('n1')
        await hand.create('a', jobSpec({ catchUp: { policy: 'latest' } }))
        await hand.create('b', jobSpec({ catchUp: { policy: 'none' }, overlap: 'allow' }))
        await hand.account(first, at(10))
        await store.cluster.endTerm(first.termId, 'n1', at(11))
        const second = await hand.lead('n2', at(65))
        await hand.account(second, at(65))
        const story = [
          { job: 'a', caughtUp: 1, coalesced: 4, skipped: 0, reasons: ['latest'] },
          { job: 'b', caughtUp: 1, coalesced: 0, skipped: 4, reasons: ['catchup_off'] },
        ]
        expect(await store.ticks.missedTicks(second.termId)).toEqual(story)
        expect(await store.ticks.missedTicks(first.termId)).toEqual([])
        // What becomes of the ticks' own rows later changes nothing of what is told.
        await hand.account(second, at(95))
        await hand.change('a', { kind: 'delete' }, at(100))
        await store.ticks.purgeHistory({ afterJobId: null, jobs: 10, now: at(100) + 390 * day })
        expect(await store.ticks.missedTicks(second.termId)).toEqual(story)
        const [term] = await store.cluster.listTerms({ limit: 1 })
        expect(term?.repair).toEqual({ found: 10, caughtUp: 2, coalesced: 4, skipped: 4 })
        await store.ticks.purgeHistory({ afterJobId: null, jobs: 10, now: at(100) + 401 * day })
        expect(await store.ticks.missedTicks(second.termId)).toEqual([])
      }),
    )
  })
}
