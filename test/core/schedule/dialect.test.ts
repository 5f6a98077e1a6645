import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { EvertickError } from '../../../src/core/error.ts'
import { parseCron } from '../../../src/core/schedule/cron/cron-expression.ts'
import { cronSequence } from '../../../src/core/schedule/cron/cron-sequence.ts'
import { nextTicks } from '../../../src/core/schedule/next-ticks.ts'
import { accepted, refused } from './dialect.ts'

const page = readFileSync(new URL('../../../docs/reference/cron.md', import.meta.url), 'utf8')

describe('the dialect', () => {
  test.each(accepted)('takes $cron: $meaning', ({ cron, next }) => {
    const sequence = cronSequence(cron, 'UTC', 'nightly-report')
    const first = sequence.next(Date.UTC(2027, 0, 1) - 1) as number
    const ticks = [first, sequence.next(first) as number]
    expect(ticks.map((tick) => new Date(tick).toISOString().slice(0, 19).replace('T', ' '))).toEqual(next)
  })

  test.each(refused)('refuses $cron', ({ cron, message }) => {
    const error = thrownBy(() => parseCron(cron, 'nightly-report'))
    expect(error).toBeInstanceOf(EvertickError)
    expect(error).toMatchObject({ code: 'invalid_cron', field: 'cron', message })
    expect((error as EvertickError).next).toMatch(/\.$/)
    // The same text is refused where it is only checked, without a name.
    expect(() => parseCron(cron)).toThrow(message)
  })

  test('is what docs/reference/cron.md says, row by row', () => {
    const rows = page.split('\n').filter((line) => line.startsWith('| `'))
    const takes = accepted.map(
      ({ cron, meaning, next }) => `| \`${cron}\` | ${meaning} | ${next.join(', ')} |`,
    )
    const refuses = refused.map(({ cron, message }) => `| \`${cron}\` | \`${message}\` |`)
    const clockTable = rows.filter((line) => line.includes('02:') && !line.includes('2027-'))
    const others = rows.filter((line) => !clockTable.includes(line))
    expect(others).toEqual([...takes, ...refuses])
  })
})

describe('the examples of a change of the clock in docs/reference/cron.md', () => {
  const gap = '2027-03-27T23:00Z'
  const fold = '2027-10-30T22:00Z'
  test.each([
    ['30 2 * * *', gap, ['01:00']],
    ['30 2 * * *', fold, ['00:30']],
    ['0,30 2,3 * * *', gap, ['01:00', '01:30']],
    ['0,30 2,3 * * *', fold, ['00:00', '00:30', '02:00', '02:30']],
    ['*/30 2 * * *', gap, []],
    ['*/30 2 * * *', fold, ['00:00', '00:30', '01:00', '01:30']],
    ['30 0/1 * * *', gap, ['23:30', '00:30', '01:30', '02:30', '03:30']],
    ['30 0/1 * * *', fold, ['22:30', '23:30', '00:30', '01:30', '02:30']],
    ['0 * * * *', gap, ['00:00', '01:00', '02:00']],
    ['0 * * * *', fold, ['23:00', '00:00', '01:00', '02:00']],
  ] as const)('%s from %s', (cron, from, clock) => {
    const until = new Date(Date.parse(from) + 5 * 3_600_000)
    const ticks = nextTicks({ cron, timezone: 'Europe/Madrid' }, { from, count: 100, until })
    const wanted = cron === '0 * * * *' ? ticks.slice(0, clock.length) : ticks
    expect(wanted.map((tick) => tick.toISOString().slice(11, 16))).toEqual(clock)
  })
})

test('0/n is */n, also where the clock changes', () => {
  for (const start of ['2027-03-27T12:00Z', '2027-10-30T12:00Z']) {
    for (const timezone of ['Europe/Madrid', 'Australia/Lord_Howe']) {
      const ticks = (cron: string) => nextTicks({ cron, timezone }, { from: start, count: 60 })
      for (const step of [1, 2, 3, 7, 12]) {
        expect(ticks(`30 0/${step} * * *`)).toEqual(ticks(`30 */${step} * * *`))
        expect(ticks(`30 0/${step},5 * * *`)).toEqual(ticks(`30 */${step},5 * * *`))
        expect(ticks(`0/${step} 1-3 * * *`)).toEqual(ticks(`*/${step} 1-3 * * *`))
        expect(ticks(`15 00/${step} 1-3 * * *`)).toEqual(ticks(`15 */${step} 1-3 * * *`))
      }
    }
  }
})

describe('H', () => {
  const keys = Array.from({ length: 600 }, (_, index) => `job-${index}`)

  test('is the same for the same name, and spreads over names', () => {
    const minutes = keys.map((key) => parseCron('H * * * *', key).minutes[0])
    expect(parseCron('H * * * *', 'job-0').minutes).toEqual([minutes[0]])
    const perMinute = Array.from({ length: 60 }, (_, minute) => minutes.filter((m) => m === minute).length)
    expect(Math.min(...perMinute)).toBeGreaterThan(0)
    // Ten each on average; far more than that would be a pile-up.
    expect(Math.max(...perMinute)).toBeLessThan(30)
  })

  test('stays within its range, and a stepped one covers its cycle', () => {
    for (const key of keys) {
      const { minutes, hours, days } = parseCron('H(0-29)/10 H(8-17) H H(3-5) H', key)
      expect(minutes).toHaveLength(3)
      expect(minutes.at(-1)).toBeLessThan(30)
      expect(hours).toHaveLength(1)
      expect(hours[0]).toSatisfy((hour: number) => hour >= 8 && hour <= 17)
      expect(days.days & ~0x0fffffff).toBe(0)
      expect([4, 8, 16]).toContain(days.months)
    }
  })

  test('behaves like the fixed value that it stands for when the clock changes', () => {
    const [minute] = parseCron('H 2 * * *', 'a').minutes
    const hashed = cronSequence('H 2 * * *', 'Europe/Madrid', 'a')
    const plain = cronSequence(`${minute} 2 * * *`, 'Europe/Madrid')
    for (let at = Date.UTC(2027, 2, 26), step = 0; step < 400; step++) {
      const tick = hashed.next(at) as number
      expect(tick).toBe(plain.next(at))
      at = tick
    }
  })

  test('without a name cannot be listed, only checked', () => {
    expect(parseCron('H * * * *').hashed).toBe(true)
    expect(parseCron('0 0 * MAR THU').hashed).toBe(false)
    expect(() => cronSequence('H * * * *', 'UTC')).toThrow(
      expect.objectContaining({ code: 'invalid_cron', next: 'Pass the name of the job.' }),
    )
  })
})

function thrownBy(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}
