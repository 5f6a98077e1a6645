/** One `evertick start` of the installed package: what it tells on its two streams, how it ends, and signals to it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { until } from '../../process/until.ts'

/** An event, or what a handler of the configuration has said in the same form. */
export interface Told {
  readonly event: string
  readonly [detail: string]: unknown
}

export interface Logged {
  readonly time: string
  readonly level: string
  readonly msg: string
  readonly error?: { readonly message: string }
}

/** From when to when, by this host's clock. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Told hundreds of times a second, and asked for by nobody. */
const commonplace = new Set(['execution:started', 'execution:completed', 'tick:accounted'])

export class ClusterNode {
  readonly told: Told[] = []
  readonly logged: Logged[] = []
  /** Words that are no JSON: all of them where it was not started with --json, else a fault. */
  readonly words: string[] = []
  readonly stops: Span[] = []
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  readonly #process: ChildProcess
  running = true

  constructor(binary: string, args: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }) {
    this.#process = spawn(binary, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    this.exited = this.#end()
    this.#listen(this.#process.stdout, (line) => {
      const told = spoken(line) as Told | null
      if (told === null) this.words.push(line)
      else if (!commonplace.has(told.event)) this.told.push(told)
    })
    this.#listen(this.#process.stderr, (line) => {
      const logged = spoken(line) as Logged | null
      if (logged === null) this.words.push(line)
      else this.logged.push(logged)
    })
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  send(signal: NodeJS.Signals): void {
    if (this.running) this.#process.kill(signal)
  }

  /** The first that it tells of this kind; fails where the process ends without it. */
  async hears(event: string, matches: (told: Told) => boolean = () => true): Promise<Told> {
    const find = () => this.told.find((told) => told.event === event && matches(told))
    await until(`${this.pid} to tell ${event}`, () => find() !== undefined || !this.running)
    const found = find()
    if (found === undefined) throw new Error(`It ended without ${event}: ${this.words.join('\n')}`)
    return found
  }

  /** Stopped by SIGSTOP, for sure, while `work` goes on. */
  async stoppedWhile(work: () => Promise<void>): Promise<void> {
    const from = Date.now()
    this.send('SIGSTOP')
    try {
      await this.isStopped()
      await work()
    } finally {
      this.stops.push({ from, to: Date.now() })
      this.send('SIGCONT')
    }
  }

  /** By the kernel's word: a signal takes its time. */
  async isStopped(): Promise<void> {
    const state = () => readFileSync(`/proc/${this.pid}/stat`, 'utf8').split(') ')[1]?.[0]
    await until(`${this.pid} to be stopped`, () => state() === 'T')
  }

  #listen(stream: NodeJS.ReadableStream | null, hear: (line: string) => void): void {
    if (stream === null) throw new Error('The process has no standard output.')
    createInterface({ input: stream }).on('line', (line) => {
      if (line !== '') hear(line)
    })
  }

  async #end() {
    // 'close' comes after the last line has been read, 'exit' may come before it.
    const [code, signal] = (await once(this.#process, 'close')) as [number | null, NodeJS.Signals | null]
    this.running = false
    return { code, signal }
  }
}

function spoken(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
