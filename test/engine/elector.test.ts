import { expect, onTestFinished, test } from 'vitest'
import { Elector } from '../../src/engine/elector.ts'
import { Events } from '../../src/engine/events.ts'
import type { ClusterStore, RenewRequest } from '../../src/store/store.ts'
import { ManualClock } from '../../src/testing/index.ts'
import { quiet } from '../promises/support.ts'
import { t0 } from '../store/builders.ts'
import { openMemory } from '../store/sqlite-store.ts'

const surroundings = {
  nodeId: 'n1',
  logger: quiet,
  random: () => 0,
  defer: setImmediate,
  maxPayloadBytes: 1_048_576,
  traceAttempt: null,
  traceSteps: null,
  openSecret: () => Promise.reject(new Error('not asked for')),
  pulse: null,
}

test('a leader whose renewal came late, but came, wakes whoever found it without a lease', async () => {
  const bench = await openMemory()
  onTestFinished(() => bench.close())
  const clock = new ManualClock(t0)
  let slowMs = 0
  const { cluster } = bench.store
  const renewTerm = async (request: RenewRequest) => {
    await clock.sleep(slowMs)
    return await cluster.renewTerm(request)
  }
  const store = { ...bench.store, cluster: { ...cluster, renewTerm } }
  const events = new Events(() => {})
  const woken: number[] = []
  const context = { ...surroundings, store, clock, events }
  const elector = new Elector(context, { leaseMs: 2_000, heartbeatMs: 1_000 }, () =>
    woken.push(clock.now() - t0),
  )
  const pass = async (ms: number) => {
    for (const until = clock.now() + ms; clock.now() < until; clock.moveTo(clock.now() + 100)) {
      await turns()
    }
  }
  elector.start()
  await pass(1_500)
  slowMs = 2_500
  await pass(2_000)
  expect(elector.term()).toBeNull()
  slowMs = 0
  await pass(3_000)
  expect(elector.term()).toMatchObject({ id: 1 })
  // Not a heartbeat later: the reply at 4.5 s was too late itself, and the next try followed at once.
  expect(woken).toHaveLength(2)
  expect(woken[1]).toBeLessThan(5_000)
  await elector.stop()
})

test.each(['electLeader', 'renewTerm'] as const)(
  'a node that stops after a lost reply of %s leaves no lock and no open term behind',
  async (verb) => {
    const bench = await openMemory()
    onTestFinished(() => bench.close())
    const clock = new ManualClock(t0)
    let replyIsLost = verb === 'electLeader'
    const lost = async <T>(reply: Promise<T>): Promise<T> => {
      const answer = await reply
      if (replyIsLost) throw new Error('the reply is lost')
      return answer
    }
    const { cluster } = bench.store
    const lossy: ClusterStore = {
      ...cluster,
      electLeader: (request) => lost(cluster.electLeader(request)),
      renewTerm: (request) => lost(cluster.renewTerm(request)),
    }
    const store = { ...bench.store, cluster: lossy }
    const events = new Events(() => {})
    const context = { ...surroundings, store, clock, events }
    const elector = new Elector(context, { leaseMs: 2_000, heartbeatMs: 1_000 }, () => {})
    elector.start()
    await turns()
    replyIsLost = true
    clock.moveTo(t0 + 1_000)
    await turns()
    expect(elector.term()).toBeNull()
    expect(await bench.store.cluster.currentLeader()).toMatchObject({ holder: 'n1', termId: 1 })
    replyIsLost = false
    await elector.stop()
    expect(await bench.store.cluster.currentLeader()).toBeNull()
    expect(await bench.store.cluster.listTerms({ limit: 10 })).toMatchObject([{ id: 1, stopAt: t0 + 1_000 }])
  },
)

test('what was found of an earlier term does not cost the one in which this node leads again', async () => {
  const bench = await openMemory()
  onTestFinished(() => bench.close())
  const clock = new ManualClock(t0)
  const context = { ...surroundings, store: bench.store, clock, events: new Events(() => {}) }
  const elector = new Elector(context, { leaseMs: 2_000, heartbeatMs: 1_000 }, () => {})
  elector.start()
  await turns()
  const first = elector.term()
  // As if it had slept: another led meanwhile, and has left.
  await bench.store.cluster.endTerm(1, 'n1', t0)
  for (let beat = 0; beat < 3; beat += 1) {
    clock.moveTo(clock.now() + 1_000)
    await turns()
  }
  expect(elector.term()).toMatchObject({ id: 2 })
  elector.doubt(first?.id ?? 0)
  expect(elector.term()).toMatchObject({ id: 2 })
  await elector.stop()
  expect(await bench.store.cluster.currentLeader()).toBeNull()
  expect(await bench.store.cluster.listTerms({ limit: 10 })).toMatchObject([
    { id: 2, stopAt: t0 + 3_000 },
    { id: 1, stopAt: t0 },
  ])
})

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
