/** A database on a private server, and the installed nodes that share it. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { mustRun } from '../../../scripts/run-command.ts'
import { Evertick } from '../../../src/index.ts'
import { until } from '../../process/until.ts'
import type { TestDatabase } from '../../services/databases.ts'
import type { Server } from '../../services/server.ts'
import { ClusterNode } from './cluster-node.ts'
import type { ClusterEngine, Door, Row } from './engines.ts'
import type { InstalledPackage } from './installed-package.ts'

export interface Ground {
  readonly engine: ClusterEngine
  readonly server: Server
  readonly installed: InstalledPackage
}

const configName = 'evertick.config.ts'

export class Cluster {
  readonly folder: string
  readonly server: Server
  readonly nodes: ClusterNode[] = []
  readonly #engine: ClusterEngine
  readonly #binary: string
  readonly #database: TestDatabase
  readonly #door: Door
  readonly #producers: Evertick[] = []

  private constructor({ engine, server, installed }: Ground, database: TestDatabase, folder: string) {
    this.folder = folder
    this.server = server
    this.#engine = engine
    this.#binary = installed.binary
    this.#database = database
    this.#door = engine.openDoor(database.url)
  }

  /** A fresh database with Evertick's schema; `config` is a file of this folder. */
  static async open(ground: Ground, config: string): Promise<Cluster> {
    const folder = mkdtempSync(join(ground.installed.folder, 'cluster-'))
    const written = readFileSync(join(import.meta.dirname, config), 'utf8')
    writeFileSync(join(folder, configName), written.replaceAll(/'[./]+\/src\/index\.ts'/g, "'evertick'"))
    const database = await ground.engine.createDatabase(ground.server.url)
    const cluster = new Cluster(ground, database, folder)
    await cluster.evertick('migrate', 'up')
    return cluster
  }

  start(...flags: string[]): ClusterNode {
    const args = ['start', '--config', configName, ...flags]
    const node = new ClusterNode(this.#binary, args, { cwd: this.folder, env: this.#env() })
    this.nodes.push(node)
    return node
  }

  /** A command of the installed package, to its end. */
  async evertick(...args: string[]): Promise<string> {
    return await mustRun(this.#binary, [...args, '--config', configName], {
      cwd: this.folder,
      env: this.#env(),
      timeoutMs: 60_000,
    })
  }

  /** Opened, never started. */
  async producer(): Promise<Evertick> {
    const evertick = await Evertick.open({ database: this.#database.url })
    this.#producers.push(evertick)
    return evertick
  }

  async rows(text: string, ...params: (number | string)[]): Promise<Row[]> {
    return await this.#door.rows(text, ...params)
  }

  async count(text: string, ...params: (number | string)[]): Promise<number> {
    const [row] = await this.rows(`SELECT count(*) AS n FROM ${text}`, ...params)
    return Number(row?.n)
  }

  /** The server's time, by which all nodes go. */
  async now(): Promise<number> {
    const [row] = await this.rows(`SELECT ${this.#engine.now} AS n`)
    return Number(row?.n)
  }

  running(): ClusterNode[] {
    return this.nodes.filter(({ running }) => running)
  }

  /** The process that leads; waits where nobody does for the moment. */
  async leader(other?: ClusterNode): Promise<ClusterNode> {
    let found: ClusterNode | undefined
    await until('a leader', async () => {
      const [lock] = await this.rows(
        `SELECT n.pid FROM @locks k JOIN @nodes n ON n.id = k.holder WHERE k.name = 'leader' AND k.expires_at > ?`,
        await this.now(),
      )
      found = this.running().find((node) => node.pid === lock?.pid && node !== other)
      return found !== undefined
    })
    return found as ClusterNode
  }

  /** The leader's lifeline, once it has one other than this. */
  async lifeline(other: string | null = null): Promise<string> {
    let name: string | null = null
    await until('the leader to have a lifeline', async () => {
      const [lock] = await this.rows(`SELECT lifeline FROM @locks WHERE name = 'leader'`)
      name = lock === undefined || lock.lifeline === null ? null : String(lock.lifeline)
      return name !== null && name !== other
    })
    return name ?? ''
  }

  /** Under a leader that lives. Resolves once there is another. */
  async cutLifeline(name: string): Promise<string> {
    await this.#engine.cutLifeline(this.#door, name)
    return await this.lifeline(name)
  }

  /** Every process that runs is known to the database, and to work. */
  async joined(): Promise<void> {
    await until('all nodes to join', async () => {
      const known = new Set((await this.rows('SELECT pid FROM @nodes')).map(({ pid }) => pid))
      return this.running().every(({ pid }) => known.has(pid))
    })
  }

  /** All that was enqueued has ended, and every tick that was due by now has its account. */
  async settled(): Promise<void> {
    const unfinished = `@job_executions WHERE cause = 'enqueue' AND state IN ('pending', 'running', 'retrying')`
    await this.#fewer('unfinished executions', async () => await this.count(unfinished))
    const now = await this.now()
    await this.#fewer('cursors behind', async () => await this.count('@jobs WHERE next_due_at <= ?', now))
  }

  /** SIGTERM to all that run; each must end in order, by the code that the reference names. */
  async stopAll(): Promise<void> {
    const nodes = this.running()
    for (const node of nodes) node.send('SIGTERM')
    for (const { pid, exited } of nodes) {
      const { code, signal } = await exited
      if (code !== 143) throw new Error(`Node ${pid} ended with ${code ?? signal}, not with 143.`)
    }
  }

  async close(): Promise<void> {
    const left = this.running()
    for (const node of left) node.send('SIGKILL')
    await Promise.all(left.map((node) => node.exited))
    await Promise.all(this.#producers.map((evertick) => evertick.stop()))
    await this.#door.close()
    // A test that has failed in the middle of an outage leaves a server that does not run.
    if (this.server.pid !== 0) await this.#database.drop()
  }

  /** As long as there are fewer and fewer, it goes on: how fast is the bench's affair. */
  async #fewer(what: string, count: () => Promise<number>): Promise<void> {
    for (;;) {
      const left = await count()
      if (left === 0) return
      await until(`${left} ${what} to get fewer`, async () => (await count()) < left)
    }
  }

  /** Nothing of the machine's own settings: a DATABASE_URL of the developer must not decide a test. */
  #env(): Record<string, string> {
    const { PATH = '', HOME = '' } = process.env
    return {
      PATH: [dirname(process.execPath), PATH].join(delimiter),
      HOME,
      TZ: 'UTC',
      NODE_OPTIONS: '',
      DATABASE_URL: '',
      EVERTICK_DATABASE_URL: '',
      CLUSTER_DATABASE: this.#database.url,
      CLUSTER_FOLDER: this.folder,
    }
  }
}
