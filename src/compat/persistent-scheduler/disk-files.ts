/** The few things that a state file needs of a disk. Each is one step: a process may die between any two of them. */
import type { Stats } from 'node:fs'
import { copyFile, link, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname } from 'node:path'
import { EvertickError } from '../../core/error.ts'
import { makePrivateFolder, privateFileMode } from '../../store/private-files.ts'

/** Anything but a regular file or a link to one is refused: it is never read, moved or replaced. */
export interface Files {
  /** Throws where something else than a regular file has the name. */
  refuseOther(path: string): Promise<void>
  /** null where there is none. */
  read(path: string): Promise<string | null>
  /** The text is on the disk when this returns. */
  write(path: string, text: string): Promise<void>
  /** Makes a file only where there is none; false where there is one. */
  create(path: string, text: string): Promise<boolean>
  /** Gives a file a second name, and replaces whatever had that name. Does nothing where there is no such file. */
  keep(path: string, as: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  /** Names are on the disk when this returns. */
  syncFolder(path: string): Promise<void>
  makeFolder(path: string): Promise<void>
  /** When it was last written or touched; null where there is none. */
  touchedAt(path: string): Promise<number | null>
  touch(path: string, at: number): Promise<void>
}

/** For file systems without hard links. */
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'])

export const diskFiles: Files = {
  refuseOther,
  async read(path) {
    await refuseOther(path)
    return await orNull(readFile(path, 'utf8'))
  },
  async write(path, text) {
    await refuseOther(path)
    await writeSynced(path, 'w', text)
  },
  async create(path, text) {
    try {
      await writeSynced(path, 'wx', text)
      return true
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false
      throw error
    }
  },
  async keep(path, as) {
    const fresh = `${as}.new`
    await refuseOther(path)
    await refuseOther(as)
    await rm(fresh, { force: true })
    try {
      await link(path, fresh)
    } catch (error) {
      if (isNothingThere(error)) return
      if (!noLinks.has(codeOf(error))) throw error
      await copyFile(path, fresh)
      await syncFile(fresh)
    }
    await rename(fresh, as)
  },
  async rename(from, to) {
    await refuseOther(to)
    await rename(from, to)
  },
  remove: (path) => rm(path, { force: true }),
  async syncFolder(path) {
    // Windows opens no folders, and needs no such flush.
    if (process.platform !== 'win32') await syncFile(path)
  },
  async makeFolder(path) {
    makePrivateFolder(path)
  },
  async touchedAt(path) {
    const stats = await orNull(stat(path))
    return stats === null ? null : stats.mtimeMs
  },
  touch: (path, at) => utimes(path, at / 1_000, at / 1_000),
}

export function folderOf(path: string): string {
  return dirname(path)
}

export function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : ''
}

/** A FIFO would block whoever opens it, and a device in a file's place would be moved away: both are looked at first. */
async function refuseOther(path: string): Promise<void> {
  const stats = await orNull(stat(path))
  if (stats === null || stats.isFile()) return
  throw new EvertickError('invalid_config', `${path} is ${kindOf(stats)}: the state needs a regular file.`, {
    field: 'stateFile',
    next: 'Name a regular file, or one that is not there yet; nothing was changed.',
  })
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder'
  if (stats.isFIFO()) return 'a FIFO'
  if (stats.isSocket()) return 'a socket'
  return 'a device'
}

async function orNull<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read
  } catch (error) {
    if (isNothingThere(error)) return null
    throw error
  }
}

function isNothingThere(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR'
}

async function writeSynced(path: string, flags: 'w' | 'wx', text: string): Promise<void> {
  const file = await open(path, flags, privateFileMode)
  try {
    await file.chmod(privateFileMode)
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
