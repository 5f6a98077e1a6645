import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { Stream } from '../../src/cli/output/terminal.ts'
import type { SeedResult } from './campaign/seed-runner.ts'
import { Totals } from './campaign/totals.ts'
import { progressWords } from './report/progress.ts'
import { summaryObject, writeSummary, writeViolations } from './report/summary.ts'

const tally = {
  virtualMs: 1_800_000,
  ticks: 1_000,
  attempts: 20,
  steps: 7,
  repeated: 1,
  crashes: 3,
  failovers: 2,
  refused: 1,
  faults: 5,
  events: 9_000,
}

const result = (seed: number, rule: string | null): SeedResult => ({
  seed,
  tally,
  broken: rule === null ? null : { rule, message: `broke in ${seed}\n    at somewhere`, job: null },
})

function totalsOf(results: readonly SeedResult[]): Totals {
  const totals = new Totals('safety', 1)
  for (const one of results) totals.add(one)
  return totals
}

function written(write: (out: Stream) => void): string[] {
  const sink = new PassThrough()
  write(new Stream(sink as unknown as NodeJS.WriteStream, () => {}))
  return String(sink.read() ?? '').split('\n')
}

describe('the summary of a campaign', () => {
  it('sums what the seeds tell', () => {
    const totals = totalsOf([result(1, null), result(2, 'a rule'), result(3, null)])
    const lines = written((out) => writeSummary(out, { totals, elapsedMs: 61_000, bug: null }))
    const rows: unknown = Object.fromEntries(lines.slice(1, -1).map((line) => line.split(/ {2,}/)))
    expect(lines[0]).toBe('safety, seeds 1 to 3')
    expect(rows).toEqual({
      seeds: '3',
      'virtual hours': '1.5',
      ticks: '3,000',
      attempts: '60',
      steps: '21',
      'repeated for want of a memo': '3',
      crashes: '9',
      failovers: '6',
      'refused stale writes': '3',
      faults: '15',
      violations: '1',
      'real time': '1 min 1 s',
    })
  })

  it('is one object of numbers for programs', () => {
    const totals = totalsOf([result(2, 'a rule'), result(1, null)])
    expect(summaryObject({ totals, elapsedMs: 1_234, bug: null })).toEqual({
      seeds: 2,
      mode: 'safety',
      from: 1,
      virtualHours: 1,
      ticks: 2_000,
      attempts: 40,
      steps: 14,
      repeated: 2,
      crashes: 6,
      failovers: 4,
      refused: 2,
      faults: 10,
      violations: 1,
      seconds: 1.23,
      broken: [{ seed: 2, rule: 'a rule', message: 'broke in 2' }],
    })
  })

  it('lists violations by rule, the most frequent first, by seed, each on one line', () => {
    const { broken } = totalsOf([result(9, 'b'), result(5, 'a'), result(3, 'b')])
    const lines = written((out) => writeViolations(out, broken))
    expect(lines).toEqual([
      '',
      '✗ b: 2 seeds',
      '    seed 3  broke in 3',
      '    seed 9  broke in 9',
      '',
      '✗ a: 1 seed',
      '    seed 5  broke in 5',
      '',
    ])
  })

  it('lists at most ten violations, and each rule at least once', () => {
    const many = Array.from({ length: 40 }, (_, index) =>
      result(index, index < 38 ? 'often' : `rare ${index}`),
    )
    const lines = written((out) => writeViolations(out, totalsOf(many).broken))
    expect(lines.filter((line) => line.startsWith('    seed'))).toHaveLength(10)
    expect(lines).toContain('    … and 30 more seeds')
    expect(lines).toContain('✗ rare 38: 1 seed')
    expect(lines).toContain('✗ rare 39: 1 seed')
  })
})

describe('progress', () => {
  it('says how far, how fast and how long', () => {
    expect(progressWords({ done: 1_200, total: 2_000, violations: 1, elapsedMs: 60_000 })).toBe(
      '1,200 of 2,000 seeds, 1 violation, 20.0 seeds a second, 40 s left',
    )
  })
})
