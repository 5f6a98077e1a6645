/** What a waiting node makes of the leader's lifeline, and a leader of its own. */
import { expect, onTestFinished, test } from 'vitest'
import { Elector } from '../../src/engine/elector.ts'
import { Events } from '../../src/engine/events.ts'
import { processHost } from '../../src/store/host.ts'
import { keepLifelines, type Tied } from '../../src/store/lifeline.ts'
import type { LifelineState, Store } from '../../src/store/store.ts'
import { ManualClock } from '../../src/testing/index.ts'
import { t0 } from '../store/builders.ts'
import { openMemory } from '../store/sqlite-store.ts'

const leaseMs = 10_000
const heartbeatMs = 3_000

/** The locks of a server, and who hears of it when one is cut. */
class Server {
  readonly clock = new ManualClock(t0)
  readonly #held = new Map<string, () => void>()
  #count = 0
  /** What it says of a lock that somebody holds. */
  says: LifelineState = 'held'

  readonly lifelines = keepLifelines(
    {
      tie: async (onCut) => this.tie(onCut),
      check: async (name) => (this.#held.has(name) ? this.says : 'free'),
    },
    {
      ...processHost,
      timer: (ms, callback) => this.clock.timer(ms, callback),
      monotonic: () => this.clock.monotonic(),
    },
  )

  tie(onCut: () => void = () => {}): Tied {
    this.#count += 1
    const name = `line-${this.#count}`
    this.#held.set(name, onCut)
    return { name, cut: async () => void this.#held.delete(name) }
  }

  get held(): string[] {
    return [...this.#held.keys()]
  }

  cutAll(): void {
    const holders = [...this.#held.values()]
    this.#held.clear()
    for (const onCut of holders) onCut()
  }

  async pass(ms: number): Promise<void> {
    await turns()
    for (const until = this.clock.now() + ms; this.clock.now() < until; await turns()) {
      this.clock.moveTo(this.clock.now() + 100)
    }
  }
}

async function openBench() {
  const bench = await openMemory()
  const server = new Server()
  const store: Store = {
    ...bench.store,
    holdLifeline: (onChange) => server.lifelines.hold(onChange),
    cluster: { ...bench.store.cluster, checkLifeline: (name) => server.lifelines.check(name) },
  }
  const said: string[] = []
  const say = (message: string) => void said.push(message)
  const logger = { debug: say, info: say, warn: say, error: say }
  const ends = [() => bench.close()]
  onTestFinished(async () => {
    for (const end of ends) await end()
  })
  const start = (nodeId: string) => {
    const surroundings = {
      random: () => 0,
      defer: setImmediate,
      maxPayloadBytes: 1,
      traceAttempt: null,
      traceSteps: null,
      openSecret: () => Promise.reject(new Error('not asked for')),
      pulse: null,
    }
    const context = {
      ...surroundings,
      nodeId,
      logger,
      store,
      clock: server.clock,
      events: new Events(() => {}),
    }
    const elector = new Elector(context, { leaseMs, heartbeatMs }, () => {})
    elector.start()
    ends.unshift(() => elector.stop())
    return elector
  }
  return { server, cluster: store.cluster, said, start }
}

/** A leader of which nothing is left but its row, once its lifeline is cut. */
async function deadLeader({ server, cluster }: Awaited<ReturnType<typeof openBench>>) {
  const term = await cluster.electLeader({ nodeId: 'dead', now: t0, leaseMs })
  const leader = { termId: term?.id ?? 0, holder: 'dead' }
  await cluster.renewTerm({ ...leader, now: t0, leaseMs, lifeline: server.tie().name })
  return leader
}

test('the lead of a dead leader is taken once two looks have found its lifeline cut, and the log says why', async () => {
  const bench = await openBench()
  const leader = await deadLeader(bench)
  const elector = bench.start('n2')
  await bench.server.pass(2_000)
  expect(elector.term()).toBeNull()
  bench.server.cutAll()
  await bench.server.pass(2_000)
  expect(elector.term()?.id).toBeGreaterThan(leader.termId)
  expect(elector.term()?.startAt).toBeLessThan(t0 + leaseMs)
  expect(bench.said).toContainEqual(
    expect.stringContaining('Taking the lead from dead before its lease ends at 2027-01-04T00:00:10.000Z: '),
  )
  const late = { ...leader, now: bench.server.clock.now(), leaseMs, lifeline: null }
  expect(await bench.cluster.renewTerm(late)).toBe(false)
})

test('where nobody can tell whether the leader lives, its lease is left its time', async () => {
  const bench = await openBench()
  await deadLeader(bench)
  bench.server.says = 'unknown'
  const elector = bench.start('n2')
  await bench.server.pass(leaseMs)
  expect(elector.term()).toBeNull()
  await bench.server.pass(1_000 + heartbeatMs)
  expect(elector.term()).not.toBeNull()
})

test('a leader that has lost nothing but its lifeline says so at once, keeps its lead, and gets another', async () => {
  const bench = await openBench()
  const elector = bench.start('n1')
  await bench.server.pass(1_000)
  const other = bench.start('n2')
  const lifelineOf = async () => (await bench.cluster.currentLeader())?.lifeline
  const names = new Set<unknown>()
  for (let cuts = 0; cuts < 3; cuts += 1) {
    names.add(await lifelineOf())
    bench.server.cutAll()
    await turns()
    expect(await lifelineOf()).toBeNull()
    await bench.server.pass(35_000)
  }
  names.add(await lifelineOf())
  expect(names.size).toBe(4)
  expect(names).not.toContain(null)
  expect(elector.term()).toMatchObject({ id: 1 })
  expect(other.term()).toBeNull()
})

test('a leader that steps back lets go of its lifeline, and a stopped one leaves none', async () => {
  const bench = await openBench()
  const elector = bench.start('n1')
  await bench.server.pass(1_000)
  expect(bench.server.held).toHaveLength(1)
  elector.doubt(elector.term()?.id ?? 0)
  await turns()
  expect(bench.server.held).toEqual([])
  await bench.server.pass(2 * heartbeatMs)
  expect(elector.term()).toMatchObject({ id: 2 })
  expect(bench.server.held).toHaveLength(1)
  await elector.stop()
  await turns()
  expect(bench.server.held).toEqual([])
})

test('a lifeline that others would not see held is told to nobody', async () => {
  const server = new Server()
  server.says = 'unknown'
  const told: unknown[] = []
  const lifeline = server.lifelines.hold((name) => told.push(name))
  await server.pass(5_000)
  expect(told).toEqual([])
  expect(server.held).toEqual([])
  server.says = 'held'
  await server.pass(30_000)
  expect(told).toHaveLength(1)
  expect(server.held).toEqual(told)
  await lifeline.release()
  expect(server.held).toEqual([])
})

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
