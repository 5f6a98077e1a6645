import { describe, expect, test } from 'vitest'
import { EvertickError } from '../../../src/core/error.ts'
import { parseCron } from '../../../src/core/schedule/cron/cron-expression.ts'
import { cronSequence } from '../../../src/core/schedule/cron/cron-sequence.ts'
import { type OracleWindow, oracleTicks, oracleWindows } from './oracle.ts'
import { randomCron } from './random-cron.ts'
import { seededRandom } from './seeded-random.ts'

const cases = Number(process.env['EVERTICK_CRON_CASES'] ?? 10_000)
const firstSeed = Number(process.env['EVERTICK_CRON_SEED'] ?? 1)

const zones: readonly (readonly [timezone: string, fromYear: number, toYear: number])[] = [
  ['UTC', 2025, 2026],
  ['Europe/Madrid', 2024, 2029],
  ['Europe/London', 2024, 2028],
  ['America/New_York', 2024, 2028],
  ['America/St_Johns', 2006, 2012],
  ['America/Santiago', 2021, 2028],
  ['America/Sao_Paulo', 2016, 2020],
  ['America/Havana', 2024, 2028],
  ['America/Nuuk', 2022, 2028],
  ['America/Caracas', 2007, 2017],
  ['Australia/Lord_Howe', 2024, 2028],
  ['Australia/Sydney', 2024, 2027],
  ['Pacific/Chatham', 2024, 2028],
  ['Pacific/Apia', 2010, 2014],
  ['Pacific/Kwajalein', 1993, 1994],
  ['Pacific/Kiritimati', 1994, 1996],
  ['Africa/Casablanca', 2012, 2026],
  ['Africa/Cairo', 2010, 2028],
  ['Asia/Gaza', 2008, 2045],
  ['Asia/Tehran', 2018, 2023],
  ['Asia/Kathmandu', 1985, 1987],
  ['Asia/Pyongyang', 2015, 2019],
  ['Antarctica/Troll', 2024, 2027],
  ['Antarctica/Casey', 2009, 2024],
]

/** What differs between evaluator and oracle for one seed, or null. */
function difference(seed: number, windows: readonly OracleWindow[]): string | null {
  const random = seededRandom(seed)
  const window = random.pick(windows)
  const cron = randomCron(random, { seconds: true, hash: true, extras: true })
  const key = `job-${seed % 97}`
  try {
    parseCron(cron, key)
  } catch (error) {
    // 31 April and its like: refused, and so nothing to compare. Anything else is a difference.
    const impossible = error instanceof EvertickError && / never comes/.test(error.message)
    return impossible ? null : `${cron}: ${String(error)}`
  }
  const expected = oracleTicks(cron, window, key)
  const sequence = cronSequence(cron, window.timezone, key)
  const from = window.startAt + 86_400_000 + random.below(2 * 86_400_000)
  const label = `seed ${seed}: ${cron} ${window.timezone} from ${new Date(from).toISOString()}`
  const index = expected.findIndex((tick) => tick > from)
  const after = index < 0 ? [] : expected.slice(index)

  let tick = sequence.next(from)
  for (const wanted of after.slice(0, 60)) {
    if (tick !== wanted) return `${label}: next ${iso(tick)}, not ${iso(wanted)}`
    tick = sequence.next(tick)
  }
  if (after.length <= 60 && tick !== null && tick < window.endAt) return `${label}: extra ${iso(tick)}`
  // Before the second day the oracle cannot know what an earlier fold has shown.
  const knownFrom = window.startAt + 86_400_000
  const past = index < 0 ? expected.length : index
  const before = expected.slice(Math.max(0, past - 60), past).filter((instant) => instant >= knownFrom)
  tick = sequence.previous(from + 1)
  for (const wanted of before.toReversed()) {
    if (tick !== wanted) return `${label}: previous ${iso(tick)}, not ${iso(wanted)}`
    tick = sequence.previous(tick)
  }
  const counted = sequence.count(from + 1, window.endAt)
  return counted === after.length ? null : `${label}: count ${counted}, not ${after.length}`
}

function iso(instant: number | null): string {
  return instant === null ? 'none' : new Date(instant).toISOString()
}

describe('evaluator and oracle agree', () => {
  test(
    `on ${cases} random cases around changes of the clock`,
    () => {
      const windows = zones.flatMap(([timezone, fromYear, toYear]) =>
        oracleWindows(timezone, fromYear, toYear),
      )
      expect(windows.length).toBeGreaterThan(150)
      const differences: string[] = []
      for (let seed = firstSeed; seed < firstSeed + cases && differences.length < 10; seed++) {
        const found = difference(seed, windows)
        if (found !== null) differences.push(found)
      }
      expect(differences).toEqual([])
    },
    // A campaign of a million cases takes its time; the limit is only there to end a loop without end.
    Math.max(120_000, cases * 10),
  )
})
