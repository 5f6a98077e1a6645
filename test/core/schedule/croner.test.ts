import { Cron } from 'croner'
import { describe, expect, test } from 'vitest'
import { cronSequence } from '../../../src/core/schedule/cron/cron-sequence.ts'
import { zoneOffsets } from '../../../src/core/schedule/timezone.ts'
import { randomCron } from './random-cron.ts'
import { seededRandom } from './seeded-random.ts'

const zones = ['UTC', 'Europe/Madrid', 'America/New_York', 'Asia/Kathmandu', 'Australia/Sydney']
const dayMs = 86_400_000

/** Around a change of the clock croner follows another rule than Debian's: those stretches are left out. */
function isQuiet(timezone: string, from: number, to: number): boolean {
  const zone = zoneOffsets(timezone)
  const offset = zone.segmentAt(from).offsetMs
  for (let at = from; at < to; at = zone.segmentAt(at).endAt)
    if (zone.segmentAt(at).offsetMs !== offset) return false
  return zone.segmentAt(to).offsetMs === offset
}

describe('away from changes of the clock', () => {
  test('croner finds the same ticks for the dialect that it shares', () => {
    const differences: string[] = []
    let compared = 0
    for (let seed = 1; seed <= 4000; seed++) {
      const random = seededRandom(seed)
      const cron = randomCron(random, { seconds: true, hash: false, extras: false })
      const timezone = random.pick(zones)
      const from = Date.UTC(2025, 0, 1) + random.below(3 * 365 * 86_400) * 1000
      // A random date may be an impossible one, such as 31 April.
      const sequence = trySequence(cron, timezone)
      if (sequence === null) continue
      const ours: number[] = []
      for (let tick = sequence.next(from); tick !== null && ours.length < 5; tick = sequence.next(tick)) {
        ours.push(tick)
      }
      if (!isQuiet(timezone, from - 2 * dayMs, (ours.at(-1) ?? from) + 2 * dayMs)) continue
      const theirs = new Cron(cron, { timezone, paused: true }).nextRuns(5, new Date(from)).map(Number)
      compared++
      if (ours.join() !== theirs.join()) {
        differences.push(
          `${cron} ${timezone} from ${new Date(from).toISOString()}: ${ours.join()} ${theirs.join()}`,
        )
      }
    }
    expect(differences).toEqual([])
    expect(compared).toBeGreaterThan(2000)
  })
})

function trySequence(cron: string, timezone: string) {
  try {
    return cronSequence(cron, timezone)
  } catch {
    return null
  }
}
