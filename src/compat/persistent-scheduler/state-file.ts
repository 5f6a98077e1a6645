/**
 * The state on disk. A save writes beside the file, keeps what was there as the copy, and moves the new one over it: a
 * process that dies at any step leaves the old file or the new one, whole. What cannot be read is never overwritten.
 */
import { EvertickError } from '../../core/error.ts'
import type { Logger } from '../../engine/logger.ts'
import { codeOf, type Files, folderOf } from './disk-files.ts'
import { type BadJob, formatState, parseState, type ReadState, type SavedState } from './saved-state.ts'

type Found = ReadState | { readonly kind: 'none' }

export class StateFile {
  readonly path: string
  readonly #files: Files
  readonly #logger: Logger
  /** Under which name the next save keeps the file that is there: the copy's, or one aside where it is damaged. */
  #keepAs: string
  #isThere = false

  constructor(path: string, files: Files, logger: Logger) {
    this.path = path
    this.#files = files
    this.#logger = logger
    this.#keepAs = this.copyPath
  }

  get copyPath(): string {
    return `${this.path}.bak`
  }

  /** The newest valid state, or null where there is none. `now` names a damaged file that is kept aside. */
  async load(now: number): Promise<SavedState | null> {
    const read = await this.#read(this.path)
    this.#isThere = read.kind !== 'none'
    switch (read.kind) {
      case 'whole':
        return read.state
      case 'partly':
        this.#keepAside(now)
        this.#tellOfBad(read.bad, `${this.path}, which is kept as ${this.#keepAs}`)
        return read.state
      case 'foreign':
        throw foreignVersion(this.path, read.version)
      case 'none':
        await this.#tellOfCopy()
        return null
      case 'damaged':
        this.#keepAside(now)
        return await this.#fromCopy(read.why)
    }
  }

  async save(state: SavedState): Promise<void> {
    const fresh = `${this.path}.tmp`
    await this.#files.makeFolder(folderOf(this.path))
    await this.#files.write(fresh, formatState(state))
    if (this.#isThere) await this.#files.keep(this.path, this.#keepAs)
    await this.#files.rename(fresh, this.path)
    this.#isThere = true
    this.#keepAs = this.copyPath
    await this.#files.syncFolder(folderOf(this.path))
  }

  async #fromCopy(why: string): Promise<SavedState | null> {
    const aside = `It is kept as ${this.#keepAs}`
    const copy = await this.#read(this.copyPath)
    if ('state' in copy) {
      const { timestamp } = copy.state
      this.#logger.warn(
        `The state file ${this.path} is damaged: ${why}. ${aside}; the copy of ${timestamp} is used.`,
      )
      if (copy.kind === 'partly') this.#tellOfBad(copy.bad, this.copyPath)
      return copy.state
    }
    this.#logger.warn(
      `The state file ${this.path} is damaged: ${why}. ${aside}; with no copy to use, the state is empty.`,
    )
    return null
  }

  #keepAside(now: number): void {
    this.#keepAs = `${this.path}.damaged-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`
  }

  #tellOfBad(bad: readonly BadJob[], where: string): void {
    for (const { job, why } of bad) {
      this.#logger.warn(
        `Job ${job} of the state file cannot be used and starts afresh: ${why}. See ${where}.`,
      )
    }
  }

  /** Whoever removes the file wants to start afresh. The log still says so, in case it was an accident. */
  async #tellOfCopy(): Promise<void> {
    const copy = await this.#read(this.copyPath)
    if (!('state' in copy)) return
    this.#logger.warn(
      `There is no state file ${this.path}, so the state is empty. A copy of ${copy.state.timestamp} is in ${this.copyPath}.`,
    )
  }

  async #read(path: string): Promise<Found> {
    try {
      const text = await this.#files.read(path)
      return text === null ? { kind: 'none' } : parseState(text)
    } catch (error) {
      if (error instanceof EvertickError) throw error
      return { kind: 'damaged', why: `it cannot be read (${codeOf(error) || String(error)})` }
    }
  }
}

function foreignVersion(path: string, version: string): EvertickError {
  return new EvertickError('state_file_newer', `The state file ${path} has version ${version}, not 1.0.`, {
    field: 'stateFile',
    next: 'Upgrade Evertick, or name another file; this one was left untouched.',
  })
}
