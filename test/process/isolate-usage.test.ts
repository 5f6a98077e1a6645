/** What an isolated handler used: 64 MB that it holds, and 300 ms of CPU time that it counts itself. */
import { describe, expect, it } from 'vitest'
import { modes, openIsolated, worksJob } from './isolated-nodes.ts'

const held = 64 * 2 ** 20
const once = { attempts: 1 }

describe.each(modes)('a handler in its own %s', (isolate) => {
  it('has its peak of memory and its CPU time kept, each run its own', async () => {
    const { ended, evertick } = await openIsolated([worksJob({ isolate })])
    const [used] = (await ended('works', { do: 'use' })).attempts
    expect(used?.usage?.peakMemoryBytes).toBeGreaterThanOrEqual(held)
    expect(used?.usage?.peakMemoryBytes).toBeLessThan(1_024 * 2 ** 20)
    expect(used?.usage?.cpuMs).toBeGreaterThanOrEqual(250)
    expect(used?.usage?.cpuMs).toBeLessThan(10_000)
    // In the same child, which is warm: what it has used for the first is not counted again.
    const [next] = (await ended('works', { do: 'runs' })).attempts
    expect(next?.usage?.cpuMs).toBeLessThan(250)
    const runs = await evertick.jobs.usage('works')
    expect(runs.map(({ cpuMs }) => cpuMs)).toEqual([next?.usage?.cpuMs, used?.usage?.cpuMs])
    expect(await evertick.jobs.usage('works', { limit: 1 })).toHaveLength(1)
  })

  it('keeps what was seen of one that died', async () => {
    const { ended } = await openIsolated([worksJob({ isolate, onCrash: 'fail', retry: once })])
    const [died] = (await ended('works', { do: 'useAndExit' })).attempts
    expect(died).toMatchObject({ outcome: 'crashed' })
    expect(died?.usage?.peakMemoryBytes).toBeGreaterThanOrEqual(held)
    expect(died?.usage?.cpuMs).toBeGreaterThanOrEqual(250)
  })

  it('keeps what was seen of one that never leaves its loop', async () => {
    const { ended } = await openIsolated([worksJob({ isolate, timeout: '1s', retry: once })])
    const [timedOut] = (await ended('works', { do: 'loop' })).attempts
    expect(timedOut?.error).toMatchObject({ code: 'timeout' })
    // It loops for three seconds, and had some of two cores.
    expect(timedOut?.usage?.cpuMs).toBeGreaterThanOrEqual(100)
  })

  it('has what it used up to the commit of its transaction', async () => {
    const { ended } = await openIsolated([worksJob({ isolate })])
    const [used] = (await ended('works', { do: 'useInTransaction' })).attempts
    expect(used?.outcome).toBe('completed')
    expect(used?.usage?.peakMemoryBytes).toBeGreaterThanOrEqual(held)
    expect(used?.usage?.cpuMs).toBeGreaterThanOrEqual(250)
  })
})
