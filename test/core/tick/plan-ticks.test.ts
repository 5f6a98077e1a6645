import { describe, expect, test } from 'vitest'
import type { Lane } from '../../../src/core/execution/overlap.ts'
import type { JobSpec } from '../../../src/core/job/job.ts'
import { catchUpPolicies, overlapPolicies } from '../../../src/core/job/policies.ts'
import { sequenceOfJob } from '../../../src/core/job/sequence.ts'
import type { TickSequence } from '../../../src/core/schedule/schedule.ts'
import { isEmptyPlan, type PlanRequest, planTicks, type TickPlan } from '../../../src/core/tick/plan-ticks.ts'
import { day, every, jobSpec, minute, second, t0 } from '../../store/builders.ts'
import { at, seconds } from '../../store/by-hand.ts'

const idle = { chainYields: 0, active: [], waiting: 0, waitingTicks: 0, chained: 0 } as const
const running = { id: 'x', state: 'running', cause: 'schedule', tickAt: t0, readyAt: t0 } as const

interface Given {
  readonly now: number
  readonly from?: number
  readonly runs?: number
  readonly openTickAt?: number
  readonly lane?: Partial<Lane>
  readonly aheadMs?: number
  readonly heldBack?: boolean
  readonly wrap?: (sequence: TickSequence) => TickSequence
}

function plan(spec: JobSpec, given: Given): TickPlan {
  const { overlap, maxConcurrent } = spec
  const { from = t0 + 1, runs = 0, openTickAt = null } = given
  const job = { id: 'job', spec, accountedUntil: from, openTickAt, runs }
  const sequence = sequenceOfJob({ name: 'job', spec, openTickAt })
  const request: PlanRequest = {
    job,
    sequence: given.wrap?.(sequence) ?? sequence,
    lane: { overlap, maxConcurrent, ...idle, ...given.lane },
    heldBack: given.heldBack ?? false,
    now: given.now,
    aheadMs: given.aheadMs ?? 0,
    catchUpReadyAt: (k) => given.now + k * 100,
  }
  return planTicks(request)
}

/** The plan as text, in seconds after t0. */
function told({ executions, ranges }: TickPlan): string[] {
  const own = executions.map((one) => ({
    at: one.tickAt,
    text: `${seconds(one.tickAt)} ${one.account} ${one.state}`,
  }))
  const spans = ranges.map(({ from, to, reason, count }) => ({
    at: from,
    text: `${seconds(from)}-${seconds(to)} ${reason} x${count}`,
  }))
  return [...own, ...spans].sort((a, b) => a.at - b.at).map(({ text }) => text)
}

/** A sequence that remembers every instant it has named. */
function watched(): { wrap: (sequence: TickSequence) => TickSequence; visited: Set<number> } {
  const visited = new Set<number>()
  const seen = (tick: number | null) => {
    if (tick !== null) visited.add(tick)
    return tick
  }
  const wrap = (sequence: TickSequence): TickSequence => ({
    next: (instant) => seen(sequence.next(instant)),
    previous: (instant) => seen(sequence.previous(instant)),
    count: (from, to) => sequence.count(from, to),
  })
  return { wrap, visited }
}

describe('three ticks were missed and one is on time', () => {
  const now = at(41)
  const missed = { none: ['10-30 catchup_off x3'], all: ['10 caught_up', '20 caught_up', '30 caught_up'] }

  test.each(overlapPolicies.flatMap((overlap) => catchUpPolicies.map((policy) => ({ overlap, policy }))))(
    '$policy, $overlap, idle',
    ({ overlap, policy }) => {
      const chain = overlap === 'allow' ? 'pending' : 'blocked'
      const expected = {
        none: [...missed.none, '40 fired pending'],
        latest: ['10-30 latest x3', '40 fired pending'],
        all: [...missed.all.map((one) => `${one} ${chain}`), '40 fired pending'],
      }
      const result = plan(jobSpec({ overlap, catchUp: { policy } }), { now })
      expect(told(result)).toEqual(expected[policy])
      expect(result).toMatchObject({ accountedUntil: now + 1, nextDueAt: at(50), ended: false })
    },
  )

  test.each([
    ['skip', 'none', [...missed.none, '40-40 overlap x1']],
    ['skip', 'latest', ['10-30 latest x3', '40 caught_up blocked']],
    ['skip', 'all', [...missed.all.map((one) => `${one} blocked`), '40-40 overlap x1']],
    ['buffer_one', 'none', [...missed.none, '40 fired blocked']],
    ['buffer_one', 'latest', ['10-30 latest x3', '40 caught_up blocked']],
    ['buffer_all', 'all', [...missed.all.map((one) => `${one} blocked`), '40 fired blocked']],
    ['cancel_running', 'none', [...missed.none, '40 fired blocked']],
    ['cancel_running', 'latest', ['10-30 latest x3', '40 caught_up blocked']],
    ['allow', 'all', [...missed.all.map((one) => `${one} pending`), '40 fired pending']],
  ] as const)('%s, %s, while a tick runs', (overlap, policy, expected) => {
    const result = plan(jobSpec({ overlap, catchUp: { policy } }), { now, lane: { active: [running] } })
    expect(told(result)).toEqual(expected)
  })
})

