/** What is done to a cluster at work: kill -9, SIGSTOP past every lease, and the crash of its database. */
import { until } from '../../process/until.ts'
import type { Cluster } from './cluster.ts'
import type { ClusterNode, Span } from './cluster-node.ts'

export class Faults {
  readonly outages: Span[] = []
  kills = 0
  stops = 0
  /** Of those that were killed or stopped, how many led. */
  leadersHit = 0
  /** How long the slowest return after a crash of the database took, until the next order was written. */
  resumedMs = 0
  readonly #cluster: Cluster

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  /** The first of each kind hits the leader for sure, the others the leader or anybody else. */
  async rounds(count: number): Promise<void> {
    for (let round = 0; round < count; round += 1) {
      await this.#someWork()
      await this.#kill(await this.#victim(round))
      await this.#someWork()
      if (round % 3 === 1 || count === 1) await this.#crashDatabase()
      await this.#stop(await this.#victim(round))
    }
  }

  async #victim(round: number): Promise<ClusterNode> {
    const leader = await this.#cluster.leader()
    const others = this.#cluster.running().filter((node) => node !== leader)
    const other = others[Math.floor(Math.random() * others.length)] ?? leader
    const victim = round === 0 || Math.random() < 0.4 ? leader : other
    if (victim === leader) this.leadersHit += 1
    return victim
  }

  /** And starts another in its place. */
  async #kill(node: ClusterNode): Promise<void> {
    this.kills += 1
    node.send('SIGKILL')
    await node.exited
    this.#cluster.start('--json')
  }

  /** Until nothing that it holds is its own any more; what it finds when it is awake depends on who came first. */
  async #stop(node: ClusterNode): Promise<void> {
    this.stops += 1
    const cluster = this.#cluster
    await node.stoppedWhile(async () => {
      await cluster.leader(node)
      await until(`the leases of ${node.pid} to run out`, async () => {
        const held = `@job_executions e JOIN @nodes n ON n.id = e.leased_by`
        const now = await cluster.now()
        return (await cluster.count(`${held} WHERE n.pid = ? AND e.leased_until > ?`, node.pid, now)) === 0
      })
    })
  }

  async #crashDatabase(): Promise<void> {
    // One that is only starting would end with exit code 6, for its service manager to start again.
    await this.#cluster.joined()
    const from = Date.now()
    await this.#cluster.server.crash()
    await this.#cluster.server.start()
    const upAt = Date.now()
    await this.#someWork(1)
    this.outages.push({ from, to: Date.now() })
    this.resumedMs = Math.max(this.resumedMs, Date.now() - upAt)
  }

  async #someWork(least = 1 + Math.floor(Math.random() * 30)): Promise<void> {
    const enough = (await this.#cluster.count('orders')) + least
    await until('some work', async () => (await this.#cluster.count('orders')) >= enough)
  }
}
