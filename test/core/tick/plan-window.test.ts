import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JobSpec } from '../../../src/core/job/job.ts'
import { catchUpPolicies, overlapPolicies } from '../../../src/core/job/policies.ts'
import { sequenceOfJob } from '../../../src/core/job/sequence.ts'
import { dueInstant, openUntil, windowOf } from '../../../src/core/job/window.ts'
import { isEmptyPlan, planTicks, type TickPlan } from '../../../src/core/tick/plan-ticks.ts'
import { day, every, hour, jobSpec, minute, t0 } from '../../store/builders.ts'

// t0 is a Monday, midnight UTC.
const office = ['Mon-Fri 08:00-18:00']
const idle = { chainYields: 0, active: [], waiting: 0, waitingTicks: 0, chained: 0 } as const

interface Given {
  readonly now: number
  readonly from?: number
  readonly aheadMs?: number
  readonly action?: boolean
  readonly openTickAt?: number
}

function plan(
  spec: JobSpec,
  { now, from = t0 + 1, aheadMs = 0, action = false, openTickAt }: Given,
): TickPlan {
  const { overlap, maxConcurrent } = spec
  return planTicks({
    job: { id: 'job', spec, accountedUntil: from, openTickAt: openTickAt ?? null, runs: 0 },
    sequence: sequenceOfJob({ name: 'job', spec, openTickAt: openTickAt ?? null }),
    lane: { overlap, maxConcurrent, ...idle },
    heldBack: false,
    now,
    aheadMs,
    settlesClosed: action,
    catchUpReadyAt: (k) => now + k * 100,
  })
}

const clock = (at: number) => `${Math.floor((at - t0) / day)} ${new Date(at).toISOString().slice(11, 16)}`

function told({ executions, ranges }: TickPlan): string[] {
  return [
    ...executions.map((one) => ({
      at: one.tickAt,
      text: `${clock(one.tickAt)} ${one.account} at ${clock(one.readyAt)}`,
    })),
    ...ranges.map(({ from, to, reason, count }) => ({
      at: from,
      text: `${clock(from)} to ${clock(to)} ${reason} x${count}`,
    })),
  ]
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text)
}

const hourly = (window: Partial<JobSpec['window']>, more: Parameters<typeof jobSpec>[0] = {}) =>
  jobSpec({ schedule: every(hour), window: { open: office, ...window }, ...more })

describe('skip', () => {
  const spec = hourly({})

  test('closed ticks are settled with the next that is open, as one range', () => {
    const evening = plan(spec, { from: t0 + 17 * hour + 1, now: t0 + 17 * hour + 2 })
    expect([isEmptyPlan(evening), clock(evening.nextDueAt ?? 0)]).toEqual([true, '1 08:00'])
    const morning = plan(spec, { from: t0 + 17 * hour + 1, now: t0 + day + 8 * hour })
    expect(told(morning)).toEqual(['0 18:00 to 1 07:00 closed x14', '1 08:00 fired at 1 08:00'])
  })

  test('a missed span is cut at every opening and closing', () => {
    const outage = plan(spec, { now: t0 + 2 * day + 8 * hour + 30 * minute })
    expect(told(outage)).toEqual([
      '0 01:00 to 0 07:00 closed x7',
      '0 08:00 to 0 17:00 latest x10',
      '0 18:00 to 1 07:00 closed x14',
      '1 08:00 to 1 17:00 latest x10',
      '1 18:00 to 2 07:00 closed x14',
      '2 08:00 caught_up at 2 08:30',
    ])
  })

  test('what was missed while it was open and is settled while it is closed runs when it opens', () => {
    const late = plan(spec, { from: t0 + 16 * hour + 1, now: t0 + 19 * hour + minute })
    expect(told(late)).toEqual(['0 17:00 caught_up at 1 08:00', '0 18:00 to 0 19:00 closed x2'])
  })

  test('an action settles closed ticks as closed', () => {
    const paused = plan(spec, { from: t0 + 17 * hour + 1, now: t0 + 20 * hour + minute, action: true })
    expect(told(paused)).toEqual(['0 18:00 to 0 20:00 closed x3'])
  })

  test('a tick ahead never passes over a closed one', () => {
    const ahead = (schedule: JobSpec['schedule'], now: number) =>
      plan(hourly({}, { schedule }), { from: now, now, aheadMs: 1_500 })
    const seconds = ahead(every(1_000), t0 + 8 * hour - 1_400)
    expect(seconds.executions).toEqual([])
    expect(told(ahead(every(hour), t0 + 8 * hour - 1_400))).toEqual(['0 08:00 fired at 0 08:00'])
    expect(told(ahead(every(hour), t0 + 18 * hour - 1_400))).toEqual([])
  })

  test('without an opening ahead every tick is closed', () => {
    const over = hourly({ open: ['2027-01-04 00:00-02:00'] })
    const due = plan(over, { now: t0 + 3 * hour })
    expect(told(due)).toEqual(['0 01:00 to 0 03:00 closed x3'])
    expect(clock(due.nextDueAt ?? 0)).toBe('0 04:00')
  })

  test('a jitter does not reach the closing', () => {
    const spread = hourly({}, { jitterMs: 50 * minute, schedule: every(59 * minute) })
    for (let tick = t0 + 59 * minute; tick < t0 + 2 * day; tick += 59 * minute) {
      for (const { readyAt } of plan(spread, { from: tick, now: tick }).executions)
        expect(windowOf(spread)?.hours.isOpen(readyAt)).toBe(true)
    }
  })
})

