/** The marks of a year: months, at their own midnights. */
import { afterAll, describe, expect, it, vi } from 'vitest'

// The dashboard's clock looks at the page, and ticks. Other files share this process: what is not real goes with this one.
vi.useFakeTimers()
vi.stubGlobal('document', { hidden: false, addEventListener: () => {}, createElement: () => ({}) })
afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
const { timeAxis } = await import('../../dashboard/src/charts/time-axis.ts')

const from = Date.parse('2025-11-17T00:00:00+01:00')
const to = Date.parse('2026-11-16T09:40:00Z')

describe('the axis of a year', () => {
  it('has its marks at the first midnight of months, also where the clocks change', () => {
    const marks = timeAxis(from, to, 12, 'Europe/Madrid')
    expect(marks.length).toBeLessThanOrEqual(12)
    expect(marks.slice(0, 4).map(({ at }) => new Date(at).toISOString())).toEqual([
      '2025-11-30T23:00:00.000Z',
      '2026-01-31T23:00:00.000Z',
      '2026-03-31T22:00:00.000Z',
      '2026-05-31T22:00:00.000Z',
    ])
    expect(marks[1]?.label).toBe('Feb 2026')
  })

  it('has a mark each month where there is room', () => {
    expect(timeAxis(from, to, 14, 'UTC')).toHaveLength(12)
  })

  it('never has more marks than there is room for', () => {
    for (const room of [1, 2, 3, 5, 8, 20, 60])
      expect(timeAxis(from, to, room, 'America/New_York').length).toBeLessThanOrEqual(room + 1)
  })
})
