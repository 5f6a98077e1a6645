/** Small histories that break a scheduler built the plain way: hours of a job and a worker, by hand, on made-up time. */
import { expect, test } from 'vitest'
import { endingOf, type Outcome } from '../../src/core/attempt/outcome.ts'
import type { JobSpec } from '../../src/core/job/job.ts'
import type { ClaimedExecution } from '../../src/store/store.ts'
import { every, hour, jobSpec, minute, second, t0 } from './builders.ts'
import { type ByHand, byHand } from './by-hand.ts'
import { openMemory } from './sqlite-store.ts'

interface Scenario {
  readonly spec: JobSpec
  /** Nobody looks before this. */
  readonly outageMs: number
  readonly forMs: number
  readonly stepMs: number
  readonly runMs: number
  readonly slots?: number
  readonly catchUpEveryMs?: number
  readonly outcome?: (claim: ClaimedExecution) => Outcome
  readonly during?: (hand: ByHand, now: number) => Promise<void>
}

interface Told {
  /** Ticks after the outage, by account and reason. */
  readonly ticks: Record<string, number>
  /** Executions by cause and state, at the end. */
  readonly executions: Record<string, number>
}

/** A leader that looks at every step, and a worker whose runs take `runMs`. */
async function play(scenario: Scenario): Promise<Told> {
  const { spec, outageMs, forMs, stepMs, runMs, slots = 4 } = scenario
  const bench = await openMemory()
  try {
    const hand = byHand(bench.store)
    await hand.work()
    const led = await hand.lead()
    await hand.create('a', spec)
    let running: { claim: ClaimedExecution; endsAt: number }[] = []
    for (let now = t0 + outageMs; now <= t0 + outageMs + forMs; now += stepMs) {
      for (const { claim, endsAt } of running.filter((run) => run.endsAt <= now)) {
        const outcome = scenario.outcome?.(claim) ?? { kind: 'done', result: null }
        const { attempt, maxAttempts, cause, nextTickAt } = claim
        const { retry, overlap, onCrash } = spec
        const tried = { attempt, maxAttempts, cause, nextTickAt, retry, overlap, onCrash }
        await hand.finish(claim, endsAt, endingOf(outcome, tried, endsAt, 0))
      }
      running = running.filter((run) => run.endsAt > now)
      await hand.account(led, now, { catchUpEveryMs: scenario.catchUpEveryMs ?? 0 })
      await bench.store.work.releaseBlocked('any', now)
      await scenario.during?.(hand, now)
      const free = slots - running.length
      const claims = free > 0 ? await hand.claim(now, { limit: free }) : []
      running.push(...claims.map((claim) => ({ claim, endsAt: now + runMs })))
    }
    expect(await bench.store.ticks.auditLedger({})).toMatchObject({ unaccounted: 0, doubled: 0 })
    return await told(hand, bench.store, t0 + outageMs)
  } finally {
    await bench.close()
  }
}

async function told(
  hand: ByHand,
  store: Awaited<ReturnType<typeof openMemory>>['store'],
  from: number,
): Promise<Told> {
  const { ticks } = await store.ticks.explainSpan(
    'a',
    from + 1,
    from + 100 * hour,
    100_000,
    from + 100 * hour,
  )
  const decided = ticks.filter(({ verdict }) => verdict !== 'undecided')
  return {
    ticks: countBy(decided.map(({ verdict, reason }) => [verdict, reason].filter(Boolean).join(' '))),
    executions: countBy((await hand.executions('a')).map(({ cause, state }) => `${cause} ${state}`)),
  }
}

function countBy(keys: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1
  return counts
}

const chain = { policy: 'all', maxMissedRuns: 99, graceMs: 5 * second } as const

test('a chain of 99 behind a job every minute that runs 30 s costs at most one on-time tick', async () => {
  const spec = jobSpec({ schedule: every(minute), catchUp: chain })
  const result = await play({
    spec,
    outageMs: 3 * hour + 10 * second,
    forMs: 2 * hour,
    stepMs: 10 * second,
    runMs: 30 * second,
  })
  expect(result.ticks['skipped overlap'] ?? 0).toBeLessThanOrEqual(1)
  expect(result.executions['catch_up completed']).toBe(99)
})

