import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { contextOf } from '../../src/app/app-context.ts'
import { defineJob, Evertick, type Logger } from '../../src/index.ts'
import type { Nouns } from '../../src/store/store.ts'
import { connectionVerbs, wrapVerbs } from '../../src/store/wrap-store.ts'
import { ManualClock, openTestNode, type TestNode } from '../../src/testing/index.ts'

const hour = 3_600_000
const quiet: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const hourly = defineJob({ name: 'hourly', schedule: { cron: '0 * * * *' }, run: () => {} })

describe('advance costs work, not time', () => {
  it('an hourly job makes it stop three times an hour, and ask the store fifteen things', async () => {
    const run = vi.fn<() => void>()
    const job = defineJob({ name: 'hourly', schedule: { cron: '0 * * * *' }, run })
    await using node = await openTestNode({ jobs: [job] })
    const stops = vi.spyOn(node.clock, 'moveTo')
    const calls = countCalls(node)
    await node.advance('30d')
    expect(run).toHaveBeenCalledTimes(720)
    const asked = calls()
    expect(asked).toBeGreaterThan(720)
    expect(await node.evertick.audit()).toMatchObject({ ok: true })
    // To account for a tick ahead of its time, to claim it just before, and to run it. Heartbeats fall onto the hours, and
    // until its first look has told the node that it is alone, there is a stop for each.
    expect(stops.mock.calls.length).toBeLessThanOrEqual(3 * 720 + 10)
    // Five claims; what is due, its account, its end; and once each what a node looks after: its heartbeat, orphans, leases,
    // changes of others, alerts, history, access and alerts to prune. The rest is the leader's heartbeat and the audit log.
    expect(asked).toBeLessThanOrEqual(18 * 720)
  })

  it('with nothing due, days cost a few heartbeats', async () => {
    await using node = await openTestNode()
    const stops = vi.spyOn(node.clock, 'moveTo')
    await node.advance('5d')
    expect(stops.mock.calls.length).toBeLessThan(5 * 24 * 2)
  })

  it('neither a file nor a clock of the test’s own makes it stop for looks that find nothing', async () => {
    const clock = new ManualClock('2026-01-01T00:00:00Z')
    await using node = await openTestNode({ jobs: [hourly], clock, database: databaseUrl() })
    const stops = vi.spyOn(clock, 'moveTo')
    await node.advance('2d')
    expect(await node.executions(hourly)).toHaveLength(48)
    expect(stops.mock.calls.length).toBeLessThanOrEqual(3 * 48 + 10)
  })
})

describe('advance misses nothing', () => {
  it('what another process has written is found by the next look for it', async () => {
    const clock = new ManualClock('2026-01-01T00:00:00Z')
    const database = databaseUrl()
    const other = await Evertick.open({ database, clock })
    onTestFinished(() => other.stop())
    const mail = defineJob({ name: 'mail', run: () => {} })
    await using node = await openTestNode({ jobs: [mail], clock, database })
    await node.advance('5m')
    await other.enqueue('mail', {})
    await node.advance('30m')
    const [sent] = await node.executions(mail)
    const waitedMs = (sent?.startedAt?.getTime() ?? Infinity) - (sent?.scheduledFor.getTime() ?? 0)
    expect(waitedMs).toBeLessThanOrEqual(lookEveryMs(clock))
  })

  it('while another node is there, it stops for every look', async () => {
    const clock = new ManualClock('2026-01-01T00:00:00Z')
    const database = databaseUrl()
    const worker = await openTestNode({ clock, database, roles: ['worker'] })
    onTestFinished(() => worker.stop())
    await using node = await openTestNode({ clock, database })
    const stops = vi.spyOn(clock, 'moveTo')
    await node.advance('1h')
    expect(stops.mock.calls.length).toBeGreaterThanOrEqual(hour / lookEveryMs(clock))
  })

  it('a retry comes at its instant, though the worker looked for work before its end was written', async () => {
    const flaky = defineJob({
      name: 'flaky',
      retry: { attempts: 2, base: '10m' },
      run: ({ attempt }) => {
        if (attempt === 1) throw new Error('not yet')
      },
    })
    await using node = await openTestNode({ jobs: [flaky], logger: quiet })
    const { store } = contextOf(node.evertick)
    const finishAttempts = store.work.finishAttempts.bind(store.work)
    store.work.finishAttempts = async (request) => {
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      return await finishAttempts(request)
    }
    await node.evertick.enqueue('flaky', {})
    await node.advance('30m')
    const [run] = await node.executions(flaky)
    expect(run?.finishedAt).toEqual(new Date('2026-01-01T00:10:00Z'))
  })
})

it('advance goes on while a handler waits for the clock inside its transaction', async () => {
  const clock = new ManualClock('2026-01-01T00:00:00Z')
  const slow = defineJob({
    name: 'slow',
    retry: { attempts: 1 },
    run: async (ctx) => await ctx.transaction(async () => await clock.sleep(60_000)),
  })
  await using node = await openTestNode({ jobs: [slow], clock, logger: quiet })
  await node.advance('5m')
  await node.evertick.enqueue('slow', {})
  await node.advance('5m')
  const [run] = await node.executions(slow)
  expect(run).toMatchObject({ state: 'failed', error: { code: 'transaction_timeout' } })
})

function databaseUrl(): string {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-advance-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return `sqlite:${join(folder, 'evertick.db')}`
}

/** What a node hears of no other way, it looks for this often. */
function lookEveryMs({ longestSleepMs }: ManualClock): number {
  return longestSleepMs / 120
}

/** Counts what the node asks of its store from now on. */
function countCalls(node: TestNode): () => number {
  const { store } = contextOf(node.evertick)
  let calls = 0
  const counting = wrapVerbs(store, ({ run }) => {
    calls += 1
    return run()
  })
  for (const [noun, verbs] of Object.entries(counting)) {
    if (typeof verbs === 'object') Object.assign(store[noun as keyof Nouns], verbs)
  }
  for (const verb of connectionVerbs) Object.assign(store, { [verb]: counting[verb] })
  return () => calls
}
