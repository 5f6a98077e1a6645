/**
 * SQLite's own: makes commits durable without blocking the event loop. `synchronous = FULL` calls fsync on the
 * write-ahead log inside COMMIT, and `node:sqlite` is synchronous: every commit would stop the whole process for the disk.
 * Here COMMIT only writes, and the same fsync runs on a thread; nobody is told of a commit before it has returned.
 * The log is one file in order of commits: what is durable implies everything before it.
 */
import { closeSync, fdatasync, openSync } from 'node:fs'

export interface Waiting {
  readonly settle: () => void
  readonly fail: (error: unknown) => void
}

export class WalSync {
  readonly #fd: number
  #waiting: Waiting[] = []
  #syncing = false
  #idle: (() => void)[] = []

  /** The log of a database file that is open: SQLite keeps it as long as a connection is, and ours is. */
  constructor(path: string) {
    this.#fd = openSync(path, 'r+')
  }

  /** Calls back once everything committed so far is on disk. Calls that come during one sync share the next. */
  after(waiting: readonly Waiting[]): void {
    this.#waiting.push(...waiting)
    if (!this.#syncing) this.#sync()
  }

  async idle(): Promise<void> {
    if (this.#syncing) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  close(): void {
    closeSync(this.#fd)
  }

  #sync(): void {
    const waiting = this.#waiting
    this.#waiting = []
    this.#syncing = true
    fdatasync(this.#fd, (error) => {
      for (const one of waiting) {
        if (error === null) one.settle()
        else one.fail(error)
      }
      if (this.#waiting.length > 0) return this.#sync()
      this.#syncing = false
      for (const resolve of this.#idle.splice(0)) resolve()
    })
  }
}
