import { describe, expect, test } from 'vitest'
import type { Cause } from '../../../src/core/execution/execution.ts'
import {
  type ActiveExecution,
  bufferLimits,
  type Lane,
  maxChainYields,
  placeTick,
  placeTrigger,
  releaseBlocked,
} from '../../../src/core/execution/overlap.ts'
import type { OverlapPolicy } from '../../../src/core/job/policies.ts'

/** `running schedule`, as in a sentence; its id is its place. */
function active(...texts: string[]): ActiveExecution[] {
  return texts.map((text, index) => {
    const [state, cause] = text.split(' ') as [ActiveExecution['state'], Cause]
    return { id: `x${index}`, state, cause, tickAt: null, readyAt: 0 }
  })
}

function lane(overlap: OverlapPolicy, overrides: Partial<Lane> = {}): Lane {
  const idle = { maxConcurrent: 1, chainYields: 0, active: [], waiting: 0, waitingTicks: 0, chained: 0 }
  return { overlap, ...idle, ...overrides }
}

const busy = active('running schedule')
const oneTickWaits = { waiting: 1, waitingTicks: 1 }

describe('a due tick', () => {
  const rows: readonly [string, Lane, string][] = [
    ['starts in an empty lane', lane('skip'), 'start'],
    ['is skipped while a tick runs', lane('skip', { active: busy }), 'skip overlap'],
    [
      'is skipped while a tick waits for its retry',
      lane('skip', { active: active('retrying schedule') }),
      'skip overlap',
    ],
    ['waits behind a trigger', lane('skip', { active: active('running manual') }), 'wait'],
    ['waits behind a catch-up', lane('skip', { active: active('running catch_up') }), 'wait'],
    ['waits behind a backfill', lane('skip', { active: active('running backfill') }), 'wait'],
    [
      'is skipped where one tick waits already',
      lane('skip', { active: active('running manual'), ...oneTickWaits }),
      'skip overlap',
    ],
    [
      'waits beside a waiting trigger',
      lane('skip', { active: active('running catch_up'), waiting: 1 }),
      'wait',
    ],
    ['starts in the second of two places', lane('skip', { maxConcurrent: 2, active: busy }), 'start'],
    ['buffer_one: waits', lane('buffer_one', { active: busy }), 'wait'],
    [
      'buffer_one: is one too many',
      lane('buffer_one', { active: busy, ...oneTickWaits }),
      'skip buffer_full',
    ],
    ['buffer_all: waits', lane('buffer_all', { active: busy, waiting: bufferLimits.buffer_all - 1 }), 'wait'],
    [
      'buffer_all: is one too many',
      lane('buffer_all', { active: busy, waiting: bufferLimits.buffer_all }),
      'skip buffer_full',
    ],
    ['the chain is not in the buffer', lane('buffer_one', { active: busy, chained: 99 }), 'wait'],
    ['cancel_running: waits for the end of what runs', lane('cancel_running', { active: busy }), 'wait'],
    ['allow: starts beside anything', lane('allow', { active: busy, waiting: 7 }), 'start'],
  ]
  test.each(rows)('%s', (_title, given, expected) => {
    const { place, reason } = placeTick(given)
    expect([place, reason].filter(Boolean).join(' ')).toBe(expected)
  })

  test('a released but unclaimed catch-up steps back, a claimed one does not', () => {
    const given = lane('skip', { maxConcurrent: 2, active: active('pending catch_up', 'running backfill') })
    expect(placeTick(given)).toMatchObject({ place: 'start', stepBack: ['x0'] })
  })

  test('after ten ticks in a row the catch-up stays, and the tick waits', () => {
    const given = lane('skip', { chainYields: maxChainYields, active: active('pending catch_up') })
    expect(placeTick(given)).toMatchObject({ place: 'wait', stepBack: [] })
  })

  test('cancel_running stops the oldest that runs, and replaces what has not started', () => {
    const given = lane('cancel_running', {
      maxConcurrent: 2,
      active: active('running schedule', 'running schedule', 'retrying schedule'),
    })
    expect(placeTick(given)).toMatchObject({
      place: 'wait',
      stop: 'x0',
      replace: ['x2'],
      replaceWaiting: true,
    })
    const waiting = lane('cancel_running', { active: active('retrying schedule') })
    expect(placeTick(waiting)).toMatchObject({ place: 'start', stop: null, replace: ['x0'] })
  })
})

describe('a trigger', () => {
  const rows: readonly [string, Lane, 'start' | 'wait' | null][] = [
    ['starts in an empty lane', lane('skip'), 'start'],
    ['conflicts with a tick', lane('skip', { active: busy }), null],
    ['conflicts with another trigger', lane('skip', { active: active('running manual') }), null],
    [
      'waits where only the chain is in its way',
      lane('skip', { active: active('running backfill') }),
      'wait',
    ],
    [
      'conflicts where something waits',
      lane('skip', { active: active('running backfill'), waiting: 1 }),
      null,
    ],
    ['is buffered', lane('buffer_one', { active: busy }), 'wait'],
    ['conflicts with a full buffer', lane('buffer_one', { active: busy, waiting: 1 }), null],
    ['stops nothing', lane('cancel_running', { active: busy }), null],
    ['starts beside anything', lane('allow', { active: busy }), 'start'],
  ]
  test.each(rows)('%s', (_title, given, place) => {
    expect(placeTrigger(given, false)?.place ?? null).toBe(place)
    expect(placeTrigger(given, true)).toMatchObject({ place: 'start', stepBack: [] })
  })
})

describe('what is blocked', () => {
  const now = 1_000
  const ticks = (...ids: string[]) => ids.map((id) => ({ id, readyAt: 0 }))
  const head = { id: 'chain', readyAt: now }

  test('goes in order: ticks and triggers first, then one of the chain', () => {
    const free = lane('skip', { maxConcurrent: 3 })
    expect(releaseBlocked(free, ticks('t1'), head, now)).toEqual({
      ids: ['t1', 'chain'],
      chainYields: 1,
      releaseAt: null,
    })
    expect(releaseBlocked(lane('skip'), ticks('t1', 't2'), null, now).ids).toEqual(['t1'])
    expect(releaseBlocked(lane('skip', { active: busy }), ticks('t1'), head, now).ids).toEqual([])
  })

  test('never more than one of the chain is under way', () => {
    const chained = lane('skip', { maxConcurrent: 3, active: active('running catch_up') })
    expect(releaseBlocked(chained, [], head, now)).toEqual({ ids: [], chainYields: 0, releaseAt: null })
  })

  test('a head whose time has not come says when to come again', () => {
    const later = { id: 'chain', readyAt: now + 5 }
    expect(releaseBlocked(lane('skip'), [], later, now)).toEqual({
      ids: [],
      chainYields: 0,
      releaseAt: now + 5,
    })
    expect(releaseBlocked(lane('skip'), ticks('t1'), later, now)).toMatchObject({
      ids: ['t1'],
      chainYields: 0,
    })
  })

  test('at most ten ticks in a row go before a ready catch-up', () => {
    let chainYields = 0
    const order: string[] = []
    while (order.at(-1) !== 'chain' && order.length < 50) {
      const release = releaseBlocked(lane('skip', { chainYields }), ticks(`t${order.length}`), head, now)
      order.push(...release.ids)
      chainYields = release.chainYields
    }
    expect(order).toHaveLength(maxChainYields + 1)
  })
})
