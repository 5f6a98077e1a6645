/** Memos: written by the holder of the lease alone, each decided once, gone with their execution, copied by its retry. */
import { describe, expect, test } from 'vitest'
import type { Claim, ClaimedExecution, StepWithin, Transaction } from '../../../src/store/store.ts'
import { by, idOf, jobSpec, newExecution, stepRecord } from '../builders.ts'
import { at } from '../by-hand.ts'
import { type Bench, type OpenStoreUnderTest, withStore } from './store-under-test.ts'

const openWait = { kind: 'wait', decided: null } as const
type Ours = ClaimedExecution
const error = { name: 'Error', message: 'no' }

/** Executions of job `a` that run, by their names. */
async function running({ hand, store }: Bench, ...names: string[]): Promise<readonly ClaimedExecution[]> {
  await hand.work()
  await hand.create('a', jobSpec({ schedule: null, retention: { executions: 1, ageMs: 0 } }))
  await store.work.enqueueExecutions(names.map((name) => newExecution(name, 'a')))
  const claimed = await hand.claim(at(0))
  return claimed.toSorted((a, b) => names.indexOf(a.id) - names.indexOf(b.id))
}

async function one(bench: Bench): Promise<ClaimedExecution> {
  const [claim] = await running(bench, 'e1')
  if (claim === undefined) throw new Error('nothing to claim')
  return claim
}

function within(claim: Claim, name: string, run: (tx: Transaction) => Promise<unknown>): StepWithin<unknown> {
  return {
    claim,
    maxMs: 2_000,
    clock: { now: () => at(5), sleep: () => new Promise(() => {}) },
    run,
    record: () => stepRecord(claim, name),
  }
}

const order = (id: string) => async (tx: Transaction) => await tx.sql`INSERT INTO orders VALUES (${id})`

