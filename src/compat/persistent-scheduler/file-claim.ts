/**
 * One process per state file: two would overwrite each other's account. The claim is a file beside it that names its
 * holder. One whose holder is gone is taken over.
 */
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'
import { systemClock } from '../../app/cluster/system-clock.ts'
import { EvertickError } from '../../core/error.ts'
import type { Logger } from '../../engine/logger.ts'
import { type Files, folderOf } from './disk-files.ts'

const holder = z.object({ pid: z.int(), host: z.string(), startedAt: z.string().nullable() })
type Holder = z.output<typeof holder>

/** Of another host nothing is known but this: a living holder touches its claim with every save. */
const silentMs = 90_000

/** Claims of this very process: its own id in a file says nothing, in a container it is the same after every restart. */
const ours = new Set<string>()

export class FileClaim {
  readonly #path: string
  readonly #files: Files
  readonly #logger: Logger
  #held = false

  constructor(stateFile: string, files: Files, logger: Logger) {
    this.#path = `${resolve(stateFile)}.lock`
    this.#files = files
    this.#logger = logger
  }

  /** Refuses where another process, or another scheduler of this one, has the file. */
  async take(): Promise<void> {
    if (ours.has(this.#path)) throw this.#busy('another scheduler of this process')
    ours.add(this.#path)
    try {
      await this.#take()
      this.#held = true
    } catch (error) {
      if (error instanceof EvertickError) throw error
      // As with the state itself: a disk that cannot be written does not keep the jobs from running.
      this.#logger.error(`Could not write ${this.#path}: nothing tells others that the file is in use`, {
        error,
      })
    } finally {
      if (!this.#held) ours.delete(this.#path)
    }
  }

  /** Says that the holder lives. */
  async renew(): Promise<void> {
    if (this.#held) await this.#files.touch(this.#path, systemClock.now())
  }

  async release(): Promise<void> {
    if (!this.#held) return
    this.#held = false
    ours.delete(this.#path)
    try {
      await this.#files.remove(this.#path)
    } catch (error) {
      this.#logger.warn(`Could not remove ${this.#path}: the next process takes it over`, { error })
    }
  }

  async #take(): Promise<void> {
    await this.#files.makeFolder(folderOf(this.#path))
    const own: Holder = { pid: process.pid, host: hostname(), startedAt: startOf(process.pid) }
    const text = `${JSON.stringify(own)}\n`
    if (await this.#files.create(this.#path, text)) return
    const other = readHolder(await this.#files.read(this.#path))
    if (other !== null && (await this.#lives(other))) {
      throw this.#busy(`process ${other.pid} on ${other.host}`)
    }
    const who = other === null ? 'nobody' : `process ${other.pid} on ${other.host}, which is gone`
    this.#logger.warn(`${this.#path} names ${who}; it is taken over.`)
    // Of two that take it over at once, one finds that the other has made it anew.
    await this.#files.remove(this.#path)
    if (!(await this.#files.create(this.#path, text))) throw this.#busy('another process')
  }

  async #lives({ pid, host, startedAt }: Holder): Promise<boolean> {
    if (host !== hostname()) {
      const touchedAt = (await this.#files.touchedAt(this.#path)) ?? 0
      return systemClock.now() - touchedAt < silentMs
    }
    return pid !== process.pid && runs(pid) && startOf(pid) === startedAt
  }

  #busy(who: string): EvertickError {
    const message = `The state file is in use by ${who}: ${this.#path}.`
    this.#logger.warn(message)
    return new EvertickError('state_file_busy', message, {
      field: 'stateFile',
      next: 'Stop that process, or give each its own file; a database URL serves many processes.',
    })
  }
}

function readHolder(text: string | null): Holder | null {
  try {
    return holder.parse(JSON.parse(text ?? ''))
  } catch {
    return null
  }
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: unknown }).code === 'EPERM'
  }
}

/** Tells a process from a later one with its id, where the system says it (Linux). */
function startOf(pid: number): string | null {
  try {
    // The name in brackets may itself have spaces and brackets.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, '').trim().split(' ')
    return fields[19] ?? null
  } catch {
    return null
  }
}
