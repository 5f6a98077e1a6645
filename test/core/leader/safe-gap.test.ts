import { describe, expect, it } from 'vitest'
import { type LoggedTerm, safeGapStart } from '../../../src/core/leader/safe-gap.ts'

const margin = 30

function term(given: Partial<LoggedTerm>): LoggedTerm {
  return { startAt: 0, stopAt: null, lastHeartbeatAt: null, handledMissedTasks: true, ...given }
}

describe('where the safe gap begins', () => {
  it('nowhere, where nobody ever led', () => {
    expect(safeGapStart([], 1_000, margin)).toBeNull()
  })

  it('a margin before the last that is known of the previous term: stop, else heartbeat, else start', () => {
    expect(safeGapStart([term({ stopAt: 500, lastHeartbeatAt: 490, startAt: 100 })], 1_000, margin)).toBe(470)
    expect(safeGapStart([term({ lastHeartbeatAt: 490, startAt: 100 })], 1_000, margin)).toBe(460)
    expect(safeGapStart([term({ startAt: 100 })], 1_000, margin)).toBe(70)
  })

  it('behind every term that never handled its own gap', () => {
    const terms = [
      term({ stopAt: 900, handledMissedTasks: false }),
      term({ stopAt: 700, handledMissedTasks: false }),
      term({ stopAt: 400 }),
      term({ stopAt: 200, handledMissedTasks: false }),
    ]
    expect(safeGapStart(terms, 1_000, margin)).toBe(370)
    expect(safeGapStart(terms.slice(0, 2), 1_000, margin)).toBe(670)
  })

  it('never after the new term began, whatever another host’s clock has written', () => {
    expect(safeGapStart([term({ lastHeartbeatAt: 5_000 })], 1_000, margin)).toBe(970)
  })
})
