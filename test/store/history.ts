/** Random histories of a store: what may happen to it, as data, and how each step is done by hand. */

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Ending, endingOf, type Outcome } from '../../src/core/attempt/outcome.ts'
import { EvertickError } from '../../src/core/error.ts'
import type { JobSpec } from '../../src/core/job/job.ts'
import { catchUpPolicies, overlapPolicies } from '../../src/core/job/policies.ts'
import type { ScheduleSpec } from '../../src/core/schedule/schedule.ts'
import type { ClaimedExecution, JobChange } from '../../src/store/store.ts'
import { by, day, hour, idOf, jobSpec, minute, newExecution, second } from './builders.ts'
import { byHand, type Led } from './by-hand.ts'
import type { StoreUnderTest } from './conformance/store-under-test.ts'

/** Two hours before Madrid's clocks go forward, so that short histories cross the gap. */
export const historyStart = Date.UTC(2027, 2, 27, 23)

const schedules: readonly ScheduleSpec[] = [
  { kind: 'every', everyMs: 7 * second, anchorAt: historyStart },
  { kind: 'every', everyMs: 500, anchorAt: historyStart + 3 },
  { kind: 'every', everyMs: 10 * minute, anchorAt: historyStart - 5 },
  { kind: 'cron', cron: '*/20 * * * * *', timezone: 'UTC' },
  { kind: 'cron', cron: '30 2 * * *', timezone: 'Europe/Madrid' },
  { kind: 'cron', cron: '*/15 * * * *', timezone: 'Europe/Madrid' },
  { kind: 'fixed_delay', delayMs: 5 * second },
  { kind: 'fixed_delay', delayMs: 2 * minute },
  { kind: 'at', at: historyStart + second },
  { kind: 'at', at: historyStart + 90 * second },
]

const aSpec: fc.Arbitrary<JobSpec> = fc
  .record({
    schedule: fc.constantFrom(...schedules),
    policy: fc.constantFrom(...catchUpPolicies),
    maxMissedRuns: fc.constantFrom(1, 3, 20),
    windowMs: fc.constantFrom(null, 30 * second, hour),
    overlap: fc.constantFrom(...overlapPolicies),
    maxConcurrent: fc.constantFrom(1, 1, 2),
    maxRuns: fc.constantFrom(null, null, null, 3),
    startDeadlineMs: fc.constantFrom(null, null, 20 * second),
    onCrash: fc.constantFrom('retry', 'fail'),
    jitterMs: fc.constantFrom(0, 0, 3 * second),
    endAt: fc.constantFrom(null, null, null, historyStart + 5 * minute),
    kept: fc.constantFrom(1, 3, 100),
  })
  .map(({ policy, maxMissedRuns, windowMs, kept, ...spec }) =>
    jobSpec({
      ...spec,
      endAt: spec.schedule.kind === 'fixed_delay' ? null : spec.endAt,
      maxConcurrent: spec.overlap === 'allow' ? 1 : spec.maxConcurrent,
      catchUp: { policy, maxMissedRuns, windowMs },
      retention: { executions: kept, ageMs: 10 * minute },
    }),
  )

const endings = ['done', 'twice', 'error', 'fail', 'snooze', 'cancel'] as const

const aJob = fc.nat(2)
const aPick = fc.nat(50)

const aStep = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('advance'), ms: anAdvance() }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('account'), aheadMs: fc.constantFrom(0, 2_000) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('claim'), limit: fc.nat(4), start: fc.nat(4) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('finish'),
      pick: aPick,
      ending: fc.constantFrom(...endings),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('start'), pick: aPick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release'), pick: aPick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('expire') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unblock') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('change'), job: aJob, change: aChange() }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('pause'), job: aJob, forMs: fc.constantFrom(null, 15_000, hour) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('edit'), job: aJob, spec: aSpec }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('trigger'), job: aJob, force: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('backfill'), job: aJob, agoMs: fc.constantFrom(20_000, hour) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('enqueue'), job: aJob }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancelExecution'), pick: aPick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('retryExecution'), pick: aPick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('purge') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lead') }) },
)

export type Step = typeof aStep extends fc.Arbitrary<infer T> ? T : never

export const aHistory = fc.record({
  specs: fc.tuple(aSpec, aSpec, aSpec),
  steps: fc.array(aStep, { minLength: 5, maxLength: 70, size: 'max' }),
})

function anAdvance(): fc.Arbitrary<number> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 3 * second }) },
    { weight: 3, arbitrary: fc.integer({ min: second, max: 2 * minute }) },
    { weight: 1, arbitrary: fc.integer({ min: minute, max: 4 * hour }) },
    { weight: 1, arbitrary: fc.constantFrom(day, 40 * day) },
  )
}

function aChange(): fc.Arbitrary<JobChange> {
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('resume'),
        catchUp: fc.constantFrom('skip', 'policy', 'latest', 'all'),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'cancel' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'disable' as const, reason: 'nobody has its handler' }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'enable' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'reset_cursor' as const }) },
  )
}

/** A history under way: the clock, the leader, and the claims that a worker holds or has lost. */
export class History {
  now = historyStart
  readonly names = ['a', 'b', 'c'] as const
  readonly edited = new Set<string>()
  /** Jobs whose limit was bypassed or changed under what was running. */
  readonly unlimited = new Set<string>()
  readonly bench: StoreUnderTest
  readonly hand: ReturnType<typeof byHand>
  lastClaimed: readonly ClaimedExecution[] = []
  #claims: ClaimedExecution[] = []
  #led: Led | null = null
  #made = 0

  constructor(bench: StoreUnderTest) {
    this.bench = bench
    this.hand = byHand(bench.store)
  }

