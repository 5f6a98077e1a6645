import { describe, expect, it } from 'vitest'
import { drawnOf, lanesOf, timed } from '../../dashboard/src/screens/timeline/lanes.ts'

type Given = Parameters<typeof timed>[0]

const second = 1_000
const begin = Date.parse('2026-11-17T10:00:00Z')

/** From and to in seconds; without an end it runs still. */
function run(id: string, job: string, from: number, to: number | null, more: Partial<Given> = {}) {
  return timed({
    id,
    jobId: job,
    job,
    state: to === null ? 'running' : 'completed',
    cause: 'schedule',
    nodeId: 'a',
    startedAt: new Date(begin + from * second).toISOString(),
    finishedAt: to === null ? null : new Date(begin + to * second).toISOString(),
    scheduledFor: new Date(begin + from * second).toISOString(),
    attempt: 1,
    ...more,
  })
}

describe('the lanes of a timeline', () => {
  it('give each job a row, those that began first first', () => {
    const lanes = lanesOf(
      [run('3', 'late', 30, 40), run('1', 'early', 0, 5), run('2', 'early', 10, 20)],
      'job',
      begin,
    )
    expect(lanes.map(({ group, runs }) => [group, runs.map(({ run: { id } }) => id)])).toEqual([
      ['early', ['1', '2']],
      ['late', ['3']],
    ])
  })

  it('give a node as many lanes as ran there at once, and use a lane again as soon as it is free', () => {
    const runs = [run('1', 'x', 0, 10), run('2', 'y', 5, 15), run('3', 'z', 10, 20)]
    const lanes = lanesOf(runs, 'node', begin)
    expect(lanes.map(({ isFirst, runs: there }) => [isFirst, there.map(({ run: { id } }) => id)])).toEqual([
      [true, ['1', '3']],
      [false, ['2']],
    ])
  })

  it('let what runs reach to now, and what waits for another attempt be a mark', () => {
    const now = begin + 60 * second
    const runs = [run('1', 'x', 0, null), run('2', 'y', 5, null, { state: 'retrying' })]
    const ends = lanesOf(runs, 'job', now).map(({ runs: [placed] }) => placed?.end)
    expect(ends).toEqual([now, begin + 5 * second])
  })
})

describe('what is drawn of a lane', () => {
  const width = 100
  const draw = (runs: ReturnType<typeof run>[]) => {
    const [lane] = lanesOf(runs, 'job', begin)
    if (lane === undefined) throw new Error('no lane')
    return drawnOf(lane, begin, begin + 100 * second, width)
  }

  it('keeps runs apart that have room, and leaves out what is not in view', () => {
    const drawn = draw([
      run('1', 'x', -20, -10),
      run('2', 'x', 0, 20),
      run('3', 'x', 40, 60),
      run('4', 'x', 200, 210),
    ])
    expect(drawn.map(({ left, width: wide }) => [left, wide])).toEqual([
      [0, 20],
      [40, 20],
    ])
  })

  it('draws short runs that touch as one, and shows the worst of them', () => {
    const drawn = draw([
      run('1', 'x', 10, 11),
      run('2', 'x', 12, 13, { state: 'failed' }),
      run('3', 'x', 14, 15),
    ])
    expect(drawn).toHaveLength(1)
    expect(drawn[0]).toMatchObject({ state: 'failed', left: 10 })
    expect(drawn[0]?.runs).toHaveLength(3)
  })

  it('counts what the server has merged', () => {
    const drawn = draw([run('1', 'x', 0, 40, { count: 1_440 }), run('2', 'x', 60, 61), run('3', 'x', 62, 63)])
    expect(drawn.map(({ count }) => count)).toEqual([1_440, 2])
  })

  it('never hides a long run behind its neighbour', () => {
    const drawn = draw([run('1', 'x', 0, 40), run('2', 'x', 40, 80), run('3', 'x', 80, 81)])
    expect(drawn.map(({ runs }) => runs.length)).toEqual([1, 1, 1])
  })
})