test('a catch-up that may start only in five minutes costs no on-time tick', async () => {
  const result = await play({
    spec: jobSpec({ catchUp: chain }),
    outageMs: 5 * minute + 6 * second,
    forMs: 4 * minute,
    stepMs: second,
    runMs: 2 * second,
    catchUpEveryMs: 5 * minute,
  })
  expect(result.ticks).toEqual({ fired: 24 })
})

test('with two places and runs longer than the interval, the chain moves on', async () => {
  const result = await play({
    spec: jobSpec({ catchUp: { ...chain, maxMissedRuns: 5 }, maxConcurrent: 2 }),
    outageMs: 2 * minute + 6 * second,
    forMs: 10 * minute,
    stepMs: second,
    runMs: 15 * second,
  })
  expect(result.executions['catch_up completed']).toBe(5)
})

test.each(['skip', 'buffer_one', 'buffer_all'] as const)(
  'runs of 12 s every 10 s do not starve the chain for ever: %s',
  async (overlap) => {
    const result = await play({
      spec: jobSpec({ overlap, catchUp: { ...chain, maxMissedRuns: 3 } }),
      outageMs: minute + 6 * second,
      forMs: 15 * minute,
      stepMs: 2 * second,
      runMs: 12 * second,
    })
    expect(result.executions['catch_up completed']).toBe(3)
  },
)

test('a failing catch-up in back-off costs no on-time tick', async () => {
  const error = { name: 'Error', message: 'no' }
  const result = await play({
    spec: jobSpec({ schedule: every(minute), catchUp: chain, retry: { attempts: 10, baseMs: 40 * second } }),
    outageMs: 10 * minute + 10 * second,
    forMs: 30 * minute,
    stepMs: second,
    runMs: 2 * second,
    outcome: ({ cause }) =>
      cause === 'catch_up' ? { kind: 'error', error } : { kind: 'done', result: null },
  })
  expect(result.ticks).toEqual({ fired: 30 })
})

test('a job every second with a failing tick and a long back-off loses no later tick to it', async () => {
  const error = { name: 'Error', message: 'no' }
  const result = await play({
    spec: jobSpec({ schedule: every(second), retry: { attempts: 3, baseMs: hour } }),
    outageMs: 0,
    forMs: minute,
    stepMs: 100,
    runMs: 100,
    outcome: ({ tickAt }) =>
      tickAt === t0 + 5 * second ? { kind: 'error', error } : { kind: 'done', result: null },
  })
  expect(result.ticks).toEqual({ fired: 60 })
  expect(result.executions['schedule failed']).toBe(1)
})

test('a trigger that is still running when a tick is due makes it wait, and both run', async () => {
  const result = await play({
    spec: jobSpec({ schedule: every(minute) }),
    outageMs: 0,
    forMs: 3 * minute,
    stepMs: 5 * second,
    runMs: 10 * second,
    during: async (hand, now) => {
      if (now === t0 + 55 * second) await hand.trigger('a', 'm1', now)
    },
  })
  expect(result.ticks).toEqual({ fired: 3 })
  expect(result.executions['manual completed']).toBe(1)
})

test('`latest` + skip while the old execution still runs: the newest runs once after it', async () => {
  const result = await play({
    spec: jobSpec({ schedule: every(minute), catchUp: { graceMs: second } }),
    outageMs: minute,
    forMs: 30 * minute,
    stepMs: 2 * minute + 30 * second,
    runMs: 20 * minute,
  })
  // The first run ends at 21 min, the newest that waited starts then, and one more waits for it.
  const begun = Object.entries(result.executions).filter(([key]) => !/cancelled|blocked/.test(key))
  expect(begun.reduce((sum, [, count]) => sum + count, 0)).toBe(2)
  expect(result.executions['catch_up blocked']).toBe(1)
})
