/** A node in a process of its own: what it says (a line of JSON each), how it ends, and signals to it by its pid. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { until } from './until.ts'

export interface Said {
  readonly say: string
  readonly [detail: string]: unknown
}

const started = new Set<Child>()

export class Child {
  readonly said: Said[] = []
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  readonly #process: ChildProcess
  stderr = ''
  running = true

  /** `script` is a file of this folder; `config` reaches it as JSON, `more` as its environment. */
  constructor(script: string, config: object, more: Readonly<Record<string, string>> = {}) {
    const path = fileURLToPath(new URL(script, import.meta.url))
    const { NODE_OPTIONS: _vitest, ...env } = process.env
    this.#process = spawn(process.execPath, [path, JSON.stringify(config)], {
      env: { ...env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    started.add(this)
    this.exited = this.#end()
    if (this.#process.stdout === null) throw new Error('The child has no standard output.')
    createInterface({ input: this.#process.stdout }).on('line', (line) => this.said.push(spoken(line)))
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
    })
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  send(signal: NodeJS.Signals): void {
    if (this.running) this.#process.kill(signal)
  }

  all(say: string): Said[] {
    return this.said.filter((said) => said.say === say)
  }

  /** The first that it says of this kind; fails where the process ends without it. */
  async heard(say: string, matches: (said: Said) => boolean = () => true): Promise<Said> {
    const find = () => this.said.find((said) => said.say === say && matches(said))
    await until(`${this.pid} to say ${say}`, () => find() !== undefined || !this.running)
    const found = find()
    if (found === undefined) throw new Error(`It ended without a word of ${say}: ${this.stderr}`)
    return found
  }

  /** SIGSTOP, and not before the kernel has stopped it. */
  async freeze(): Promise<void> {
    this.send('SIGSTOP')
    await until(`${this.pid} to be stopped`, () => {
      const state = readFileSync(`/proc/${this.pid}/stat`, 'utf8').split(') ')[1]?.[0]
      return state === 'T'
    })
  }

  async #end() {
    // 'close' comes after the last line has been read, 'exit' may come before it.
    const [code, signal] = (await once(this.#process, 'close')) as [number | null, NodeJS.Signals | null]
    this.running = false
    started.delete(this)
    return { code, signal }
  }
}

/** Ends what a failed test has left running. */
export async function endChildren(): Promise<void> {
  const left = [...started]
  for (const child of left) child.send('SIGKILL')
  await Promise.all(left.map((child) => child.exited))
}

function spoken(line: string): Said {
  try {
    return JSON.parse(line) as Said
  } catch {
    return { say: 'text', line }
  }
}
