import { expect, test } from 'vitest'
import { alertNext, alertSentence } from '../../../src/core/alert/alert-words.ts'

test('a webhook that fails is called what its user calls it, and its deliveries are where to look', () => {
  const about = { kind: 'failing', name: '@webhook/on call', value: 3 } as const
  expect(alertSentence(about, 0)).toBe('webhook on call failed 3 times in a row.')
  expect(alertNext('failing', about.name)).toBe(
    "See what its receiver answered: `evertick webhooks deliveries 'on call' --state failed`.",
  )
})
