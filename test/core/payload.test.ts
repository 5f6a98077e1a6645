import fc from 'fast-check'
import { expect, test } from 'vitest'
import { storable } from '../../src/core/payload.ts'

const fits = (value: unknown, bytes: number) => {
  try {
    storable(value, 'input', bytes)
    return true
  } catch {
    return false
  }
}

test('the limit counts the bytes of the JSON, not its letters', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\ud800', '"', '\0') }), (text) => {
      const bytes = Buffer.byteLength(JSON.stringify(text))
      expect([fits(text, bytes), fits(text, bytes - 1)]).toEqual([true, false])
    }),
  )
})

test('what is too long is refused with both figures and what to do', () => {
  expect(() => storable('é'.repeat(50), 'input', 99)).toThrow(
    'input is 102 bytes long; at most 99 are allowed.',
  )
  expect(() => storable('x'.repeat(98), 'input', 99)).toThrow('input is at least 100 bytes long')
})
