/** A private server: on a port and in a folder of its own, and ended and started again as a test wants. */
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { type Command, Keeper, type Running } from './keeper.ts'

export interface Server {
  readonly url: string
  /** Of the server as it runs now, 0 while it does not. */
  readonly pid: number
  /** Again, on the same port and data, after `stop` or `crash`. */
  start(): Promise<void>
  /** Ends it in order, and keeps its data. */
  stop(): Promise<void>
  /** Ends it without a chance to tidy up, and keeps its data. */
  crash(): Promise<void>
  /** Ends it and removes its folder. Happens by itself when the process that started it ends in any way. */
  remove(): Promise<void>
}

/** What differs from one kind of server to the next. */
export interface ServerPlan {
  readonly name: string
  /** Who may run it where the tests are root. */
  readonly accounts: readonly string[]
  readonly stopSignal: NodeJS.Signals
  readonly crashSignal: NodeJS.Signals
  /** Makes the data folder, once. */
  prepare?(folder: string): Command
  /** May write the files that the program reads. */
  command(folder: string, port: number): Command
  url(port: number): string
  /** Rejects as long as the server does not answer. */
  ping(url: string): Promise<void>
}

const startupMs = 60_000
const lookEveryMs = 50
const portsTried = 5

export async function startServer(plan: ServerPlan): Promise<Server> {
  const keeper = new Keeper(plan.name, plan.accounts, plan.crashSignal)
  try {
    if (plan.prepare !== undefined) await runToEnd(keeper, plan.prepare(keeper.folder))
    for (let tries = 1; ; tries++) {
      const server = new PrivateServer(plan, keeper, await freePort())
      try {
        await server.start()
        return server
      } catch (error) {
        const isTaken = keeper.logTail().toLowerCase().includes('address already in use')
        if (!isTaken || tries === portsTried) throw error
      }
    }
  } catch (error) {
    await keeper.remove()
    throw error
  }
}

async function runToEnd(keeper: Keeper, command: Command): Promise<void> {
  const { ended, code } = await (await keeper.run(command)).ended
  if (code !== 0) throw new Error(`${command.program}: ${ended}\n${keeper.logTail()}`)
}

class PrivateServer implements Server {
  readonly url: string
  readonly #plan: ServerPlan
  readonly #keeper: Keeper
  readonly #port: number
  #running: Running | null = null

  constructor(plan: ServerPlan, keeper: Keeper, port: number) {
    this.#plan = plan
    this.#keeper = keeper
    this.#port = port
    this.url = plan.url(port)
  }

  get pid(): number {
    return this.#running?.pid ?? 0
  }

  async start(): Promise<void> {
    if (this.#running !== null) return
    const running = await this.#keeper.run(this.#plan.command(this.#keeper.folder, this.#port))
    this.#running = running
    void this.#forgetAfter(running)
    await this.#answers()
  }

  stop(): Promise<void> {
    return this.#end(this.#plan.stopSignal)
  }

  crash(): Promise<void> {
    return this.#end(this.#plan.crashSignal)
  }

  remove(): Promise<void> {
    return this.#keeper.remove()
  }

  async #forgetAfter(running: Running): Promise<void> {
    await running.ended
    this.#running = null
  }

  async #answers(): Promise<void> {
    const deadline = performance.now() + startupMs
    for (;;) {
      const problem = await this.#plan.ping(this.url).then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      )
      // In this order: an answer counts only if it can be ours, not that of a stranger who has the port.
      if (this.#running === null) throw this.#failure('ended as soon as it was started')
      if (problem === null) return
      if (performance.now() > deadline) {
        await this.crash()
        throw this.#failure(`did not answer within ${startupMs / 1_000} s (${problem})`)
      }
      await delay(lookEveryMs)
    }
  }

  #failure(what: string): Error {
    return new Error(`${this.#plan.name} on port ${this.#port} ${what}. Its log:\n${this.#keeper.logTail()}`)
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const running = this.#running
    if (running === null) return
    this.#keeper.signal(signal)
    await running.ended
  }
}
