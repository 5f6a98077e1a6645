import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { intervalSequence } from '../../../src/core/schedule/interval-sequence.ts'
import { type ExplainRequest, explainTicks } from '../../../src/core/tick/explain.ts'
import { checkLedger, entriesOf, type RevisionSpan } from '../../../src/core/tick/ledger.ts'
import type { LedgerRow } from '../../../src/core/tick/ledger-row.ts'
import { second, t0 } from '../../store/builders.ts'
import { at, seconds } from '../../store/by-hand.ts'
import { ledgerRow } from './ledger-rows.ts'

const tens = intervalSequence(10 * second, t0)
const forEver: RevisionSpan = {
  from: t0 + 1,
  until: Number.MAX_SAFE_INTEGER,
  sequence: tens,
  verifiable: true,
}

function range(from: number, to: number, { count = (to - from) / 10 + 1 } = {}): LedgerRow {
  return ledgerRow({ from: at(from), to: at(to), count, account: 'skipped', reason: 'paused', into: null })
}

/** 10 and 20 fired, 30-50 skipped, 60 fired; the cursor stands behind 60. */
const fired = [at(10), at(20), at(60)]
const whole = entriesOf(fired, [range(30, 50)])
const check = (entries = whole, spans = [forEver]) => checkLedger(spans, entries, t0 + 1, at(60) + 1)
const found = (report: ReturnType<typeof check>) =>
  report.findings.map(
    ({ kind, at: from, until, count }) => `${seconds(from)}-${seconds(until)} ${kind} x${count}`,
  )

describe('the proof', () => {
  test('a whole ledger has no findings', () => {
    expect(check()).toEqual({ ticks: 6, unaccounted: 0, doubled: 0, unverifiable: 0, findings: [] })
  })

  test('one removed tick is found, exactly that one', () => {
    for (const tick of fired) {
      const report = check(
        entriesOf(
          fired.filter((other) => other !== tick),
          [range(30, 50)],
        ),
      )
      expect(found(report)).toEqual([`${seconds(tick)}-${seconds(tick)} unaccounted x1`])
      expect(report).toMatchObject({ unaccounted: 1, doubled: 0 })
    }
  })

  test('a removed range is found whole', () => {
    expect(found(check(entriesOf(fired, [])))).toEqual(['30-50 unaccounted x3'])
  })

  test('a doubled tick is found', () => {
    expect(found(check(entriesOf([...fired, at(20)], [range(30, 50)])))).toEqual(['20-20 doubled x1'])
    const inRange = check(entriesOf([...fired, at(40)], [range(30, 50)]))
    expect(found(inRange)).toEqual(['40-40 doubled x1'])
    expect(inRange).toMatchObject({ unaccounted: 0, doubled: 1 })
  })

  test('a foreign tick is found', () => {
    const report = check(entriesOf([...fired, at(25)], [range(30, 50)]))
    expect(found(report)).toEqual(['25-25 foreign x1'])
    expect(report).toMatchObject({ unaccounted: 0, doubled: 1 })
  })

  test('a range that counts too few or too many is found', () => {
    expect(check(entriesOf(fired, [range(30, 50, { count: 2 })]))).toMatchObject({
      unaccounted: 1,
      doubled: 0,
    })
    expect(check(entriesOf(fired, [range(30, 50, { count: 4 })]))).toMatchObject({
      unaccounted: 0,
      doubled: 1,
    })
  })

  test('what lies below the start of the ledger or above the cursor is not looked at', () => {
    expect(checkLedger([forEver], whole, at(30), at(50) + 1)).toMatchObject({ ticks: 3, findings: [] })
    expect(checkLedger([forEver], [], t0 + 1, t0 + 1)).toMatchObject({ ticks: 0, findings: [] })
  })

  test('each revision is checked on its own span', () => {
    const fives: RevisionSpan = { ...forEver, from: at(20) + 1, sequence: intervalSequence(5 * second, t0) }
    const spans = [{ ...forEver, until: fives.from }, fives]
    const entries = entriesOf([at(10), at(20), at(25), at(35)], [])
    const report = checkLedger(spans, entries, t0 + 1, at(35) + 1)
    expect(found(report)).toEqual(['30-30 unaccounted x1'])
  })

  test('without nominal ticks only a doubled one can be seen', () => {
    const unknown = { ...forEver, sequence: null }
    expect(check(entriesOf([at(11), at(13)], []), [unknown])).toMatchObject({ ticks: 2, findings: [] })
    expect(check(entriesOf([at(11), at(11)], []), [unknown])).toMatchObject({ doubled: 1 })
  })

  test('under other time zone data agreement is proof, and only what differs is unverifiable', () => {
    const other = { ...forEver, verifiable: false }
    expect(check(whole, [other])).toEqual({
      ticks: 6,
      unverifiable: 0,
      unaccounted: 0,
      doubled: 0,
      findings: [],
    })
    const without20 = entriesOf([at(10), at(60)], [range(30, 50)])
    expect(check(without20, [other])).toMatchObject({ unverifiable: 1, unaccounted: 0, findings: [] })
    const twice = entriesOf([...fired, at(20)], [range(30, 50)])
    expect(check(twice, [other])).toMatchObject({ unverifiable: 0, doubled: 1 })
  })

  test('what no longer evaluates is unverifiable as a whole', () => {
    const gone = { ...forEver, sequence: null, verifiable: false }
    expect(check(whole, [gone])).toMatchObject({ ticks: 6, unverifiable: 6, findings: [] })
  })

  test('any one tick taken out of any ledger is the one that is found', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }), fc.nat(), (kinds, pick) => {
        const ticks = kinds.map((_, n) => at((n + 1) * 10))
        const own = ticks.filter((_, n) => kinds[n])
        const singles = ticks.filter((_, n) => !kinds[n]).map((tick) => range(seconds(tick), seconds(tick)))
        const entries = entriesOf(own, singles)
        const removed = entries[pick % entries.length]?.from ?? 0
        const rest = entries.filter(({ from }) => from !== removed)
        const report = checkLedger([forEver], rest, t0 + 1, at(kinds.length * 10) + 1)
        expect(report.findings).toEqual([{ kind: 'unaccounted', at: removed, until: removed, count: 1 }])
      }),
      { seed: 5, numRuns: 200 },
    )
  })
})

