/** The ledger of a job's page: what is folded says so, and shares a row. */
import { afterAll, expect, test, vi } from 'vitest'

// The dashboard's clock looks at the page, and ticks. Other files share this process: what is not real goes with this one.
vi.useFakeTimers()
vi.stubGlobal('document', { hidden: false, addEventListener: () => {}, createElement: () => ({}) })
afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
const { ledgerRows } = await import('../../dashboard/src/screens/job/ticks/ledger-rows.ts')

const at = (minute: number) => new Date(Date.UTC(2027, 0, 4, 9, minute)).toISOString()

test('ticks of which only the ledger knows share a row that says so', () => {
  const folded = { account: 'fired', folded: true } as const
  const rows = ledgerRows(
    [
      { ...folded, scheduledFor: at(1), state: 'completed' },
      { ...folded, scheduledFor: at(2), state: 'completed' },
      { ...folded, scheduledFor: at(3), state: 'cancelled', cancelReason: 'operator' },
      { account: 'fired', scheduledFor: at(4), state: 'completed', executionId: 'e4', durationMs: 40 },
      { account: 'fired', scheduledFor: at(5), state: 'completed', executionId: 'e5', durationMs: 40 },
    ],
    false,
  )
  expect(rows.map(({ sentence, count, kind }) => [sentence, count, kind])).toEqual([
    ['Ran in 40 ms', 1, 'ran'],
    ['Ran in 40 ms', 1, 'ran'],
    ['Cancelled, by an operator; details no longer kept', 1, 'cancelled'],
    ['2 ticks completed; details no longer kept', 2, 'ran'],
  ])
})

test('folded ticks of a fixedDelay job come as one entry for many', () => {
  const tick = {
    account: 'caught_up',
    folded: true,
    state: 'failed',
    scheduledFor: at(1),
    to: at(9),
    count: 7,
  } as const
  expect(ledgerRows([tick], false)).toMatchObject([
    {
      from: at(1),
      to: at(9),
      count: 7,
      kind: 'failed',
      sentence: '7 ticks caught up: failed; details no longer kept',
    },
  ])
})
