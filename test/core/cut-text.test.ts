import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutText } from '../../src/core/cut-text.ts'

const most = 100

test('what fits is left as it is', () => {
  expect(cutText('x'.repeat(most), most)).toBe('x'.repeat(most))
})

test('what does not fit is cut, and says how much is missing', () => {
  const cut = cutText('x'.repeat(1_000), most)
  const [, kept = '', missing] = /^(x+) … (\d+) more characters$/.exec(cut) ?? []
  expect(kept.length + Number(missing)).toBe(1_000)
})

test('no pair is split, the limit holds, and a second cut changes nothing', () => {
  const text = fc.array(fc.constantFrom('a', '😀', 'é'), { minLength: 1, maxLength: 300 })
  fc.assert(
    fc.property(text, (letters) => {
      const cut = cutText(letters.join(''), most)
      expect(cut.isWellFormed()).toBe(true)
      expect(cut.length).toBeLessThanOrEqual(most)
      expect(cutText(cut, most)).toBe(cut)
    }),
  )
})
