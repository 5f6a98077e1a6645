/** The few things that a state file needs of a disk. Each is one step: a process may die between any two of them. */
import { copyFile, link, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makePrivateFolder, privateFileMode } from '../../store/private-files.ts'

export interface Files {
  /** null where there is none. */
  read(path: string): Promise<string | null>
  /** The text is on the disk when this returns. */
  write(path: string, text: string): Promise<void>
  /** Makes a file only where there is none; false where there is one. */
  create(path: string, text: string): Promise<boolean>
  /** A second name for what stands under the first; whatever had that name is replaced. Nothing, where nothing stands. */
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

/** Where a file system knows no second names. */
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'])

export const diskFiles: Files = {
  read: (path) => orNull(readFile(path, 'utf8')),
  async write(path, text) {
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
  rename,
  remove: (path) => rm(path, { force: true }),
  async syncFolder(path) {
    // Windows opens no folders, and needs no such flush.
    if (process.platform !== 'win32') await syncFile(path)
  },
  async makeFolder(path) {
    makePrivateFolder(path)
  },
  async touchedAt(path) {
    const found = await orNull(stat(path))
    return found === null ? null : found.mtimeMs
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

async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
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
