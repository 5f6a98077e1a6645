/** What becomes of an alert at each look, whatever is found, and whoever answers in between. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Alert, type AlertFact, alertState, nextTurn } from '../../../src/core/alert/alert.ts'
import { builtInRules, type RuleOf, rulesOver } from '../../../src/core/alert/alert-rule.ts'
import { verdictsOf } from '../../../src/core/alert/judge.ts'
import { anAlert, failingRule as ruleOf } from './builders.ts'

const fact: AlertFact = { subject: 'job-1', jobId: 'job-1', name: 'report', value: 3, mark: 'run-3' }
const everyMs = 15_000

/** One alert through many looks, as the store writes it. */
class Written {
  alert: Alert | null = null
  readonly log: { readonly step: string; readonly at: number }[] = []
  acted = 0

  look(rule: RuleOf<'failing'> | null, found: AlertFact | null, now: number): void {
    const { step, acts } = nextTurn(rule, this.alert, found, now)
    if (step !== 'none') this.log.push({ step, at: now })
    if (step === 'await') this.alert = anAlert({ sinceAt: now, openedAt: null, untold: null, untoldAt: null })
    if (step === 'open')
      this.alert = {
        ...(this.alert ?? anAlert({ sinceAt: now })),
        openedAt: now,
        untold: 'opened',
        untoldAt: now,
      }
    if (step === 'repeat' && this.alert !== null)
      this.alert = { ...this.alert, untold: 'repeated', untoldAt: now }
    if (step === 'forget' || step === 'resolve') this.alert = null
    if (acts && this.alert !== null && found !== null) {
      this.alert = { ...this.alert, actedMark: found.mark }
      this.acted += 1
    }
  }

  tell(now: number): void {
    if (this.alert?.untold != null) this.alert = { ...this.alert, untold: null, untoldAt: null, toldAt: now }
  }
}

const looks = fc.array(
  fc.record({
    holds: fc.boolean(),
    mark: fc.constantFrom('a', 'b'),
    answer: fc.constantFrom('none', 'none', 'none', 'ack', 'snooze'),
  }),
  { minLength: 1, maxLength: 40 },
)

describe('an alert', () => {
  test('opens once it has held for as long as its rule asks, and not before', () => {
    fc.assert(
      fc.property(looks, fc.integer({ min: 0, max: 6 }), (given, forLooks) => {
        const rule = ruleOf({ forMs: forLooks * everyMs })
        const written = new Written()
        let heldFrom: number | null = null
        for (const [index, { holds }] of given.entries()) {
          const now = index * everyMs
          heldFrom = holds ? (heldFrom ?? now) : null
          written.look(rule, holds ? fact : null, now)
          const shouldBeOpen = heldFrom !== null && now - heldFrom >= rule.forMs
          expect((written.alert?.openedAt ?? null) !== null).toBe(shouldBeOpen)
        }
      }),
    )
  })

  test('ends with what it is about, and opens anew after that: each opening has at most one end', () => {
    fc.assert(
      fc.property(looks, (given) => {
        const written = new Written()
        for (const [index, { holds }] of given.entries())
          written.look(ruleOf({}), holds ? fact : null, index * everyMs)
        const turns = written.log.map(({ step }) => step)
        expect(turns).toEqual(turns.map((_, index) => (index % 2 === 0 ? 'open' : 'resolve')))
      }),
    )
  })

  test('is repeated no sooner than its rule says, and never while somebody has taken it on', () => {
    fc.assert(
      fc.property(looks, fc.integer({ min: 1, max: 5 }), (given, repeatLooks) => {
        const rule = ruleOf({ repeatMs: repeatLooks * everyMs })
        const written = new Written()
        let lastTold = Number.NEGATIVE_INFINITY
        for (const [index, { answer }] of given.entries()) {
          const now = index * everyMs
          const before = written.alert
          written.look(rule, fact, now)
          const repeated = written.log.at(-1)?.at === now && written.log.at(-1)?.step === 'repeat'
          const isOpen = before === null || alertState(before, now) === 'open'
          const snoozeIsOver = (before?.snoozedUntil ?? 0) > lastTold
          const inTime = snoozeIsOver || now - lastTold >= (rule.repeatMs ?? 0)
          expect(!repeated || (isOpen && inTime)).toBe(true)
          if (written.alert?.untold != null) {
            written.tell(now)
            lastTold = now
          }
          if (written.alert === null) continue
          if (answer === 'ack') written.alert = { ...written.alert, acknowledgedAt: now }
          if (answer === 'snooze')
            written.alert = { ...written.alert, acknowledgedAt: null, snoozedUntil: now + 2 * everyMs }
        }
      }),
    )
  })

  test('takes its rule’s action once for each reason', () => {
    fc.assert(
      fc.property(looks, (given) => {
        const written = new Written()
        let expected = 0
        let last: string | null = null
        for (const [index, { holds, mark }] of given.entries()) {
          written.look(
            ruleOf({ action: { pauseMs: 60_000 } }),
            holds ? { ...fact, mark } : null,
            index * everyMs,
          )
          if (holds && mark !== last) expected += 1
          last = holds ? mark : null
        }
        expect(written.acted).toBe(expected)
      }),
    )
  })

  test('a rule that is off or gone ends what it has opened, and forgets what waits', () => {
    const open = anAlert({})
    const waiting = anAlert({ id: 'b', subject: 'job-2', openedAt: null })
    expect(verdictsOf([], [open, waiting], 100).map(({ step }) => step)).toEqual(['resolve', 'forget'])
  })

  test('what one look could not take all of is not taken for over', () => {
    const open = anAlert({ subject: 'job-9' })
    const found = (more: boolean) => [{ rule: ruleOf({}), facts: [{ ...fact, subject: 'job-1' }], more }]
    expect(verdictsOf(found(true), [open], 100).map(({ step }) => step)).toEqual(['open'])
    expect(verdictsOf(found(false), [open], 100).map(({ step }) => step)).toEqual(['open', 'resolve'])
  })
})

test('a rule that somebody writes under the name of a built-in one replaces it', () => {
  const own = ruleOf({ name: 'failing', enabled: false })
  const rules = rulesOver([own])
  expect(rules).toHaveLength(builtInRules.length)
  expect(rules.find(({ name }) => name === 'failing')).toEqual(own)
})
