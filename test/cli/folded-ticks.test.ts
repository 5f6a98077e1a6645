/** What `explain` says of ticks of which only the ledger still knows. */
import { expect, test } from 'vitest'
import type { ExplainedTickView } from '../../src/app/job/explain.ts'
import { ledgerLines } from '../../src/cli/commands/ticks/ledger-lines.ts'
import { bytesWords } from '../../src/cli/output/count-words.ts'
import { Times } from '../../src/cli/output/times.ts'

const at = (minute: number) => new Date(Date.UTC(2027, 0, 4, 9, minute))
const times = new Times('UTC', at(30).getTime(), false)

test('they share a line, which says that their details are no longer kept', () => {
  const folded = { account: 'fired', folded: true } as const
  const ticks: ExplainedTickView[] = [
    { ...folded, scheduledFor: at(1), state: 'completed' },
    { ...folded, scheduledFor: at(2), state: 'completed' },
    { ...folded, scheduledFor: at(3), state: 'failed' },
    { ...folded, account: 'caught_up', scheduledFor: at(4), state: 'cancelled', cancelReason: 'superseded' },
    { ...folded, scheduledFor: at(5), to: at(9), count: 7, state: 'completed' },
    { account: 'fired', scheduledFor: at(10), state: 'completed', executionId: 'e' },
  ]
  const lines = ledgerLines(ticks, new Map(), times)
  expect(lines.map(({ when, mark, text }) => `${when} ${mark.glyph} ${text}`)).toEqual([
    '09:01:00 to 09:02:00 ✓ completed; details no longer kept, 2 ticks',
    '09:03:00 ✗ failed; details no longer kept',
    '09:04:00 – caught up: cancelled, newer missed runs took its place; details no longer kept',
    '09:05:00 to 09:09:00 ✓ completed; details no longer kept, 7 ticks',
    '09:10:00 ✓ ran',
  ])
  expect(lines.map(({ ordinary }) => ordinary)).toEqual([false, false, false, false, true])
})

test('bytes are said in thousands', () => {
  expect([0, 812, 3_400, 9_951_232, 2_000_000_000].map(bytesWords)).toEqual([
    '0 B',
    '812 B',
    '3.4 KB',
    '10.0 MB',
    '2.0 GB',
  ])
})