  async begin(specs: readonly JobSpec[]): Promise<void> {
    await this.hand.work()
    this.#led = await this.hand.lead('n1', this.now)
    for (const [index, name] of this.names.entries()) {
      await this.hand.create(name, specs[index], this.now)
    }
  }

  /** Refusals that a user would be told of are part of a history; anything else fails it. */
  async take(step: Step): Promise<void> {
    this.lastClaimed = []
    try {
      await this.#take(step)
    } catch (error) {
      if (!(error instanceof EvertickError)) throw error
      if (error.kind !== 'conflict' && error.kind !== 'usage') throw error
    }
  }

  async #take(step: Step): Promise<void> {
    const { hand, now } = this
    const { store } = this.bench
    const name = 'job' in step ? (this.names[step.job] as string) : ''
    const claim = 'pick' in step ? this.#claims[step.pick % Math.max(1, this.#claims.length)] : undefined
    switch (step.do) {
      case 'advance':
        this.now += step.ms
        return
      case 'account':
        await hand.account(this.#led as Led, now, { aheadMs: step.aheadMs })
        return
      case 'claim':
        this.lastClaimed = await hand.claim(now, {
          limit: step.limit + 1,
          start: step.start,
          readyBy: now + 100,
        })
        this.#claims.push(...this.lastClaimed)
        return
      case 'finish':
        if (claim === undefined) return
        await this.#finish(claim, outcomeOf(step.ending))
        if (step.ending !== 'twice') this.#claims = this.#claims.filter((other) => other !== claim)
        return
      case 'start':
        if (claim !== undefined) await store.work.startAttempts([claim], now)
        return
      case 'release':
        if (claim === undefined) return
        await store.work.releaseClaims([claim], now)
        return
      case 'expire':
        await hand.expire(now)
        return
      case 'unblock':
        await store.work.releaseBlocked('any', now)
        return
      case 'change':
        await hand.change(name, step.change, now)
        return
      case 'pause':
        await hand.pause(name, now, step.forMs === null ? undefined : now + step.forMs)
        return
      case 'edit':
        await hand.change(name, { kind: 'edit', spec: step.spec }, now)
        this.edited.add(name)
        this.unlimited.add(name)
        return
      case 'trigger':
        if (step.force) this.unlimited.add(name)
        await hand.trigger(name, this.#newName(), now, step.force)
        return
      case 'backfill':
        await store.executions.backfillJob(
          name,
          { from: now - step.agoMs, to: now, order: 'oldest_first', limit: 50, dryRun: false },
          by(now),
        )
        return
      case 'enqueue':
        await store.work.enqueueExecutions([newExecution(this.#newName(), name, { createdAt: now })])
        return
      case 'cancelExecution':
      case 'retryExecution': {
        const all = await store.executions.listExecutions({ limit: 200 })
        const picked = all[step.pick % Math.max(1, all.length)]
        if (picked === undefined) return
        if (step.do === 'cancelExecution') await store.executions.cancelExecution(picked.id, by(now))
        else
          await store.executions.retryExecution(
            picked.id,
            { id: idOf(this.#newName()), fromStep: null },
            by(now),
          )
        return
      }
      case 'purge':
        await store.ticks.purgeHistory({ afterJobId: null, jobs: 100, now })
        return
      case 'lead': {
        const { termId, holder } = this.#led as Led
        await store.cluster.endTerm(termId, holder, now)
        const deposed = this.#led as Led
        this.#led = await hand.lead(holder === 'n1' ? 'n2' : 'n1', now)
        assert.equal((await hand.account(deposed, now)).led, false, 'a deposed leader decides nothing')
        return
      }
      default:
        step satisfies never
    }
  }

  /** Whoever holds the lease writes, and nobody else. */
  async #finish(claim: ClaimedExecution, outcome: Outcome): Promise<void> {
    const found = await this.bench.store.executions.findExecution(claim.id)
    const held = found?.state === 'running' && found.fence === claim.fence
    const { refused } = await this.hand.finish(claim, this.now, endingFor(claim, outcome, this.now))
    assert.ok(held || refused.includes(claim.id), `${claim.jobName}: a stale fence is refused`)
  }

  /** Stops every schedule and lets the workers go on until nothing more moves. */
  async drain(): Promise<void> {
    for (const name of this.names) {
      const { state } = await this.hand.job(name)
      if (state === 'active' || state === 'disabled') await this.hand.pause(name, this.now)
    }
    for (let round = 0; round < 400; round += 1) {
      this.now += 30 * minute
      await this.hand.expire(this.now)
      const { released } = await this.bench.store.work.releaseBlocked('any', this.now)
      const done = await this.hand.drain(this.now)
      if (round > 2 && done.length + released === 0) return
    }
  }

  #newName(): string {
    this.#made += 1
    return `made-${this.#made}`
  }
}

function outcomeOf(ending: (typeof endings)[number]): Outcome {
  const error = { name: 'Error', message: 'no' }
  switch (ending) {
    case 'done':
    case 'twice':
      return { kind: 'done', result: { rows: 1 } }
    case 'error':
      return { kind: 'error', error }
    case 'fail':
      return { kind: 'fail', error }
    case 'snooze':
      return { kind: 'snooze', afterMs: 40 * second }
    case 'cancel':
      return { kind: 'cancel', reason: 'handler', note: null }
  }
}

/** As a worker decides it: a retry of the chain waits as `blocked`. */
function endingFor(claim: ClaimedExecution, outcome: Outcome, now: number): Ending {
  const { attempt, maxAttempts, cause, nextTickAt } = claim
  const { retry, overlap, onCrash } = claim.spec
  return endingOf(outcome, { attempt, maxAttempts, cause, retry, overlap, onCrash, nextTickAt }, now, 0)
}
