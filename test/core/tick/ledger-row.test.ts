import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TickKind } from '../../../src/core/tick/account.ts'
import {
  countOf,
  joinRows,
  keptCancelReason,
  kindAt,
  kindText,
  type LedgerRow,
  packRows,
  rangesOf,
} from '../../../src/core/tick/ledger-row.ts'
import { packedCounts, packRuns, unpackRuns } from '../../../src/core/tick/packed-runs.ts'
import { hour, minute, second } from '../../store/builders.ts'

const completed: TickKind = { account: 'fired', reason: null, outcome: 'completed', cancelReason: null }
const failed: TickKind = { ...completed, outcome: 'failed' }
const replaced: TickKind = { ...completed, outcome: 'cancelled', cancelReason: 'replaced' }
const caughtUp: TickKind = { ...completed, account: 'caught_up' }
const skipped: TickKind = { account: 'skipped', reason: 'overlap', outcome: null, cancelReason: null }
const kinds = [completed, failed, replaced, caughtUp, skipped]

/** The last hour of a January. */
const january = Date.UTC(2027, 0, 31, 23)

function row(at: number, kind: TickKind, overrides: Partial<LedgerRow> = {}): LedgerRow {
  const to = overrides.to ?? at
  const runs = [{ kind, count: 1 }]
  return { from: at, to, runs, into: null, executionId: null, revision: 1, tzVersion: 'a', ...overrides }
}

/** Each tick with what became of it, in order. */
function said(rows: readonly LedgerRow[]): string[] {
  return rows.flatMap(({ runs }) =>
    runs.flatMap(({ kind, count }) => Array<string>(count).fill(kindText(kind))),
  )
}

describe('rows that join', () => {
  const at = (seconds: number) => january + seconds * second
  const join = (rows: LedgerRow[], kept: number[] = []) =>
    joinRows(rows, kept).map(({ from, to, runs }) => [from - january, to - january, countOf({ runs })])

  test('consecutive ticks of one kind are one row', () => {
    const rows = [row(at(1), completed), row(at(2), completed), row(at(3), completed)]
    expect(join(rows)).toEqual([[1_000, 3_000, 3]])
  })

  test('a kept failure between two successes cuts them', () => {
    expect(join([row(at(1), completed), row(at(3), completed)], [at(2)])).toHaveLength(2)
  })

  test.each([
    ['account', row(at(2), caughtUp)],
    ['reason', row(at(2), { ...skipped, reason: 'paused' }), row(at(1), skipped)],
    ['outcome', row(at(2), failed)],
    [
      'cancel reason',
      row(at(2), replaced),
      row(at(1), { ...replaced, cancelReason: keptCancelReason('superseded') }),
    ],
    ['revision', row(at(2), completed, { revision: 2 })],
    ['zone data', row(at(2), completed, { tzVersion: 'b' })],
    [
      'tick into which they were coalesced',
      row(at(2), skipped, { into: at(9) }),
      row(at(1), skipped, { into: at(8) }),
    ],
  ])('another %s cuts them', (_what, second, first = row(at(1), completed)) => {
    expect(join([first, second])).toHaveLength(2)
  })

  test('a month ends a row: no row is so long that the ledger cannot pass it', () => {
    const rows = [row(january, completed), row(january + hour, completed), row(january + 2 * hour, completed)]
    expect(join(rows)).toEqual([
      [0, 0, 1],
      [hour, 2 * hour, 2],
    ])
  })

  test('what a handler said when it cancelled is a detail', () => {
    expect(keptCancelReason('nothing to do at 12:31')).toBe('handler')
    expect(keptCancelReason('superseded')).toBe('superseded')
  })
})

