/** Flows: no step is lost, doubled, or begun before what it comes after. */
import { describe, expect, test } from 'vitest'
import type { ClaimedExecution, NewFlow } from '../../../src/store/store.ts'
import { by, day, idOf, jobSpec, nameOf, newExecution } from '../builders.ts'
import { at } from '../by-hand.ts'
import { made, names, newFlow, pick, standing, stateOf } from '../made-flow.ts'
import { type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const error = { name: 'Error', message: 'no' }
const failed = { state: 'failed', error } as const

export function describeFlows(open: OpenStoreUnderTest): void {
  describe('flows', () => {
    test(
      'a step begins once all that it comes after have completed, and is told of them',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await made(bench, 'x', 'e', 'd:x e', 'z:d')
        expect(await standing(store)).toEqual(['x pending', 'e pending', 'd blocked', 'z blocked'])
        expect(await hand.execution(idOf('d'))).toMatchObject({
          state: 'blocked',
          flowStep: 'd',
        })
        const first = await hand.claim(at(1))
        expect(names(first)).toEqual(['e', 'x'])
        expect(first.every(({ follows }) => !follows)).toBe(true)
        await hand.finish(pick(first, 'x'), at(2), { state: 'completed', result: { rows: 7 } })
        expect(await hand.claim(at(3))).toEqual([])
        const after = await hand.finish(pick(first, 'e'), at(4))
        expect(after.lanes).toBe(1)
        const [d] = await hand.claim(at(4))
        expect(d).toMatchObject({ id: idOf('d'), follows: true, readyAt: at(4) })
        expect(await store.flows.readParents(idOf('d'))).toEqual([
          { name: 'x', executionId: idOf('x'), state: 'completed', result: { rows: 7 }, error: null },
          { name: 'e', executionId: idOf('e'), state: 'completed', result: null, error: null },
        ])
        await hand.finish(pick([d as ClaimedExecution], 'd'), at(5))
        expect(await stateOf(store)).toBe('running 3/0/0 of 4')
        await hand.drain(at(6))
        expect(await stateOf(store)).toBe('completed 4/0/0 of 4')
        expect((await store.flows.findFlow(idOf('flow')))?.finishedAt).toBe(at(6))
      }),
    )

    test(
      'both parents end in one write, and the child is made ready once',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await made(bench, 'x', 'e', 'd:x e')
        const claims = await hand.claim(at(1))
        const attempts = claims.map((claim) => ({
          ...claim,
          ending: { state: 'completed', result: null } as const,
          finishedAt: at(2),
        }))
        await store.work.finishAttempts({ nodeId: 'n1', attempts, now: at(2) })
        expect(names(await hand.drain(at(2)))).toEqual(['d'])
        expect(await stateOf(store)).toBe('completed 3/0/0 of 3')
      }),
    )

    test(
      'an end but completion cancels all that comes after it, at any distance, and nothing else',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await made(bench, 'x', 'e', 'b*:x', 'd:b e', 'other:e')
        const claims = await hand.claim(at(1))
        await hand.finish(pick(claims, 'x'), at(2), failed)
        expect(await standing(store)).toEqual([
          'x failed',
          'e running',
          'b cancelled',
          'd cancelled',
          'other blocked',
        ])
        expect(await hand.execution(idOf('d'))).toMatchObject({
          cancelReason: 'dependency',
          finishedAt: at(2),
        })
        await hand.finish(pick(claims, 'e'), at(3))
        expect(names(await hand.drain(at(4)))).toEqual(['other'])
        expect(await stateOf(store)).toBe('failed 2/1/2 of 5')
      }),
    )

    test(
      'after a step that lets the others go on its children run, and are told how it ended',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await made(bench, 'x*', 'd:x')
        await hand.finish(await hand.claimOne(at(1)), at(2), failed)
        const [parent] = await store.flows.readParents(idOf('d'))
        expect(parent).toMatchObject({ name: 'x', state: 'failed', error, result: null })
        expect(names(await hand.drain(at(3)))).toEqual(['d'])
        expect(await stateOf(store)).toBe('completed 1/1/0 of 2')
      }),
    )

    test(
      'all of it, or nothing: an unknown or a cancelled job leaves no step behind',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.create('a', jobSpec({ schedule: null }))
        await hand.create('gone', jobSpec({ schedule: null }))
        await hand.change('gone', { kind: 'cancel' }, at(0))
        const flow = newFlow(['x', 'd:x'])
        const [x, d] = flow.steps
        for (const jobName of ['nobody', 'gone']) {
          const steps = [x, { ...d, execution: { ...d?.execution, jobName } }] as NewFlow['steps']
          await expect(store.flows.createFlow({ ...flow, steps })).rejects.toThrow(jobName)
        }
        expect(await store.flows.findFlow(flow.id)).toBeNull()
        expect(await hand.executions('a')).toEqual([])
      }),
    )

    test(
      'in the caller’s own transaction it is there if that commits, and only then',
      withStore(open, async (bench) => {
        const { hand, store, callerTransactions } = bench
        await hand.work()
        await hand.create('a', jobSpec({ schedule: null }))
        for (const [index, own] of Object.values(callerTransactions).entries()) {
          const flow = (name: string) => newFlow([`x${name}`, `d${name}:x${name}`], { id: `f${name}` })
          await own.begin()
          await store.flows.createFlow(flow(`r${index}`), own.tx)
          await own.rollback()
          await own.begin()
          await store.flows.createFlow(flow(`c${index}`), own.tx)
          await own.commit()
          expect(await store.flows.findFlow(idOf(`fr${index}`))).toBeNull()
          expect(names(await hand.drain(at(1)))).toEqual([`dc${index}`, `xc${index}`])
        }
      }),
    )

    test(
      'a step that nobody runs: its crash after the last attempt is an end as any other',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        await hand.create('a', jobSpec({ schedule: null, retry: { attempts: 1 } }))
        await store.flows.createFlow(newFlow(['x', 'd:x']))
        await hand.claim(at(1))
        await hand.expire(at(60))
        expect(await standing(store)).toEqual(['x failed', 'd cancelled'])
        expect(await stateOf(store)).toBe('failed 0/1/1 of 2')
      }),
    )

    test(
      'its own time counts: not ready before it, and a start deadline counts from its release',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        await hand.create('a', jobSpec({ schedule: null, startDeadlineMs: 5_000 }))
        const flow = newFlow(['x', 'd:x', 'later:x'])
        const steps = flow.steps.map((step) =>
          step.name === 'later' ? { ...step, execution: { ...step.execution, readyAt: at(50) } } : step,
        )
        await store.flows.createFlow({ ...flow, steps })
        await hand.finish(await hand.claimOne(at(1)), at(30))
        expect(await hand.execution(idOf('d'))).toMatchObject({ readyAt: at(30), startBy: at(35) })
        expect(await hand.execution(idOf('later'))).toMatchObject({ readyAt: at(50), startBy: at(55) })
        await hand.expire(at(36))
        expect(await standing(store)).toEqual(['x completed', 'd cancelled', 'later pending'])
      }),
    )

    test(
      'to cancel a waiting step cancels what comes after it; to cancel its job does, too, whatever job that is of',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await made(bench, 'x', 'd:x', 'z:d')
        await store.executions.cancelExecution(idOf('d'), by(at(1)))
        expect(await standing(store)).toEqual(['x pending', 'd cancelled', 'z cancelled'])
        await hand.create('b', jobSpec({ schedule: null }))
        const other = newFlow(['p', 'q:p'], { id: 'other' })
        const steps = other.steps.map((step) =>
          step.name === 'p' ? { ...step, execution: { ...step.execution, jobName: 'b' } } : step,
        )
        await store.flows.createFlow({ ...other, steps })
        await hand.change('b', { kind: 'delete' }, at(2))
        expect(await standing(store, other.id)).toEqual(['p cancelled', 'q cancelled'])
        expect(await stateOf(store, other.id)).toBe('cancelled 0/0/2 of 2')
      }),
    )

    test(
      'to cancel a flow ends what waits and asks what runs to stop; it is cancelled when that has ended',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        const id = await made(bench, 'x', 'd:x', 'e')
        const x = pick(await hand.claim(at(1), { limit: 1 }), 'x')
        await store.flows.cancelFlow(id, by(at(2)))
        expect(await standing(store)).toEqual(['x running', 'd cancelled', 'e cancelled'])
        expect(await hand.execution(x.id)).toMatchObject({
          cancelRequestedAt: at(2),
          cancelReason: 'operator',
        })
        await hand.finish(x, at(3), { state: 'cancelled', reason: 'operator', error: null })
        expect(await stateOf(store)).toBe('cancelled 0/0/3 of 3')
        await expect(store.flows.cancelFlow(id, by(at(4)))).rejects.toMatchObject({
          code: 'invalid_transition',
        })
        await expect(store.flows.cancelFlow(idOf('nobody'), by(at(4)))).rejects.toMatchObject({
          code: 'flow_not_found',
        })
        expect((await store.audit.listAuditLog({ limit: 10, action: 'flow.cancel' }))[0]).toMatchObject({
          subject: id,
        })
      }),
    )

    test(
      'retention folds nothing of it while a part is unfinished or kept, by the job of any step; then all of it goes',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await hand.work()
        const short = { executions: 1, ageMs: day, ledgerMs: day }
        await hand.create('a', jobSpec({ schedule: null, retention: short }))
        await hand.create('b', jobSpec({ schedule: null, retention: { ...short, ageMs: 10 * day } }))
        const flow = newFlow(['x', 'd:x'])
        const steps = flow.steps.map((step) =>
          step.name === 'd' ? { ...step, execution: { ...step.execution, jobName: 'b' } } : step,
        )
        await store.flows.createFlow({ ...flow, steps })
        const purge = async (now: number) => {
          await store.ticks.purgeHistory({ afterJobId: null, jobs: 100, now })
        }
        const newer = async (now: number) => {
          const rows = ['a', 'b'].flatMap((job) =>
            [1, 2].map((n) => newExecution(`${job}${n}${now}`, job, { createdAt: now })),
          )
          await store.work.enqueueExecutions(rows)
        }
        await hand.finish(await hand.claimOne(at(1)), at(2))
        await newer(at(3))
        await purge(at(3) + 5 * day)
        expect(await standing(store)).toEqual(['x completed', 'd pending'])
        await hand.drain(at(4))
        await newer(at(5))
        await purge(at(5) + 5 * day)
        expect(await standing(store)).toEqual(['x completed', 'd completed'])
        await purge(at(5) + 11 * day)
        await purge(at(5) + 11 * day)
        expect(await store.executions.findExecution(idOf('x'))).toBeNull()
        expect(await store.executions.findExecution(idOf('d'))).toBeNull()
        expect(await store.flows.findFlow(flow.id)).toBeNull()
        for (const table of ['flow_steps', 'flow_edges']) {
          expect(await bench.sql(`SELECT flow_id FROM @${table}`)).toEqual([])
        }
      }),
    )

    test(
      'lists have the newest first, by state, name and page; executions are found by their flow',
      withStore(open, async (bench) => {
        const { hand, store } = bench
        await made(bench, 'x')
        await store.flows.createFlow({ ...newFlow(['y', 'z:y'], { id: 'goal' }), name: 'nightly' })
        expect((await store.flows.listFlows({ limit: 10 })).map(({ id }) => nameOf(id))).toEqual([
          'goal',
          'flow',
        ])
        const [first] = await store.flows.listFlows({ limit: 1 })
        expect(await store.flows.listFlows({ limit: 10, afterId: first?.id ?? '' })).toHaveLength(1)
        await hand.finish(pick(await hand.claim(at(1), { limit: 1 }), 'x'), at(1))
        expect(
          (await store.flows.listFlows({ limit: 10, state: 'running' })).map(({ name }) => name),
        ).toEqual(['nightly'])
        const of = async (id: string) =>
          await store.executions.listExecutions({
            limit: 10,
            terms: [{ by: 'flow', values: [idOf(id)], negated: false }],
          })
        expect((await of('goal')).map(({ id }) => nameOf(id)).toSorted()).toEqual(['y', 'z'])
        const [waits] = await store.executions.readWaits([idOf('z')])
        expect(waits?.dependency).toEqual({ kind: 'steps', names: ['y'], open: 1 })
      }),
    )
  })
}
