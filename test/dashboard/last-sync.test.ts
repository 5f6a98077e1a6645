import { expect, test } from 'vitest'
import { lastSync } from '../../dashboard/src/screens/job/last-sync.ts'

const none = { added: 0, modified: 0, removed: 0, unchanged: 0, held: 0, invalid: 0 }
const ran = (result: unknown, state = 'completed') => ({ id: 'e1', state, result })

test('a sync says what it did, and what it could not', () => {
  const invalid = [
    { index: 2, scheduleId: 'bad', why: 'cron has 2 fields' },
    { index: 4, scheduleId: null, why: 'it has no name' },
  ]
  const result = { counts: { ...none, added: 1_200, removed: 1, invalid: 22 }, invalid, heldBecause: null }
  expect(lastSync([ran(result)])).toEqual({
    execution: 'e1',
    sentence: '1,200 added, 1 paused',
    troubles: [
      'bad was passed over: cron has 2 fields',
      'Entry 4 was passed over: it has no name',
      '20 more were passed over',
    ],
  })
})

test('where nothing changed it says so, and why nothing was paused', () => {
  const held = { counts: { ...none, unchanged: 1, held: 3 }, invalid: [], heldBecause: 'the answer is empty' }
  expect(lastSync([ran(held)])).toMatchObject({
    sentence: '1 job unchanged',
    troubles: ['Nothing was paused: the answer is empty'],
  })
})

test('runs that failed, dry runs and answers that had not changed are passed over', () => {
  const counts = { ...none, modified: 2 }
  const executions = [
    ran(null, 'failed'),
    ran({ counts, dryRun: true }),
    ran({ counts: none, notModified: true }),
    { ...ran({ counts, invalid: [], heldBecause: null }), id: 'e4' },
  ]
  expect(lastSync(executions)).toEqual({ execution: 'e4', sentence: '2 changed', troubles: [] })
  expect(lastSync([])).toBeNull()
  expect(lastSync([ran({ rows: 1 })])).toBeNull()
})
