/**
 * Makes commits durable without blocking the event loop. SQLite's `synchronous = FULL` calls fsync on the write-ahead log
 * inside COMMIT, and `node:sqlite` is synchronous: every commit would stop the whole process for the disk. Here COMMIT
 * only writes, and the same fsync runs on a thread; nobody is told of a commit before it has returned.
 * The log is one file in order of commits: what is durable implies everything before it.
 */
import { closeSync, fdatasync, openSync } from 'node:fs'

interface Waiting {
  readonly settle: () => void
  readonly fail: (error: Error) => void
}

export class WalSync {
  readonly #path: string
  #fd: number | null = null
  #waiting: Waiting[] = []
  #syncing = false
  #idle: (() => void)[] = []

  /** The log of a database file; a database in memory has none. */
  constructor(path: string) {
    this.#path = `${path}-wal`
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
    if (this.#fd !== null) closeSync(this.#fd)
    this.#fd = null
  }

  #sync(): void {
    const waiting = this.#waiting
    this.#waiting = []
    this.#syncing = true
    // SQLite keeps the log's file as long as a connection is open, and ours is.
    this.#fd ??= openSync(this.#path, 'r+')
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