describe('packed rows', () => {
  test('an hour of seconds that succeed and fail in turn is one row of less than a kilobyte', () => {
    const rows = Array.from({ length: 3_600 }, (_, n) =>
      row(january + n * second, n % 2 === 0 ? completed : failed),
    )
    const [packed, ...others] = packRows(rows, [])
    expect(others).toEqual([])
    const text = packRuns(packed?.runs ?? [])
    expect(text.length).toBeLessThan(700)
    expect(unpackRuns(text)).toEqual(packed?.runs)
    expect(packed && rangesOf(packed).map(({ outcome, count }) => `${outcome} x${count}`)).toEqual([
      'completed x1800',
      'failed x1800',
    ])
    expect([0, 1, 3_599, 3_600].map((place) => packed && kindAt(packed, place)?.outcome)).toEqual([
      'completed',
      'failed',
      'failed',
      undefined,
    ])
  })

  test('few rows stay as they are, and so does what lies in another hour, revision or zone data', () => {
    const eight = Array.from({ length: 8 }, (_, n) => row(january + n, kinds[n % 2] ?? completed))
    expect(packRows(eight, [])).toEqual(eight)
    const ninth = [
      row(january + hour, completed),
      row(january + 9, completed, { revision: 2 }),
      row(january + 9, completed, { tzVersion: 'b' }),
    ]
    for (const other of ninth) expect(packRows([...eight, other], [])).toHaveLength(9)
    expect(packRows([...eight, row(january + 9, failed)], [])).toHaveLength(1)
  })

  test('an execution between them cuts them', () => {
    const rows = Array.from({ length: 20 }, (_, n) => row(january + n * minute, kinds[n % 2] ?? completed))
    expect(packRows(rows, [january + 9.5 * minute])).toHaveLength(2)
  })

  const anyRuns = fc
    .array(fc.record({ kind: fc.constantFrom(...kinds), count: fc.integer({ min: 1, max: 400 }) }), {
      minLength: 1,
      maxLength: 300,
    })
    .map((runs) => oneByOne(runs))

  test('whatever is packed is read as it was', () => {
    fc.assert(
      fc.property(anyRuns, (runs) => {
        const text = packRuns(runs)
        expect(said([{ ...row(0, completed), runs: unpackRuns(text) }])).toEqual(
          said([{ ...row(0, completed), runs }]),
        )
        const counted = packedCounts(text).reduce((sum, { count }) => sum + count, 0)
        expect(counted).toBe(countOf({ runs }))
      }),
    )
  })

  test('a damaged text is refused, not misread', () => {
    const text = packRuns([
      { kind: completed, count: 3 },
      { kind: failed, count: 2 },
    ])
    for (const damage of [
      text.replace('*3', '*9'),
      text.replace('fired', 'fried'),
      text.slice(0, -1),
      `${text}.01`,
      '',
    ]) {
      expect(() => unpackRuns(damage)).toThrow('cannot be read')
    }
  })

  /** Neighbours of one kind are one run. */
  function oneByOne(runs: readonly { kind: TickKind; count: number }[]) {
    return runs.filter((run, index) => run.kind !== runs[index - 1]?.kind)
  }
})

describe('whatever is folded first', () => {
  test('every tick keeps what became of it, and no two rows are left that join', () => {
    const history = fc.record({
      ticks: fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 120 }),
      /** In which of four folds a tick goes; the last is never run. */
      fold: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 120, maxLength: 120 }),
      everyMs: fc.constantFrom(second, minute, 20 * minute, 24 * hour),
      edited: fc.integer({ min: 0, max: 120 }),
    })
    fc.assert(
      fc.property(history, ({ ticks, fold, everyMs, edited }) => {
        const all = ticks.map((kind, n) => row(january + n * everyMs, kind, { revision: n < edited ? 1 : 2 }))
        let rows: LedgerRow[] = []
        for (const turn of [0, 1, 2]) {
          const fresh = all.filter((_, n) => fold[n] === turn)
          const kept = all.filter((_, n) => (fold[n] ?? 3) > turn).map(({ from }) => from)
          const sorted = [...rows, ...fresh].sort((a, b) => a.from - b.from)
          rows = packRows(joinRows(sorted, kept), kept)
          expect(rows.reduce((sum, one) => sum + countOf(one), 0)).toBe(all.length - kept.length)
          expect(joinRows(rows, kept)).toEqual(rows)
          const left = all.filter(({ from }) => kept.includes(from))
          const ledger = [...rows, ...left].sort((a, b) => a.from - b.from)
          expect(said(ledger)).toEqual(ticks.map(kindText))
        }
      }),
    )
  })
})
