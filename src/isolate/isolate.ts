/** One child, a thread or a process, that has loaded the module of a handler and does one run of it at a time. */
import type { Watched } from '../handlers/run-watch.ts'
import type { Seen } from '../handlers/usage-meter.ts'
import type { ToChild } from './border.ts'
import type { Death } from './death.ts'
import { startProcess } from './start-process.ts'
import { startThread } from './start-thread.ts'
import type { ChildListener, ChildOptions, Transport } from './transport.ts'

export class Isolate {
  readonly options: ChildOptions
  readonly exited: Promise<void>
  readonly #transport: Transport
  #death: Death | null = null
  #isEnding = false
  #listener: ChildListener | null = null
  #hasRun = false
  /** Of a thread, over all of its runs. */
  #cpuMs = 0

  constructor(options: ChildOptions) {
    const exit = Promise.withResolvers<void>()
    this.options = options
    this.exited = exit.promise
    const start = options.mode === 'thread' ? startThread : startProcess
    this.#transport = start(options, {
      message: (message) => this.#listener?.message(message),
      output: (stream, bytes) => this.#listener?.output(stream, bytes),
      died: (death) => {
        this.#death = death
        exit.resolve()
        this.#listener?.died(death)
      },
    })
  }

  /** Fit for another run. */
  get isAlive(): boolean {
    return this.#death === null && !this.#isEnding
  }

  /** For the run that begins now. */
  beginRun(): Watched {
    const isWarm = this.#hasRun
    this.#hasRun = true
    const { pid: group, ask } = this.#transport
    return ask === undefined ? { group, isWarm } : { cpuBeforeMs: this.#cpuMs, ask }
  }

  /** What it said at the end of a run: the next one begins there. */
  remember({ cpuMs }: Seen): void {
    if (cpuMs !== null) this.#cpuMs = cpuMs
  }

  /** What it says between runs is heard by nobody. It may have died meanwhile. */
  listen(listener: ChildListener | null): void {
    this.#listener = listener
    if (this.#death !== null) listener?.died(this.#death)
  }

  post(message: ToChild): void {
    if (this.#death === null) this.#transport.post(message)
  }

  kill(): void {
    this.#isEnding = true
    if (this.#death === null) this.#transport.kill()
  }
}
