/** Whose turn it is: what a receiver is given at once, and when the rest comes back. */
import { expect, test } from 'vitest'
import { Receivers } from '../../src/handlers/webhook/receivers.ts'

const atOnce = 3

function busy(receivers: Receivers, count: number, now = 0): void {
  for (let begun = 0; begun < count; begun += 1) expect(receivers.begin('a', now)).toEqual({ kind: 'now' })
}

test('a few at once; one more waits a moment for its turn, and another receiver has its own', () => {
  const receivers = new Receivers(() => 0)
  busy(receivers, atOnce)
  expect(receivers.begin('a', 0)).toEqual({ kind: 'soon' })
  let freed = 0
  receivers.whenFreed('a', () => void (freed += 1))
  receivers.whenFreed('a', () => void (freed += 1))()
  expect(receivers.begin('b', 0)).toEqual({ kind: 'now' })
  receivers.end('a', { ok: true, tookMs: 10 }, 10)
  expect(freed).toBe(1)
  expect(receivers.begin('a', 10)).toEqual({ kind: 'now' })
})

test('nobody waits for one that does not move, or is slow, or fails', () => {
  const stuck = new Receivers(() => 0)
  busy(stuck, atOnce)
  expect(stuck.begin('a', 499)).toEqual({ kind: 'soon' })
  expect(stuck.begin('a', 500).kind).toBe('later')
  const slow = new Receivers(() => 0)
  busy(slow, 1)
  slow.end('a', { ok: true, tookMs: 2_000 }, 0)
  busy(slow, atOnce)
  expect(slow.begin('a', 0).kind).toBe('later')
  const failing = new Receivers(() => 0)
  busy(failing, atOnce)
  let freed = 0
  for (let waits = 0; waits < 2; waits += 1) failing.whenFreed('a', () => void (freed += 1))
  failing.end('a', { ok: false, tookMs: 1 }, 0)
  expect([freed, failing.begin('a', 0).kind]).toEqual([2, 'later'])
})

test('those that find no room come back one after another, the slower the receiver the further apart', () => {
  const laterOf = (tookMs: number) => {
    const receivers = new Receivers(() => 0)
    busy(receivers, 1)
    receivers.end('a', { ok: true, tookMs }, 0)
    busy(receivers, atOnce)
    const turns = Array.from({ length: 5 }, () => receivers.begin('a', 500))
    return turns.map((turn) => (turn.kind === 'later' ? turn.afterMs : 0))
  }
  const [quick, slow] = [laterOf(100), laterOf(10_000)]
  for (const waits of [quick, slow]) {
    expect(waits.toSorted((a, b) => a - b)).toEqual(waits)
    expect(new Set(waits).size).toBe(waits.length)
  }
  expect(slow[0]).toBeGreaterThan(quick.at(-1) ?? 0)
})

test('while it fails there is one try at a time, further and further apart, up to five minutes', () => {
  const receivers = new Receivers(() => 0)
  let now = 0
  busy(receivers, 1)
  receivers.end('a', { ok: false, tookMs: 5 }, now)
  const gaps: number[] = []
  for (let failed = 0; failed < 12; failed += 1) {
    const at = now
    while (receivers.begin('a', now).kind === 'later') now += 100
    gaps.push(now - at)
    expect(receivers.begin('a', now).kind).toBe('later')
    receivers.end('a', { ok: false, tookMs: 5 }, now)
  }
  expect(gaps.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000])
  expect(gaps.at(-1)).toBe(300_000)
  while (receivers.begin('a', now).kind === 'later') now += 1_000
  receivers.end('a', { ok: true, tookMs: 5 }, now)
  busy(receivers, atOnce, now)
})

test('what a receiver asks for is waited for', () => {
  const receivers = new Receivers(() => 0)
  busy(receivers, 1)
  receivers.end('a', { ok: false, tookMs: 5, askedMs: 60_000 }, 0)
  expect(receivers.begin('a', 59_999).kind).toBe('later')
  expect(receivers.begin('a', 60_000)).toEqual({ kind: 'now' })
})

test('a crowd that waits is told to come within about ten minutes of the next try', () => {
  const receivers = new Receivers(() => 0.5)
  busy(receivers, 1)
  receivers.end('a', { ok: false, tookMs: 15_000 }, 0)
  const waits = Array.from({ length: 10_000 }, () => receivers.begin('a', 0))
  for (const turn of waits) expect(turn.kind === 'later' ? turn.afterMs : 0).toBeLessThan(11 * 60_000)
})
