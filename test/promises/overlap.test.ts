/** What becomes of a tick while the run before still goes on. */
import { expect, it } from 'vitest'
import { defineJob, type JobOptions } from '../../src/index.ts'
import { ManualClock } from '../../src/testing/index.ts'
import { lasting, openNode, secondsOf, statesOf, t0, tally } from './support.ts'

/** Runs of 24 s every 10 s, for two minutes. */
async function crowded(options: JobOptions) {
  const clock = new ManualClock(t0)
  const runs: (readonly [number | null, number | null])[] = []
  let [together, most] = [0, 0]
  const job = defineJob({
    name: 'job',
    schedule: { every: '10s' },
    ...options,
    async run(ctx) {
      together += 1
      most = Math.max(most, together)
      runs.push([secondsOf(ctx.scheduledFor), secondsOf(new Date(clock.now()))])
      try {
        await lasting(clock, 24_000)(ctx)
      } finally {
        together -= 1
      }
    },
  })
  const node = await openNode({ clock, jobs: [job] })
  await node.advance('121s')
  expect(await node.evertick.audit()).toMatchObject({ ok: true })
  return { node, runs, most, ticks: tally(await node.ticks(job)), executions: await node.executions(job) }
}

it('`skip`: ticks under a run are skipped, and its end does not start one', async () => {
  const { runs, most, ticks } = await crowded({})
  expect(most).toBe(1)
  expect(runs).toEqual([
    [10, 10],
    [40, 40],
    [70, 70],
    [100, 100],
  ])
  expect(ticks).toEqual({ fired: 4, 'skipped: overlap': 8 })
})

it('`skip` with maxConcurrent 2: two go on together, the third is skipped', async () => {
  const { runs, most, ticks } = await crowded({ maxConcurrent: 2 })
  expect(most).toBe(2)
  expect(runs.map(([tick]) => tick)).toEqual([10, 20, 40, 50, 70, 80, 100, 110])
  expect(ticks).toEqual({ fired: 8, 'skipped: overlap': 4 })
})

it('`buffer_one`: one waits, the others find the buffer full', async () => {
  const { runs, most, ticks } = await crowded({ overlap: 'buffer_one' })
  expect(most).toBe(1)
  expect(runs).toEqual([
    [10, 10],
    [20, 34],
    [40, 58],
    [60, 82],
    [90, 106],
  ])
  expect(ticks).toEqual({ fired: 6, 'skipped: buffer_full': 6 })
})

it('`buffer_all`: all wait, and run in their order', async () => {
  const { runs, most, ticks } = await crowded({ overlap: 'buffer_all' })
  expect(most).toBe(1)
  expect(runs).toEqual([
    [10, 10],
    [20, 34],
    [30, 58],
    [40, 82],
    [50, 106],
  ])
  expect(ticks).toEqual({ fired: 12 })
})

it('`cancel_running`: the newest takes the place of the one that runs', async () => {
  const { runs, most, ticks, executions } = await crowded({ overlap: 'cancel_running' })
  expect(most).toBe(1)
  expect(runs).toHaveLength(12)
  expect(statesOf(executions)).toEqual({ 'cancelled: replaced': 11, running: 1 })
  expect(ticks).toEqual({ fired: 12 })
})

it('`allow`: all go on together', async () => {
  const { most, ticks, executions } = await crowded({ overlap: 'allow' })
  expect(most).toBe(3)
  expect(ticks).toEqual({ fired: 12 })
  expect(executions.every(({ startedAt, scheduledFor }) => Number(startedAt) <= Number(scheduledFor))).toBe(
    true,
  )
})

it('`allow` with maxConcurrent is refused', () => {
  expect(() => defineJob({ name: 'job', overlap: 'allow', maxConcurrent: 2 })).toThrow(
    expect.objectContaining({ code: 'invalid_definition', field: 'maxConcurrent' }),
  )
})

it('a trigger of a busy job is refused, unless forced', async () => {
  const { node } = await crowded({})
  await expect(node.evertick.jobs.trigger('job')).rejects.toMatchObject({ code: 'job_busy' })
  expect(await node.evertick.jobs.trigger('job', { force: true })).toMatchObject({ state: 'pending' })
})