describe('defer', () => {
  const spec = hourly({ onClosed: 'defer' })

  test('the cursor stands at the first closed tick, and the opening is the next due instant', () => {
    const evening = plan(spec, { from: t0 + 17 * hour + 1, now: t0 + 20 * hour })
    expect(isEmptyPlan(evening)).toBe(true)
    expect(evening.accountedUntil).toBe(t0 + 17 * hour + 1)
    expect(clock(evening.nextDueAt ?? 0)).toBe('1 08:00')
  })

  test('at the opening the catch-up policy settles what was put off', () => {
    const latest = { from: t0 + 17 * hour + 1, now: t0 + day + 8 * hour }
    expect(told(plan(spec, latest))).toEqual(['0 18:00 to 1 07:00 latest x14', '1 08:00 fired at 1 08:00'])
    const all = hourly({ onClosed: 'defer' }, { catchUp: { policy: 'all', maxMissedRuns: 2 } })
    expect(told(plan(all, latest))).toEqual([
      '0 18:00 to 1 05:00 over_limit x12',
      '1 06:00 caught_up at 1 08:00',
      '1 07:00 caught_up at 1 08:00',
      '1 08:00 fired at 1 08:00',
    ])
  })

  test('a tick that was put off is caught up, never fired', () => {
    const once = jobSpec({
      schedule: { kind: 'at', at: t0 + 20 * hour },
      window: { open: office, onClosed: 'defer' },
    })
    expect(told(plan(once, { now: t0 + day + 8 * hour }))).toEqual(['0 20:00 caught_up at 1 08:00'])
  })

  test('the window of the catch-up counts from the opening', () => {
    const within = hourly({ onClosed: 'defer' }, { catchUp: { policy: 'all', windowMs: hour } })
    // Put off at 18:00 and due at 08:00: half an hour ago.
    expect(told(plan(within, { from: t0 + 16 * hour + 1, now: t0 + day + 8 * hour + 30 * minute }))).toEqual([
      '0 17:00 to 0 17:00 outside_window x1',
      ...Array.from({ length: 14 }, (_, n) => `${clock(t0 + (18 + n) * hour)} caught_up at 1 08:30`),
      '1 08:00 caught_up at 1 08:30',
    ])
    expect(
      told(plan(within, { from: t0 + 16 * hour + 1, now: t0 + day + 9 * hour + 30 * minute })).at(0),
    ).toBe('0 17:00 to 1 08:00 outside_window x16')
  })

  test('an action in closed time settles what was put off: it runs when it opens', () => {
    const paused = plan(spec, { from: t0 + 17 * hour + 1, now: t0 + 20 * hour, action: true })
    expect(told(paused)).toEqual(['0 18:00 to 0 19:00 latest x2', '0 20:00 caught_up at 1 08:00'])
  })

  test('a leader that comes in closed time settles what was missed before', () => {
    const late = plan(spec, { from: t0 + 16 * hour + 1, now: t0 + 17 * hour + 59 * minute + hour })
    expect(told(late)).toEqual(['0 17:00 to 0 17:00 latest x1', '0 18:00 caught_up at 1 08:00'])
  })

  test('nothing is accounted ahead of what was put off', () => {
    const now = t0 + day + 8 * hour - 1_000
    expect(plan(spec, { from: t0 + 17 * hour + 1, now, aheadMs: 1_500 }).executions).toEqual([])
    expect(told(plan(spec, { from: now, now, aheadMs: 1_500 }))).toEqual(['1 08:00 fired at 1 08:00'])
  })

  test('a spread that reaches the closing goes on at the next opening', () => {
    const all = hourly({ onClosed: 'defer' }, { catchUp: { policy: 'all' } })
    const now = t0 + 18 * hour - 250
    const ready = plan(all, { now }).executions.map(({ readyAt }) => readyAt - now)
    expect(ready.slice(0, 3)).toEqual([0, 100, 200])
    expect(new Set(ready.slice(3))).toEqual(new Set([14 * hour + 250]))
  })
})

