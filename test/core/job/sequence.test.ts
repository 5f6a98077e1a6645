import { expect, test } from 'vitest'
import { nominalSequence, sequenceOfJob } from '../../../src/core/job/sequence.ts'
import { every, jobSpec, second, t0 } from '../../store/builders.ts'

const delayed = jobSpec({ schedule: { kind: 'fixed_delay', delayMs: second } })

test('of a fixedDelay only the one open tick is known', () => {
  const open = sequenceOfJob({ name: 'a', spec: delayed, openTickAt: t0 })
  expect([open.next(t0 - 1), open.next(t0), open.count(0, t0 + 1)]).toEqual([t0, null, 1])
  const none = sequenceOfJob({ name: 'a', spec: delayed, openTickAt: null })
  expect([none.next(0), none.previous(t0), none.count(0, t0)]).toEqual([null, null, 0])
})

test('a definition without ticks of its own names none', () => {
  expect(nominalSequence('a', delayed)).toBeNull()
  expect(nominalSequence('a', jobSpec({ schedule: null }))).toBeNull()
  expect(sequenceOfJob({ name: 'a', spec: jobSpec({ schedule: null }), openTickAt: null }).next(0)).toBeNull()
})

test('startAt and endAt bound the ticks: the first inclusive, the last exclusive', () => {
  const spec = jobSpec({ schedule: every(second), startAt: t0 + 2 * second, endAt: t0 + 4 * second })
  const sequence = nominalSequence('a', spec)
  expect(sequence?.count(t0, t0 + 60 * second)).toBe(2)
  expect(sequence?.next(t0)).toBe(t0 + 2 * second)
  expect(sequence?.previous(t0 + 60 * second)).toBe(t0 + 3 * second)
})
