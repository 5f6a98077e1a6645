import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EvertickError } from '../../../src/core/error.ts'
import { cronMaxLength, parseCron } from '../../../src/core/schedule/cron/cron-expression.ts'
import { cronSequence } from '../../../src/core/schedule/cron/cron-sequence.ts'
import { randomCron } from './random-cron.ts'
import { seededRandom } from './seeded-random.ts'

const aCron = fc
  .nat()
  .map((seed) => randomCron(seededRandom(seed), { seconds: true, hash: true, extras: true }))

/** What became of a text: 'refused' by a coded error that names its field, 'ends', or what is wrong. */
function outcomeOf(text: string): string {
  try {
    const sequence = cronSequence(text, 'Pacific/Chatham', 'key')
    if (text.length > cronMaxLength) return `${text.length} characters were read`
    const tick = sequence.next(Date.UTC(2027, 0, 1))
    return tick !== null && sequence.previous(tick + 1) === tick ? 'ends' : `next is ${tick}`
  } catch (error) {
    const coded = error instanceof EvertickError && error.code === 'invalid_cron' && error.field === 'cron'
    return coded ? 'refused' : String(error)
  }
}

describe('reading any text', () => {
  const alphabet = Array.from('*?/,-#+LWHlwh()@0123456789 \tMONFRIJAN=é\u0000')
  const aText = fc.oneof(
    fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 300 }),
    fc.string({ maxLength: 300 }),
    fc
      .array(fc.string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength: 20 }), {
        minLength: 5,
        maxLength: 6,
      })
      .map((fields) => fields.join(' ')),
    aCron.chain((cron) => fc.nat({ max: cron.length }).map((at) => `${cron.slice(0, at)}H${cron.slice(at)}`)),
  )

  test('gives an expression that ends, or a coded error that names its field', () => {
    fc.assert(
      fc.property(aText, (text) => {
        expect(['refused', 'ends']).toContain(outcomeOf(text))
      }),
      { numRuns: 10_000 },
    )
  })

  test('reads the longest texts there are, and refuses one character more', () => {
    const list = '1-59/2,'.repeat(40).slice(0, 247)
    const text = `${list.slice(0, list.lastIndexOf(','))} * * * *`
    expect(parseCron(text).minutes).toHaveLength(30)
    expect(() => parseCron('*'.repeat(257))).toThrow('cron has 257 characters; at most 256 are allowed')
    expect(() => parseCron('*'.repeat(10_000_000))).toThrow('at most 256')
  })
})
