/** What a cluster on a database server promises: the same tests for each engine, with nodes of the packed binary. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { instant } from '../../process/scene.ts'
import { until } from '../../process/until.ts'
import {
  expectCleanAudit,
  expectEffectsPerAttempt,
  expectExpectedWords,
  expectOrdersOnce,
  expectTermsInOrder,
} from './checks.ts'
import { Cluster, type Ground } from './cluster.ts'
import type { Told } from './cluster-node.ts'
import type { ClusterEngine } from './engines.ts'
import { Faults } from './faults.ts'
import { installPackage } from './installed-package.ts'
import { OrderStream } from './order-stream.ts'
import { createThousandJobs, thousand } from './thousand-jobs.ts'

/** Those of the configurations. */
const fleetJobs = 6
const zombieJobs = 5
const failoverLeaseMs = 600_000

export function describeCluster(engine: ClusterEngine, { kills }: { readonly kills: number }): void {
  describe.skipIf(!engine.isInstalled)(`a cluster on ${engine.label}`, () => {
    let ground: Ground
    const ends: (() => void | Promise<void>)[] = []
    beforeAll(async () => {
      const server = await engine.startServer()
      ends.push(() => server.remove())
      const installed = await installPackage()
      ends.push(() => installed.remove())
      ground = { engine, server, installed }
    }, 120_000)
    afterAll(async () => {
      for (const end of ends) await end()
    })

    async function openCluster(config: string): Promise<Cluster> {
      const cluster = await Cluster.open(ground, config)
      onTestFinished(() => cluster.close())
      return cluster
    }

    test(
      `five nodes and a thousand jobs, ${kills} kills, ${kills} stops, the database crashed: nothing lost, nothing doubled, one leader at a time`,
      async () => {
        const startedAt = performance.now()
        const cluster = await openCluster('fleet.config.ts')
        await cluster.rows('CREATE TABLE orders (number INT NOT NULL, execution_id VARCHAR(64) NOT NULL)')
        await cluster.rows('CREATE TABLE booked (execution_id VARCHAR(64) NOT NULL)')
        const evertick = await cluster.producer()
        await createThousandJobs(evertick)
        for (let count = 0; count < 5; count += 1) cluster.start('--json')
        await cluster.joined()

        const stream = new OrderStream(evertick)
        const faults = new Faults(cluster)
        await faults.rounds(kills)
        await stream.stop()
        await cluster.settled()
        await cluster.stopAll()

        const audit = await expectCleanAudit(cluster, thousand + fleetJobs)
        await expectOrdersOnce(cluster, stream)
        const effects = await expectEffectsPerAttempt(cluster, stream)
        const terms = await expectTermsInOrder(cluster)
        expectExpectedWords(cluster.nodes, faults.outages)
        expect(terms).toBeGreaterThan(2)

        const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
        const crashed = await cluster.count(`@attempts WHERE outcome = 'crashed'`)
        const refused = await cluster.count(`@attempts WHERE outcome = 'refused'`)
        process.stdout.write(
          `${engine.label}: ${faults.kills} kills, ${faults.stops} stops (${faults.leadersHit} of the leader), ` +
            `${faults.outages.length} crashes of the database (back within ${faults.resumedMs} ms), ${terms} terms, ` +
            `${stream.orders.length} orders (${stream.unsure.size} unsure), ${stream.effects.length} effects ` +
            `(${effects} written), ${audit.ticks} ticks, ${crashed} crashed and ${refused} refused attempts, ${seconds} s\n`,
        )
      },
      90_000 + kills * 30_000,
    )

    test('ten nodes that start at once have one leader', async () => {
      const cluster = await openCluster('plain.config.ts')
      const nodes = Array.from({ length: 10 }, () => cluster.start())
      await cluster.joined()
      expect(await cluster.count('@nodes')).toBe(10)
      const leads = (line: string) => line.includes('leads, term ')
      await until('a leader', () => nodes.some(({ words }) => words.some(leads)))
      const locks = await cluster.rows('SELECT name, holder FROM @locks')
      const holder = locks[0]?.holder
      expect(locks).toEqual([{ name: 'leader', holder }])
      expect(
        await cluster.rows('SELECT leader_instance AS holder, stop_time FROM @scheduler_leader_log'),
      ).toEqual([{ holder, stop_time: null }])
      expect(JSON.parse(await cluster.evertick('leader', 'status', '--json'))).toMatchObject({
        leader: { instance: holder },
      })
      await cluster.stopAll()
      expect(await cluster.count('@nodes')).toBe(0)
      expect(await cluster.count('@locks')).toBe(0)
      await expectCleanAudit(cluster, 2)
      const words = nodes.flatMap((node) => node.words)
      expect(words.filter((line) => / (?:warn|error) /.test(line))).toEqual([])
      // Where the data lies is told to everybody, who may enter is not.
      expect(words.filter((line) => /^ {2}data .*@127\.0\.0\.1/.test(line))).toHaveLength(10)
      expect(words.filter((line) => line.includes('evertick@127.0.0.1'))).toEqual([])
    }, 90_000)

    test('a leader that is killed is replaced long before its lease has run out, and the log says why', async () => {
      const cluster = await openCluster('failover.config.ts')
      const first = cluster.start('--json')
      await first.hears('leader:elected')
      const second = cluster.start('--json')
      await cluster.joined()
      await cluster.lifeline()
      first.send('SIGKILL')
      await first.exited
      await second.hears('leader:elected')
      await cluster.settled()
      await cluster.stopAll()

      const [killed, next] = await cluster.rows('SELECT * FROM @scheduler_leader_log ORDER BY id')
      expect(killed?.stop_time).toBeNull()
      expect(instant(next?.start_time)).toBeLessThan(instant(killed?.last_heartbeat) + failoverLeaseMs)
      expect(second.logged.map(({ msg }) => msg)).toContainEqual(
        expect.stringContaining(`Taking the lead from ${killed?.leader_instance} before its lease ends`),
      )
      await expectCleanAudit(cluster, 1)
      await expectTermsInOrder(cluster)
      expectExpectedWords(cluster.nodes, [])
    }, 90_000)

    test('a leader whose lifeline is cut, but which lives, has another; no tick is doubled, and its death is noticed as ever', async () => {
      const cluster = await openCluster('failover.config.ts')
      const first = cluster.start('--json')
      await first.hears('leader:elected')
      let lifeline = await cluster.cutLifeline(await cluster.lifeline())
      // Alone, it is the same term.
      expect(await cluster.count('@scheduler_leader_log')).toBe(1)
      const second = cluster.start('--json')
      await cluster.joined()
      for (let cuts = 0; cuts < 3; cuts += 1) lifeline = await cluster.cutLifeline(lifeline)
      const leader = await cluster.leader()
      leader.send('SIGKILL')
      await leader.exited
      const heir = leader === first ? second : first
      expect(await cluster.leader(leader)).toBe(heir)
      await cluster.settled()
      await cluster.stopAll()
      await expectCleanAudit(cluster, 1)
      await expectTermsInOrder(cluster)
      expectExpectedWords(cluster.nodes, [])
    }, 90_000)

    test('a leader that stops past its leases is replaced; awake again, it is refused, told so, and the second result stands', async () => {
      const cluster = await openCluster('zombie.config.ts')
      await cluster.rows('CREATE TABLE orders (execution_id VARCHAR(64) NOT NULL, pid INT NOT NULL)')
      const first = cluster.start('--json')
      await first.hears('leader:elected')
      const evertick = await cluster.producer()
      const obstinate = await evertick.enqueue('obstinate')
      const unaware = await evertick.enqueue('unaware')
      for (const { id } of [obstinate, unaware]) await first.hears('holding', of(id))
      const midway = await evertick.enqueue('midway')
      await first.isStopped()
      const all = [obstinate.id, unaware.id, midway.id]

      const second = cluster.start('--json')
      const orders = async () =>
        await cluster.rows('SELECT execution_id AS id, pid FROM orders ORDER BY execution_id')
      const written = [unaware, midway].map(({ id }) => ({ id, pid: second.pid }))
      await first.stoppedWhile(async () => {
        await second.hears('leader:elected')
        for (const id of all) await evertick.result(id, { timeout: '60s' })
        expect(await orders()).toEqual(written)
      })
      await first.hears('leader:lost')
      expect(await first.hears('aborted')).toMatchObject({ code: 'stale_lease', write: 'stale_lease' })
      expect(await first.hears('awake')).toMatchObject({ write: 'stale_lease' })
      for (const id of all) await first.hears('execution:refused', of(id))
      await cluster.stopAll()

      for (const id of all) {
        const found = await evertick.executions.get(id)
        expect(found).toMatchObject({ state: 'completed', attempt: 2 })
        expect(found.leasedBy).toContain(`:${second.pid}:`)
        expect(found.attempts.map(({ attempt, outcome }) => ({ attempt, outcome }))).toEqual(
          expect.arrayContaining([
            { attempt: 1, outcome: 'crashed' },
            { attempt: 1, outcome: 'refused' },
            { attempt: 2, outcome: 'completed' },
          ]),
        )
      }
      expect((await evertick.executions.get(obstinate.id)).result).toBe('second')
      expect(await orders()).toEqual(written)
      await expectCleanAudit(cluster, zombieJobs)
      await expectTermsInOrder(cluster)
      expectExpectedWords(cluster.nodes, [])
    }, 90_000)

    test('a leader that stops in the middle of a transaction keeps nobody from leading', async () => {
      const cluster = await openCluster('zombie.config.ts')
      const first = cluster.start('--json')
      await first.hears('leader:elected')
      const evertick = await cluster.producer()
      await evertick.enqueue('arm')
      await first.isStopped()
      const second = cluster.start('--json')
      await first.stoppedWhile(async () => {
        await second.hears('leader:elected')
        await cluster.settled()
      })
      await first.hears('leader:lost')
      await cluster.stopAll()
      await expectCleanAudit(cluster, zombieJobs)
      await expectTermsInOrder(cluster)
      expectExpectedWords(cluster.nodes, [])
    }, 90_000)
  })
}

function of(id: string): (told: Told) => boolean {
  return ({ executionId }) => executionId === id
}