describe('the explanation', () => {
  const request: ExplainRequest = {
    from: t0,
    to: at(91),
    now: at(75),
    ledgerFrom: at(20),
    accountedUntil: at(60) + 1,
    heldBack: false,
    limit: 100,
    spans: [forEver],
    executions: fired
      .slice(1)
      .map((tickAt) => ({ id: `e${seconds(tickAt)}`, tickAt, account: 'fired', state: 'completed' })),
    rows: [range(30, 40)],
    straddling: true,
  }
  const told = (overrides: Partial<ExplainRequest> = {}) =>
    explainTicks({ ...request, ...overrides }).ticks.map(
      ({ tickAt, verdict }) => `${seconds(tickAt)} ${verdict}`,
    )

  test('says of every tick what became of it', () => {
    expect(told()).toEqual([
      '10 purged',
      '20 fired',
      '30 skipped',
      '40 skipped',
      '50 unaccounted',
      '60 fired',
      '70 undecided',
      '80 upcoming',
      '90 upcoming',
    ])
  })

  test('stops at its limit, and says so', () => {
    expect(explainTicks({ ...request, limit: 2 })).toMatchObject({ truncated: true })
    expect(told({ limit: 2 })).toEqual(['10 purged', '20 fired'])
  })

  test('says of a folded tick how it ended, and that its details are gone', () => {
    const kind = (outcome: 'completed' | 'failed') =>
      ({ account: 'fired', reason: null, outcome, cancelReason: null }) as const
    const runs = [
      { kind: kind('completed'), count: 2 },
      { kind: kind('failed'), count: 1 },
      { kind: kind('completed'), count: 1 },
    ]
    const rows = [{ ...range(20, 50), runs }]
    const { ticks } = explainTicks({ ...request, executions: [], rows, from: at(30), to: at(51) })
    expect(
      ticks.map(({ tickAt, verdict, state, folded, executionId }) => [
        seconds(tickAt),
        verdict,
        state,
        folded,
        executionId,
      ]),
    ).toEqual([
      [30, 'fired', 'completed', true, null],
      [40, 'fired', 'failed', true, null],
      [50, 'fired', 'completed', true, null],
    ])
  })

  test('gives the folded ticks of a fixedDelay as ranges', () => {
    const spans = [{ ...forEver, sequence: null }]
    const kind = { account: 'fired', reason: null, outcome: 'completed', cancelReason: null } as const
    const rows = [{ ...range(7, 41), runs: [{ kind, count: 5 }] }]
    const { ticks } = explainTicks({ ...request, spans, executions: [], rows, from: at(20) })
    expect(ticks).toMatchObject([{ tickAt: at(7), to: at(41), count: 5, state: 'completed', folded: true }])
  })

  test('takes the ticks of a fixedDelay from its ledger', () => {
    const spans = [{ ...forEver, sequence: null }]
    expect(told({ spans, rows: [range(31, 31)] })).toEqual(['20 fired', '31 skipped', '60 fired'])
  })
})
