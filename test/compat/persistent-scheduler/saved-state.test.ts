/** Whatever happens to the text of a state file: it is read as it was written, or known to be damaged. */
import { describe, expect, test } from 'vitest'
import {
  formatState,
  parseState,
  type SavedJob,
  type SavedState,
  settledUntil,
} from '../../../src/compat/persistent-scheduler/saved-state.ts'
import { seededRandom } from '../../core/schedule/seeded-random.ts'

const job: SavedJob = {
  name: 'daily-backup',
  schedule: '0 8 * * *',
  enabled: true,
  catchUp: true,
  maxMissedRuns: 2,
  currentRunCount: 5,
  lastRun: '2024-01-14T08:00:00.000Z',
  nextRun: '2024-01-15T08:00:00.000Z',
  timezone: 'Europe/Madrid',
  protect: true,
  settledUntil: '2024-01-14T08:00:00.001Z',
  unfinished: [{ scheduledFor: '2024-01-13T08:00:00.000Z', attempt: 1 }],
  definition: '0123456789abcdef',
}
const state: SavedState = {
  timestamp: '2024-01-15T10:30:00.000Z',
  jobs: [job, { ...job, name: 'other' }],
}
const text = formatState(state)
const whole = JSON.stringify(state)

/** What a reader may make of it: all of it, nothing, a refusal, or jobs as they were with the others named; never something else. */
function isHonest(damaged: string): boolean {
  const read = parseState(damaged)
  if (read.kind === 'whole') return JSON.stringify(read.state) === whole
  return read.kind !== 'partly' || read.state.jobs.every((job) => whole.includes(JSON.stringify(job)))
}

test('what was written is read', () => {
  expect(parseState(text)).toEqual({ kind: 'whole', state })
})

test('truncated at any byte it is damaged', () => {
  const cut = Array.from(
    { length: text.trimEnd().length },
    (_, length) => parseState(text.slice(0, length)).kind,
  )
  expect(new Set(cut)).toEqual(new Set(['damaged']))
})

test('10,000 mutations: none is believed', () => {
  const random = seededRandom(1)
  const characters = '0123456789abcdefxyzTZ{}[]",:.-+ \n\0é\ud800'
  const believed: string[] = []
  let changed = 0
  for (let round = 0; round < 10_000; round += 1) {
    let mutated = text
    for (let times = random.between(1, 3); times > 0; times -= 1) {
      const at = random.below(mutated.length)
      const length = random.pick([0, 1, 1, 1, 2, 8, 40])
      const put = Array.from({ length: random.pick([0, 1, 1, 1, 3]) }, () =>
        characters.charAt(random.below(characters.length)),
      )
      mutated = mutated.slice(0, at) + put.join('') + mutated.slice(at + length)
    }
    if (mutated !== text) changed += 1
    if (!isHonest(mutated)) believed.push(mutated)
  }
  expect(believed).toEqual([])
  expect(changed).toBeGreaterThan(9_000)
})

describe('damage', () => {
  const without = (key: string) => {
    const { checksum: _, ...rest } = JSON.parse(text) as Record<string, unknown>
    return JSON.stringify({ ...rest, ...(key === '' ? {} : JSON.parse(key)) })
  }

  test.each([
    ['empty', '', 'it is empty'],
    ['no JSON', 'null{', 'it is not valid JSON'],
    ['no object', '[]', ''],
    ['no jobs', '{"version":"1.0","timestamp":"2024-01-15T10:30:00.000Z"}', 'jobs'],
    ['a wrong instant', without('{"timestamp":"soon"}'), 'timestamp'],
    ['a changed digit', text.replace('"currentRunCount": 5', '"currentRunCount": 6'), 'checksum'],
  ])('%s', (_, damaged, why) => {
    const read = parseState(damaged)
    expect(read).toMatchObject({ kind: 'damaged' })
    expect(read.kind === 'damaged' ? read.why : '').toContain(why)
  })

  test('a file without a checksum, as others write it, is read', () => {
    expect(parseState(without('')).kind).toBe('whole')
  })

  test('another version is told from damage', () => {
    expect(parseState('{"version":"2.0","things":[]}')).toEqual({ kind: 'foreign', version: '2.0' })
  })
})

test('without our own keys, everything up to the last run is settled, or else up to the file', () => {
  const { settledUntil: _, ...plain } = job
  expect(settledUntil(job, state)).toBe(Date.parse('2024-01-14T08:00:00.001Z'))
  expect(settledUntil(plain, state)).toBe(Date.parse('2024-01-14T08:00:00.001Z'))
  expect(settledUntil({ ...plain, lastRun: null }, state)).toBe(Date.parse('2024-01-15T10:30:00.001Z'))
})
