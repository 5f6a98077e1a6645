import { expect, test } from 'vitest'
import { causes, idempotencyKey, isChained } from '../../../src/core/execution/execution.ts'
import { t0 } from '../../store/builders.ts'

test('what a tick made has the key of its tick, anything else its own id', () => {
  const keys = causes.map((cause) => [cause, idempotencyKey(cause, 'job', t0, 'id')])
  const tick = 'job:2027-01-04T00:00:00.000Z'
  expect(Object.fromEntries(keys)).toEqual({
    schedule: tick,
    catch_up: tick,
    backfill: 'id',
    manual: 'id',
    enqueue: 'id',
  })
})

test('catch-up and backfill are the chain', () => {
  expect(causes.filter(isChained)).toEqual(['catch_up', 'backfill'])
})
