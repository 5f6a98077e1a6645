/** One folder and, one at a time, the programs that run in it. Both end with this process, however it ends. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Account, serverAccount } from './account.ts'

export interface Command {
  readonly program: string
  readonly args: readonly string[]
}

export type Order =
  | { readonly signal: NodeJS.Signals }
  | (Command & { readonly log: string; readonly account: Account | null })

export type Answer = { readonly pid: number } | Ended

export interface Ended {
  readonly ended: string
  readonly code: number | null
}

export interface Running {
  readonly pid: number
  readonly ended: Promise<Ended>
}

export class Keeper {
  readonly folder: string
  readonly #account: Account | null
  readonly #log: string
  readonly #process: ChildProcess
  #alive = true

  constructor(name: string, accounts: readonly string[], crashSignal: NodeJS.Signals) {
    this.folder = mkdtempSync(join(tmpdir(), `evertick-${name}-`))
    this.#log = join(this.folder, 'server.log')
    this.#account = serverAccount(accounts)
    if (this.#account !== null) chownSync(this.folder, this.#account.uid, this.#account.gid)
    const { NODE_OPTIONS: _vitest, ...env } = process.env
    this.#process = fork(join(import.meta.dirname, 'keeper-process.ts'), [this.folder, crashSignal], {
      env,
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // In a session of its own: Ctrl-C reaches the tests, and they decide when their servers end.
      detached: true,
    })
    this.#process.once('exit', () => {
      this.#alive = false
    })
  }

  run(command: Command): Promise<Running> {
    const child = this.#process
    return new Promise((resolve, reject) => {
      const ended = Promise.withResolvers<Ended>()
      const hear = (answer: Answer): void => {
        if ('pid' in answer) resolve({ pid: answer.pid, ended: ended.promise })
        else finish(answer)
      }
      const lost = (): void => finish({ ended: 'its keeper has ended', code: null })
      const finish = (how: Ended): void => {
        child.off('message', hear).off('exit', lost)
        ended.resolve(how)
        // Without effect where the program has run.
        reject(new Error(`${command.program}: ${how.ended}`))
      }
      child.on('message', hear).once('exit', lost)
      this.#send({ ...command, log: this.#log, account: this.#account })
    })
  }

  signal(signal: NodeJS.Signals): void {
    this.#send({ signal })
  }

  logTail(): string {
    return this.log().trimEnd().split('\n').slice(-20).join('\n')
  }

  log(): string {
    try {
      return readFileSync(this.#log, 'utf8')
    } catch {
      // Nothing has run yet.
      return ''
    }
  }

  /** Ends what runs, hard, and removes the folder. */
  async remove(): Promise<void> {
    if (!this.#alive) return
    const exited = once(this.#process, 'exit')
    if (this.#process.connected) this.#process.disconnect()
    await exited
  }

  #send(order: Order): void {
    if (this.#process.connected) this.#process.send(order)
  }
}