test('a fixedDelay that would be due in closed time is due at the opening', () => {
  const spec = jobSpec({ schedule: { kind: 'fixed_delay', delayMs: hour }, window: { open: office } })
  // New hours have closed over the open tick.
  const skipped = plan(spec, { from: t0 + 1, openTickAt: t0 + 20 * hour, now: t0 + 20 * hour })
  expect(told(skipped)).toEqual(['0 20:00 to 0 20:00 closed x1'])
  expect([clock(skipped.openTickAt ?? 0), clock(skipped.nextDueAt ?? 0)]).toEqual(['1 08:00', '1 08:00'])
})

describe('whatever the hours, the policy and the moment', () => {
  const lines = fc.subarray(
    [
      'Mon-Fri 08:00-18:00',
      'Sat 22:00-03:00',
      '2027-01-06',
      '2027-01-09..2027-01-10',
      '12:00-12:30,23:00-01:00',
    ],
    { minLength: 1, maxLength: 2 },
  )
  const given = fc.record({
    open: fc.oneof(fc.constant([]), lines),
    closed: fc.oneof(fc.constant([]), lines),
    policy: fc.constantFrom(...catchUpPolicies),
    onClosed: fc.constantFrom('skip' as const, 'defer' as const),
    overlap: fc.constantFrom(...overlapPolicies),
    maxMissedRuns: fc.integer({ min: 1, max: 20 }),
    windowMs: fc.oneof(fc.constant(null), fc.integer({ min: minute, max: 5 * day })),
    everyMs: fc.constantFrom(7 * minute, hour, 5 * hour),
    from: fc.integer({ min: 0, max: 5 * day }),
    spanMs: fc.oneof(fc.integer({ min: 0, max: 2 * hour }), fc.integer({ min: 0, max: 9 * day })),
    aheadMs: fc.constantFrom(0, 1_500),
    action: fc.boolean(),
  })

  test('each tick below the cursor has one account, closed ones none that starts in closed time', () => {
    fc.assert(
      fc.property(
        given,
        ({ open, closed, policy, onClosed, overlap, from, spanMs, aheadMs, action, ...more }) => {
          if (onClosed === 'defer' && policy === 'none') return
          const { maxMissedRuns, windowMs, everyMs } = more
          const spec = jobSpec({
            schedule: every(everyMs),
            overlap,
            catchUp: { policy, maxMissedRuns, windowMs },
            window: { open, closed, onClosed },
          })
          const hours = windowOf(spec)?.hours
          const isOpen = (at: number) => hours?.isOpen(at) ?? true
          const cursor = t0 + from
          const now = cursor + spanMs
          const made = plan(spec, { from: cursor, now, aheadMs, action })
          const sequence = sequenceOfJob({ name: 'job', spec, openTickAt: null })
          const accounts = new Map<number, string>()
          const account = (tick: number, what: string) => {
            expect(accounts.has(tick)).toBe(false)
            accounts.set(tick, what)
          }
          for (const { tickAt, account: what } of made.executions) account(tickAt, what)
          for (const { from: first, to, count, reason } of made.ranges) {
            expect(sequence.count(first, to + 1)).toBe(count)
            for (let tick: number | null = first; tick !== null && tick <= to; tick = sequence.next(tick))
              account(tick, reason)
          }
          for (
            let tick = sequence.next(cursor - 1);
            tick !== null && tick <= now + 1_500;
            tick = sequence.next(tick)
          )
            expect(accounts.has(tick)).toBe(tick < made.accountedUntil)
          const opens =
            (hours?.nextOpening(now) ?? now) !== null &&
            (hours === undefined || hours.nextOpening(now) !== null)
          for (const [tick, what] of accounts) {
            const isClosed = opens ? onClosed === 'skip' && !isOpen(tick) : tick <= now
            expect([tick, what === 'closed']).toEqual([tick, isClosed])
          }
          for (const { readyAt, account: what } of made.executions) {
            expect(isOpen(readyAt) || hours?.nextOpening(readyAt) === null).toBe(true)
            expect(openUntil(spec, readyAt) ?? Number.POSITIVE_INFINITY).toBeGreaterThan(readyAt)
            expect(what !== 'fired' || isOpen(now) || aheadMs > 0).toBe(true)
          }
          // Due by now is either settled, or put off until the opening; the next look is never in the past.
          const isPutOff = made.accountedUntil <= now && sequence.count(made.accountedUntil, now + 1) > 0
          expect(!isPutOff || (onClosed === 'defer' && !isOpen(now) && !action)).toBe(true)
          expect(made.nextDueAt).toBe(dueInstant(spec, sequence, made.accountedUntil))
          expect(made.nextDueAt ?? now + 1).toBeGreaterThan(now)
        },
      ),
      { numRuns: 600 },
    )
  })
})
