/** Runs the real command line as a process of its own, in a folder of its own. Waits for output, never for time. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, vi } from 'vitest'

const binary = fileURLToPath(new URL('../../src/cli/evertick.ts', import.meta.url))
const patienceMs = 50_000
// Processes start slowly where many start at once.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** A program, and its arguments, that runs the command line. */
  readonly within?: readonly string[]
}

export class Cli {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  stdout = ''
  stderr = ''
  #look: () => void = () => {}

  constructor(args: readonly string[], { cwd, env = {}, within = [] }: RunOptions) {
    const { PATH = '', HOME = '' } = process.env
    const [program = process.execPath, ...rest] = [...within, process.execPath, binary, ...args]
    // Nothing of the machine's own settings: a DATABASE_URL of the developer must not decide a test.
    this.child = spawn(program, rest, { cwd, env: { PATH, HOME, TZ: 'UTC', ...env } })
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#heard('stdout', text))
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#heard('stderr', text))
    this.ended = new Promise((resolve) => {
      this.child.on('close', (code) => {
        resolve({ code, stdout: this.stdout, stderr: this.stderr })
        this.#look()
      })
    })
  }

  /** Resolves once the text has been written, to either stream. */
  async says(text: string | RegExp): Promise<void> {
    const found = () => {
      const all = this.stdout + this.stderr
      return typeof text === 'string' ? all.includes(text) : text.test(all)
    }
    await new Promise<void>((resolve, reject) => {
      const give = () => reject(new Error(`never said ${text}:\n${this.stdout}\n${this.stderr}`))
      const timer = setTimeout(give, patienceMs)
      this.#look = () => {
        if (!found() && this.child.exitCode === null) return
        clearTimeout(timer)
        if (found()) resolve()
        else give()
      }
      this.#look()
    })
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name)
  }

  #heard(stream: 'stdout' | 'stderr', text: string): void {
    this[stream] += text
    this.#look()
  }
}

/** Starts it; whatever happens, it is gone when the test is over. */
export function startCli(args: readonly string[], options: RunOptions): Cli {
  const cli = new Cli(args, options)
  onTestFinished(() => {
    cli.child.kill('SIGKILL')
  })
  return cli
}

export async function runCli(args: readonly string[], options: RunOptions): Promise<Ended> {
  return await new Cli(args, options).ended
}

/** The one JSON value that a command answers with. */
export async function jsonOf<T = Record<string, unknown>>(
  args: readonly string[],
  options: RunOptions,
): Promise<T> {
  const { code, stdout, stderr } = await runCli([...args, '--json'], options)
  if (stdout === '') throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout) as T
}

export function errorOf({ stderr }: Ended): { code: string; message: string; field?: string; next?: string } {
  return (JSON.parse(stderr) as { error: { code: string; message: string } }).error
}

export function tempFolder(): string {
  return mkdtempSync(join(tmpdir(), 'evertick-cli-'))
}

/** A folder that is gone after the test. */
export function testFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = tempFolder()
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

/** Matchers with a type: what vitest gives is `any`. */
export const containing = (part: string): unknown => expect.stringContaining(part)
export const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern)
export const aText: unknown = expect.any(String)
export const aNumber: unknown = expect.any(Number)