describe('a month of missed seconds', () => {
  const spec = (policy: 'none' | 'latest' | 'all', maxMissedRuns = 3) =>
    jobSpec({ schedule: every(second), catchUp: { policy, maxMissedRuns } })
  const now = t0 + 30 * day

  test.each([
    ['none', 1, 2],
    ['latest', 1, 2],
    ['all', 3, 5],
    ['all', 100, 102],
  ] as const)('%s up to %i: a handful of rows, few instants visited', (policy, maxMissedRuns, rows) => {
    const { wrap, visited } = watched()
    const result = plan(spec(policy, maxMissedRuns), { now, wrap })
    expect(result.executions.length + result.ranges.length).toBeLessThanOrEqual(rows)
    const inSpan = [...visited].filter((tick) => tick < now)
    expect(inSpan.length).toBeLessThanOrEqual(maxMissedRuns + 2)
    const ticks = result.executions.length + result.ranges.reduce((sum, { count }) => sum + count, 0)
    expect(ticks).toBe(2_592_000)
  })
})

describe('grace and window', () => {
  test('late within the grace is on time; a moment later it is caught up', () => {
    const spec = jobSpec({ catchUp: { graceMs: 3 * second } })
    expect(told(plan(spec, { now: at(13) }))).toEqual(['10 fired pending'])
    expect(told(plan(spec, { now: at(13) + 1 }))).toEqual(['10 caught_up blocked'])
  })

  test('`latest`, per minute, down an hour, back at :30: one run for all', () => {
    const spec = jobSpec({ schedule: every(minute), catchUp: { graceMs: minute } })
    const result = plan(spec, { now: t0 + 60 * minute + 30 * second })
    expect(told(result)).toEqual(['60-3540 latest x59', '3600 fired pending'])
    expect(result.ranges[0]?.into).toBe(t0 + 60 * minute)
  })

  test('the window is applied first, to `latest` too', () => {
    const all = jobSpec({ catchUp: { policy: 'all', windowMs: 25 * second, graceMs: 0 } })
    expect(told(plan(all, { now: at(51) }))).toEqual([
      '10-20 outside_window x2',
      '30 caught_up blocked',
      '40 caught_up blocked',
      '50 caught_up blocked',
    ])
    const latest = jobSpec({ catchUp: { windowMs: 25 * second, graceMs: 0 } })
    expect(told(plan(latest, { now: at(51) }))).toEqual([
      '10-20 outside_window x2',
      '30-40 latest x2',
      '50 caught_up blocked',
    ])
    const narrow = jobSpec({ catchUp: { windowMs: 0, graceMs: 0 } })
    expect(told(plan(narrow, { now: at(51) }))).toEqual(['10-50 outside_window x5'])
  })

  test('a tick that is on time is inside any window', () => {
    const spec = jobSpec({ catchUp: { windowMs: 0 } })
    expect(told(plan(spec, { now: at(31) }))).toEqual(['10-20 outside_window x2', '30 fired pending'])
  })

  test('catch-ups are told k of n, and start when they are told to', () => {
    const { executions, keepCatchUps } = plan(jobSpec({ catchUp: { policy: 'all', graceMs: 0 } }), {
      now: at(31),
    })
    expect(executions.map(({ index, of, readyAt }) => [index, of, readyAt - at(31)])).toEqual([
      [1, 3, 0],
      [2, 3, 100],
      [3, 3, 200],
    ])
    expect(keepCatchUps).toBe(100)
  })
})

