import { describe, expect, test } from 'vitest'
import { addMissed, missedOf, noRepair } from '../../../src/core/leader/repair.ts'
import { effectiveEnd, gapBefore, type LeaderTerm } from '../../../src/core/leader/term.ts'
import { minute, second, t0 } from '../../store/builders.ts'

const graceMs = 5 * minute

function term(overrides: Partial<LeaderTerm> = {}): LeaderTerm {
  const base = { id: 1, leaderInstance: 'n1', startAt: t0, stopAt: null, lastHeartbeatAt: null }
  return { ...base, handledMissedTasks: false, ...overrides }
}

describe('a term effectively ended', () => {
  test.each([
    ['when it stopped', term({ stopAt: t0 + 7, lastHeartbeatAt: t0 + 5 }), t0 + 7],
    ['else its grace after the last heartbeat', term({ lastHeartbeatAt: t0 + 5 }), t0 + 5 + graceMs],
    ['else its grace after the start', term(), t0 + graceMs],
  ])('%s', (_title, of, expected) => {
    expect(effectiveEnd(of, graceMs)).toBe(expected)
  })
})

describe('the gap before a term', () => {
  const next = term({ id: 2, startAt: t0 + 10 * minute })
  test.each([
    ['none before the first', null, null],
    ['from the stop', term({ stopAt: t0 + minute }), { from: t0 + minute, to: next.startAt }],
    ['from the effective end', term({ lastHeartbeatAt: t0 }), { from: t0 + graceMs, to: next.startAt }],
    ['none where the grace reaches the next', term({ lastHeartbeatAt: t0 + 6 * minute }), null],
    ['none where one followed the other', term({ stopAt: next.startAt }), null],
  ])('%s', (_title, previous, expected) => {
    expect(gapBefore(next, previous, graceMs)).toEqual(expected)
  })
})

test('only what was due before the term began is a repair', () => {
  const execution = {
    cause: 'catch_up',
    account: 'caught_up',
    state: 'pending',
    readyAt: 0,
    index: 1,
    of: 1,
  } as const
  const range = { account: 'skipped', reason: 'over_limit', into: null } as const
  const missed = missedOf(
    {
      executions: [
        { ...execution, tickAt: t0 - 1 },
        { ...execution, tickAt: t0 },
      ],
      ranges: [
        { ...range, from: t0 - 60 * second, to: t0 - 2, count: 5 },
        {
          ...range,
          account: 'coalesced',
          reason: 'latest',
          from: t0 - 90 * second,
          to: t0 - 70 * second,
          count: 3,
        },
        { ...range, from: t0 + 1, to: t0 + 9, count: 7 },
      ],
    },
    t0,
  )
  expect(missed).toEqual([
    { account: 'skipped', reason: 'over_limit', count: 5 },
    { account: 'coalesced', reason: 'latest', count: 3 },
    { account: 'caught_up', reason: null, count: 1 },
  ])
  const repair = { found: 9, caughtUp: 1, coalesced: 3, skipped: 5 }
  expect(missed.reduce(addMissed, noRepair)).toEqual(repair)
  expect(missed.reduce(addMissed, repair)).toEqual({ found: 18, caughtUp: 2, coalesced: 6, skipped: 10 })
})
