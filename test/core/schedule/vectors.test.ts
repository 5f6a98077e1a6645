import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { cronCalendar } from '../../../src/core/schedule/cron/cron-calendar.ts'
import { parseCron } from '../../../src/core/schedule/cron/cron-expression.ts'
import { cronSequence, fixedTimes, realInstants } from '../../../src/core/schedule/cron/cron-sequence.ts'
import type { TickSequence } from '../../../src/core/schedule/schedule.ts'
import { zoneFrom } from '../../../src/core/schedule/timezone.ts'

type Vector = readonly [expr: string, timezone: string, from: string, next: readonly string[]]

const file = new URL('./vectors/cron-dst.json', import.meta.url)
const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: readonly Vector[] }

/**
 * The vectors were made with the zone data of 2025. Data 2026c, which Node 24.21 carries, ends daylight saving in
 * Morocco on 2026-09-20, so 23 of them no longer describe that zone's future. The evaluator is judged by the data
 * that the vectors were made with: here are Morocco's changes as of 2025b; all other zones are the runtime's.
 */
const moroccoChangesAt = Date.UTC(2026, 8, 20, 1)
const moroccoToGmt = '2024-03-10 2025-02-23 2026-02-15 2027-02-07 2028-01-23 2029-01-14 2029-12-30 2030-12-22'
const moroccoToPlusOne =
  '2024-04-14 2025-04-06 2026-03-22 2027-03-14 2028-03-05 2029-02-18 2030-02-10 2031-01-26'
const moroccoChanges = [
  ...moroccoToGmt.split(' ').map((day) => ({ at: Date.parse(`${day}T02:00Z`), offsetMs: 0 })),
  ...moroccoToPlusOne.split(' ').map((day) => ({ at: Date.parse(`${day}T02:00Z`), offsetMs: 3_600_000 })),
].sort((a, b) => a.at - b.at)

function morocco2025(instant: number): number {
  return moroccoChanges.findLast(({ at }) => at <= instant)?.offsetMs ?? 3_600_000
}
const casablanca2025 = zoneFrom('Africa/Casablanca', morocco2025)

function sequenceOfVector(expr: string, timezone: string): TickSequence {
  if (timezone !== 'Africa/Casablanca') return cronSequence(expr, timezone)
  const expression = parseCron(expr)
  const overlay = expression.realInstants ? realInstants : fixedTimes
  return overlay(cronCalendar(expression), casablanca2025)
}

function nextOf(sequence: TickSequence, from: string, count: number): string[] {
  const found: string[] = []
  let tick: number | null = Date.parse(from)
  while (found.length < count && tick !== null) {
    tick = sequence.next(tick)
    found.push(tick === null ? 'none' : new Date(tick).toISOString().replace(':00.000Z', 'Z'))
  }
  return found
}

describe('DST vectors after Debian cron', () => {
  test('there are 1795 of them', () => {
    expect(vectors).toHaveLength(1795)
  })

  test('next gives every instant of every vector', () => {
    const wrong = vectors.flatMap(([expr, timezone, from, next]) => {
      const found = nextOf(sequenceOfVector(expr, timezone), from, next.length)
      return found.join() === next.join() ? [] : [{ expr, timezone, from, expected: next, found }]
    })
    expect(wrong).toEqual([])
  })

  test('with the zone data of the runtime, only the future of Morocco may differ', () => {
    const wrong = vectors.flatMap(([expr, timezone, from, next]) => {
      const found = nextOf(cronSequence(expr, timezone), from, next.length)
      const differs = next.find((instant, index) => instant !== found[index])
      return differs === undefined ? [] : [{ timezone, changed: Date.parse(differs) >= moroccoChangesAt }]
    })
    // None under data of 2025, 23 under 2026c.
    expect([0, 23]).toContain(wrong.length)
    expect(wrong.filter(({ timezone, changed }) => timezone !== 'Africa/Casablanca' || !changed)).toEqual([])
  })

  test('previous walks every vector back, and count counts it', () => {
    const wrong = vectors.flatMap(([expr, timezone, from, next]) => {
      const sequence = sequenceOfVector(expr, timezone)
      const ticks = next.map((instant) => Date.parse(instant))
      const last = ticks.at(-1) as number
      const back: number[] = []
      for (let tick: number | null = last + 1; back.length < ticks.length && tick !== null; ) {
        tick = sequence.previous(tick)
        if (tick !== null) back.unshift(tick)
      }
      const count = sequence.count(Date.parse(from) + 1, last + 1)
      return back.join() === ticks.join() && count === ticks.length ? [] : [{ expr, timezone, from, count }]
    })
    expect(wrong).toEqual([])
  })
})
