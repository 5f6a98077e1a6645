/** A node in a process of its own, as the measure sees it: what it says, and its end by force or in order. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { EvertickOptions } from '../src/index.ts'
import { machineMs } from './machine-time.ts'

export type Order = { readonly do: 'sample'; readonly ms: number } | { readonly do: 'count' }

export type Saying =
  | { readonly say: 'started' }
  | { readonly say: 'elected' }
  | { readonly say: 'accounted' }
  | { readonly say: 'ran' }
  | { readonly say: 'completed'; readonly count: number }
  | { readonly say: 'sampled'; readonly cores: number; readonly callsPerSecond: number }
  | { readonly say: 'counted'; readonly calls: number; readonly claims: number; readonly emptyClaims: number }

/** `at` is in milliseconds of the machine. */
export type Said = Saying & { readonly at: number }
type SaidOf<Word extends Saying['say']> = Extract<Said, { readonly say: Word }>

const patienceMs = 60_000

export class ChildNode {
  readonly #process: ChildProcess
  readonly #listeners = new Set<(said: Said) => void>()
  #stderr = ''

  private constructor(options: Omit<EvertickOptions, 'jobs' | 'clock' | 'logger'>) {
    const script = join(import.meta.dirname, 'node-process.ts')
    const stdio: ('ignore' | 'pipe' | 'ipc')[] = ['ignore', 'ignore', 'pipe', 'ipc']
    this.#process = fork(script, [JSON.stringify(options)], { execArgv: ['--no-warnings'], stdio })
    this.#process.on('message', (said: Said) => {
      for (const listener of this.#listeners) listener(said)
    })
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
    })
  }

  /** Resolves once it runs. */
  static async start(options: Omit<EvertickOptions, 'jobs' | 'clock' | 'logger'>): Promise<ChildNode> {
    const node = new ChildNode(options)
    await node.next('started')
    return node
  }

  /** The next time that it says this, from now on. */
  async next<Word extends Saying['say']>(word: Word): Promise<SaidOf<Word>> {
    return await new Promise((resolve, reject) => {
      const end = () => {
        this.#listeners.delete(hear)
        this.#process.off('exit', gone)
        clearTimeout(timer)
      }
      const hear = (said: Said) => {
        if (said.say !== word) return
        end()
        resolve(said as SaidOf<Word>)
      }
      const fail = (why: string) => {
        end()
        reject(new Error(`A node ${why} "${word}". ${this.#stderr}`))
      }
      const gone = () => fail('ended without a word of')
      const timer = setTimeout(() => fail(`has not said within ${patienceMs / 1_000} s`), patienceMs)
      this.#listeners.add(hear)
      this.#process.once('exit', gone)
    })
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  listen(listener: (said: Said) => void): void {
    this.#listeners.add(listener)
  }

  order(order: Order): void {
    this.#process.send(order)
  }

  /** When the signal was sent. SIGKILL leaves everything as it stands, SIGSTOP the process too; SIGTERM stops in order. */
  end(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGTERM'): number {
    const at = machineMs()
    this.#process.kill(signal)
    return at
  }

  async gone(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null)
      await once(this.#process, 'exit')
  }
}

/** Starts nodes for as long as `work` lasts, and ends those that are left. */
export async function withNodes<T>(
  work: (start: (options: Parameters<typeof ChildNode.start>[0]) => Promise<ChildNode>) => Promise<T>,
): Promise<T> {
  const nodes: ChildNode[] = []
  try {
    return await work(async (options) => {
      const node = await ChildNode.start(options)
      nodes.push(node)
      return node
    })
  } finally {
    for (const node of nodes) node.end('SIGTERM')
    await Promise.all(nodes.map((node) => node.gone()))
  }
}