export function describeSteps(open: OpenStoreUnderTest): void {
  describe('memos', () => {
    test(
      'a memo is kept with all that was given, under its own name',
      withStore(open, async (bench) => {
        const claim = await one(bench)
        const { steps } = bench.store
        await steps.recordSteps([
          stepRecord(claim, 'Ärger ', {
            attempt: 2,
            tries: 3,
            begunAt: at(1),
            decided: { at: at(2), outcome: 'done', result: '{"a":"é"}' },
          }),
        ])
        await steps.recordSteps([stepRecord(claim, 'ärger ', { begunAt: at(3) })])
        await steps.recordSteps([
          stepRecord(claim, 'Ärger', { kind: 'sleep', begunAt: at(4), endsAt: at(9), decided: null }),
        ])
        const [first, ...others] = await steps.listSteps(claim.id)
        expect(first).toEqual({
          name: 'Ärger ',
          kind: 'step',
          fence: claim.fence,
          attempt: 2,
          tries: 3,
          begunAt: at(1),
          endsAt: null,
          decidedAt: at(2),
          outcome: 'done',
          result: '{"a":"é"}',
          restFence: null,
          signalId: null,
          signalledBy: null,
        })
        expect(others).toMatchObject([
          { name: 'ärger ' },
          { name: 'Ärger', kind: 'sleep', endsAt: at(9), decidedAt: null, outcome: null },
        ])
      }),
    )

    test(
      'several executions at once: who was superseded or does not run is told, and writes nothing; the others do',
      withStore(open, async (bench) => {
        const claims = await running(bench, 'e1', 'e2', 'e3', 'e4')
        const [ours, zombie, done, asked] = claims as [Ours, Ours, Ours, Ours]
        const { hand, store } = bench
        await store.work.extendLeases({ claims: [ours, asked], leasedUntil: at(100), now: at(1) })
        await hand.finish(done, at(2))
        await hand.expire(at(40))
        const [next] = await hand.claim(at(60))
        expect(next?.id).toBe(zombie.id)
        await store.executions.cancelExecution(asked.id, by(at(60)))
        const nobody = { id: idOf('nobody'), fence: 1 }
        const records = [zombie, ours, done, nobody, asked].map((claim) => stepRecord(claim, 's'))
        const refused = await store.steps.recordSteps(records)
        expect(refused.toSorted()).toEqual([zombie.id, done.id, nobody.id].toSorted())
        for (const { id } of [ours, asked]) expect(await store.steps.listSteps(id)).toHaveLength(1)
        for (const id of refused) expect(await store.steps.listSteps(id)).toEqual([])
        // Asked to stop, it still runs: what it has done is remembered.
        expect(await hand.execution(asked.id)).toMatchObject({ state: 'running', cancelRequestedAt: at(60) })
      }),
    )

    test(
      'what rests or waits for its retry is nobody’s to write',
      withStore(open, async (bench) => {
        const claim = await one(bench)
        await bench.hand.finish(claim, at(1), {
          state: 'retrying',
          error,
          readyAt: at(9),
          countsAttempt: true,
        })
        expect(await bench.store.steps.recordSteps([stepRecord(claim, 's')])).toEqual([claim.id])
      }),
    )

    test(
      'what was decided stays, and what is open is decided once',
      withStore(open, async (bench) => {
        const claim = await one(bench)
        const { steps } = bench.store
        const write = async (name: string, overrides: Parameters<typeof stepRecord>[2]) =>
          expect(await steps.recordSteps([stepRecord(claim, name, overrides)])).toEqual([])
        const said = (result: string) => ({ at: at(9), outcome: 'done', result }) as const
        await write('s', { decided: said('1') })
        await write('s', { decided: said('2') })
        await write('w', { ...openWait, begunAt: at(1), endsAt: at(8) })
        await write('w', { ...openWait, begunAt: at(2), endsAt: at(9) })
        expect(await steps.listSteps(claim.id)).toMatchObject([
          { name: 's', result: '1' },
          { name: 'w', begunAt: at(1), endsAt: at(8), decidedAt: null },
        ])
        const late = { at: at(8), outcome: 'timed_out', result: null } as const
        await write('w', { kind: 'wait', decided: late })
        await write('w', { kind: 'wait', decided: { ...late, at: at(99) } })
        expect((await steps.listSteps(claim.id))[1]).toMatchObject({ outcome: 'timed_out', decidedAt: at(8) })
      }),
    )
  })

  describe('a step with a transaction', () => {
    test(
      'commits its writes and its memo together, as often as there are such steps',
      withStore(open, async (bench) => {
        await bench.sql('CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY)')
        const claim = await one(bench)
        for (const name of ['s1', 's2']) await bench.store.steps.stepWithin(within(claim, name, order(name)))
        expect(await bench.sql('SELECT id FROM orders ORDER BY id')).toEqual([{ id: 's1' }, { id: 's2' }])
        const steps = await bench.store.steps.listSteps(claim.id)
        expect(steps.map(({ name }) => name)).toEqual(['s1', 's2'])
        expect(await bench.hand.execution(claim.id)).toMatchObject({ state: 'running' })
      }),
    )

    test(
      'rolls both back together where it throws, and the error is its own',
      withStore(open, async (bench) => {
        await bench.sql('CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY)')
        const claim = await one(bench)
        const failing = within(claim, 's', async (tx) => {
          await order('s')(tx)
          throw new Error('card declined')
        })
        await expect(bench.store.steps.stepWithin(failing)).rejects.toThrow('card declined')
        const unwritable = {
          ...within(claim, 's', order('s')),
          record: () => {
            throw new Error('no JSON')
          },
        }
        await expect(bench.store.steps.stepWithin(unwritable)).rejects.toThrow('no JSON')
        expect(await bench.sql('SELECT id FROM orders')).toEqual([])
        expect(await bench.store.steps.listSteps(claim.id)).toEqual([])
      }),
    )

    test(
      'is refused before it begins where the lease has passed to another',
      withStore(open, async (bench) => {
        await bench.sql('CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY)')
        const zombie = await one(bench)
        await bench.hand.expire(at(40))
        let called = false
        const late = within(zombie, 's', async () => {
          called = true
        })
        await expect(bench.store.steps.stepWithin(late)).rejects.toMatchObject({ code: 'stale_lease' })
        expect(called).toBe(false)
        const next = await bench.hand.claimOne(at(60))
        await bench.store.steps.stepWithin(within(next, 's', order('s')))
        expect(await bench.sql('SELECT id FROM orders')).toEqual([{ id: 's' }])
      }),
    )
  })

  describe('memos and their execution', () => {
    test(
      'retention deletes them together',
      withStore(open, async (bench) => {
        const claims = await running(bench, 'e1', 'e2')
        const { hand, store, sql } = bench
        await store.steps.recordSteps(claims.map((claim) => stepRecord(claim, 's')))
        for (const claim of claims) await hand.finish(claim, at(1))
        await store.ticks.purgeHistory({ afterJobId: null, jobs: 100, now: at(2) })
        const left = (await hand.executions('a')).map(({ id }) => ({ execution_id: id }))
        expect(left).toHaveLength(1)
        expect(await sql('SELECT execution_id FROM @steps')).toEqual(left)
      }),
    )

    test(
      'a retry has what was decided, and of a completed one only what came before the step that is named',
      withStore(open, async (bench) => {
        const claim = await one(bench)
        const { hand, store } = bench
        for (const [index, name] of ['s1', 's2', 's3'].entries())
          await store.steps.recordSteps([stepRecord(claim, name, { begunAt: at(index) })])
        await store.steps.recordSteps([stepRecord(claim, 'w', { ...openWait, begunAt: at(7) })])
        await store.steps.signalExecution(claim.id, { id: 'x', name: 'early', payload: '7' }, by(at(8)))
        await hand.finish(claim, at(9), { state: 'failed', error })
        const retry = async (id: string, name: string, fromStep: string | null = null) => {
          await store.executions.retryExecution(id, { id: idOf(name), fromStep }, by(at(10)))
          const steps = await store.steps.listSteps(idOf(name))
          return steps.map((step) => `${step.name} ${step.outcome} ${step.result}`)
        }
        expect(await retry(claim.id, 'r1')).toEqual([
          's1 done 1',
          's2 done 1',
          's3 done 1',
          'early signalled 7',
        ])
        expect(await store.steps.listSteps(claim.id)).toHaveLength(5)
        const again = await hand.claimOne(at(11))
        expect(again.id).toBe(idOf('r1'))
        await hand.finish(again, at(12))
        expect(await retry(again.id, 'r2')).toEqual([])
        expect(await retry(again.id, 'r3', 's3')).toEqual(['s1 done 1', 's2 done 1'])
        const unknown = store.executions.retryExecution(
          again.id,
          { id: idOf('r4'), fromStep: 'x' },
          by(at(13)),
        )
        await expect(unknown).rejects.toMatchObject({ code: 'invalid_option', field: 'fromStep' })
        expect(await store.executions.findExecution(idOf('r4'))).toBeNull()
      }),
    )
  })
}
