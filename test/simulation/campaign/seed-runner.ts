/**
 * A seed process from outside. Processes, not threads: SQLite shares its databases in memory among all threads of a
 * process, and a history that dies or hangs takes no other along.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Mode } from '../plan/plan.ts'
import { noTally } from '../world/tally.ts'
import { Patience, processorMs } from './patience.ts'
import type { Outcome } from './run-seed.ts'

export interface Order {
  readonly seed: number
  readonly mode: Mode
}

export interface SeedResult extends Outcome {
  readonly seed: number
}

const script = fileURLToPath(new URL('seed-process.ts', import.meta.url))
/** A history takes less than a second; a year of them, minutes. */
const patienceMs: Readonly<Record<Mode, number>> = { safety: 180_000, liveness: 180_000, soak: 3_600_000 }
const keptStderr = 4_000

export class SeedRunner {
  readonly #child: ChildProcess
  #stderr = ''

  /** `bug` is planted in it; null for the product as it is. */
  static async start(bug: string | null): Promise<SeedRunner> {
    const runner = new SeedRunner(bug)
    const said = await Promise.race([
      once(runner.#child, 'message').then(() => 'ready'),
      once(runner.#child, 'exit').then(() => 'gone'),
    ])
    if (said === 'gone') throw new Error(`the simulation could not be loaded: ${errorIn(runner.#stderr)}`)
    return runner
  }

  private constructor(bug: string | null) {
    // A test runner's own loader must not come along.
    const { NODE_OPTIONS: _, ...env } = process.env
    this.#child = fork(script, [bug ?? ''], {
      env,
      execArgv: ['--no-warnings'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-keptStderr)
    })
  }

  get pid(): number {
    return this.#child.pid ?? -1
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** A history that kills its process, or never ends, is broken as well. */
  async run(order: Order): Promise<SeedResult> {
    const child = this.#child
    // Whoever has died before it was asked would never answer.
    if (!this.alive) return this.#lost(order, 'the process survives', `it had ended\n${this.#stderr}`)
    return await new Promise((resolve) => {
      let late = false
      const heard = (result: unknown) => end(result as SeedResult)
      const gone = (code: number | null, signal: string | null) =>
        end(
          late
            ? this.#lost(order, 'a history ends', `no end after ${patienceMs[order.mode] / 1_000} s`)
            : this.#lost(order, 'the process survives', `it ended with ${code ?? signal}\n${this.#stderr}`),
        )
      const patience = new Patience(patienceMs[order.mode], () => processorMs(this.pid))
      const timer = setInterval(() => {
        if (!patience.isOver()) return
        late = true
        child.kill('SIGKILL')
      }, patienceMs[order.mode])
      const end = (result: SeedResult) => {
        clearInterval(timer)
        child.off('message', heard)
        child.off('exit', gone)
        resolve(result)
      }
      child.on('message', heard)
      child.on('exit', gone)
      child.send(order)
    })
  }

  end(): void {
    if (this.alive) this.#child.kill()
  }

  #lost({ seed }: Order, rule: string, message: string): SeedResult {
    return { seed, broken: { rule, message, job: null }, tally: noTally }
  }
}

/** Of what Node says when a process dies, the error itself. */
function errorIn(stderr: string): string {
  return /^\w*Error(?: \[\w+\])?: (.*)$/m.exec(stderr)?.[1] ?? stderr.trim()
}