describe('the end of a schedule', () => {
  test('maxRuns ends it with its last run; what lies after was never due', () => {
    const spec = jobSpec({ overlap: 'allow', maxRuns: 5, catchUp: { policy: 'all' } })
    const result = plan(spec, { now: at(100), runs: 3 })
    expect(told(result)).toEqual(['10 caught_up pending', '20 caught_up pending'])
    expect(result).toMatchObject({ ended: true, nextDueAt: null, accountedUntil: at(20) + 1 })
  })

  test.each([5, 8])('with %i runs of 5 there is nothing more', (runs) => {
    const spec = jobSpec({ overlap: 'allow', maxRuns: 5, catchUp: { policy: 'all' } })
    expect(plan(spec, { now: at(100), runs })).toMatchObject({ executions: [], ranges: [], ended: true })
  })

  test('coalesced ticks are no runs', () => {
    const result = plan(jobSpec({ maxRuns: 2 }), { now: at(31) })
    expect(told(result)).toEqual(['10-20 latest x2', '30 fired pending'])
    expect(result.ended).toBe(false)
  })

  test('endAt: its last tick ends it', () => {
    const result = plan(jobSpec({ endAt: at(20) }), { now: at(10) })
    expect(result).toMatchObject({ ended: true, nextDueAt: null })
    expect(told(result)).toEqual(['10 fired pending'])
  })

  test('nothing due is nothing written', () => {
    const result = plan(jobSpec(), { now: at(5) })
    expect(isEmptyPlan(result)).toBe(true)
    expect(result).toMatchObject({ accountedUntil: t0 + 1, nextDueAt: at(10) })
  })
})

describe('jitter', () => {
  const spec = jobSpec({ overlap: 'allow', jitterMs: minute })
  const delayAt = (now: number, job = spec) => (plan(job, { now }).executions.at(-1)?.readyAt ?? 0) - now

  test('is the same for the same tick, differs between ticks, and never reaches the next tick', () => {
    const delays = Array.from({ length: 50 }, (_, n) => delayAt(at((n + 1) * 10)))
    expect(delays).toEqual(Array.from({ length: 50 }, (_, n) => delayAt(at((n + 1) * 10))))
    expect(new Set(delays).size).toBeGreaterThan(25)
    for (const delay of delays) {
      expect(delay).toBeGreaterThanOrEqual(0)
      expect(delay).toBeLessThan(10 * second)
    }
  })

  test('is bounded by itself where the next tick is far or none', () => {
    const last = { ...spec, jitterMs: 50, endAt: at(15) }
    expect(delayAt(at(10), last)).toBeLessThanOrEqual(50)
  })
})

describe('look-ahead', () => {
  const ahead = { now: at(9), aheadMs: 2 * second }

  test('an idle job has its next tick made early, ready at its own instant', () => {
    const result = plan(jobSpec(), ahead)
    expect(result.executions).toMatchObject([
      { tickAt: at(10), readyAt: at(10), account: 'fired', state: 'pending' },
    ])
    expect(result).toMatchObject({ accountedUntil: at(10) + 1, nextDueAt: at(20) })
  })

  test.each([
    ['something is active', { active: [running] }],
    ['something waits', { waiting: 1 }],
    ['a chain waits', { chained: 1 }],
  ])('not where %s', (_title, lane) => {
    expect(plan(jobSpec(), { ...ahead, lane }).executions).toEqual([])
  })

  test('not after a tick that is due in the same plan', () => {
    const spec = jobSpec({ schedule: every(second) })
    expect(told(plan(spec, { now: at(1), aheadMs: 5 * second }))).toEqual(['1 fired pending'])
  })

  test('only one, unless overlap is `allow`; then as many as maxRuns leaves', () => {
    const spec = jobSpec({ schedule: every(500) })
    expect(plan(spec, ahead).executions).toHaveLength(1)
    const allow = { ...spec, overlap: 'allow' } as const
    const from = ahead.now + 1
    expect(plan(allow, { ...ahead, from }).executions).toHaveLength(4)
    expect(plan({ ...allow, maxRuns: 3 }, { ...ahead, from }).executions).toHaveLength(3)
  })

  test('never a tick below the cursor again', () => {
    expect(isEmptyPlan(plan(jobSpec(), { ...ahead, from: at(10) + 1 }))).toBe(true)
  })
})

describe('fixedDelay', () => {
  const spec = jobSpec({ schedule: { kind: 'fixed_delay', delayMs: 10 * second } })

  test('its execution writes the next instant at its end, so none is open until then', () => {
    const result = plan(spec, { now: at(10), openTickAt: at(10) })
    expect(told(result)).toEqual(['10 fired pending'])
    expect(result).toMatchObject({ openTickAt: null, nextDueAt: null, ended: false })
  })

  test('a skip has no end: the next instant is written with it', () => {
    const result = plan(jobSpec({ ...spec, catchUp: { policy: 'none' } }), {
      now: at(60),
      openTickAt: at(10),
    })
    expect(told(result)).toEqual(['10-10 catchup_off x1'])
    expect(result).toMatchObject({ openTickAt: at(70), nextDueAt: at(70) })
  })
})
