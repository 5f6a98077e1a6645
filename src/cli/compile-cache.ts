/**
 * The folder that caches compiled code between commands. Whoever can write to it can run code as the next user of
 * `evertick`, so it must be the user's own. That is checked each time; otherwise there is no cache.
 */
import { lstatSync, mkdirSync, realpathSync, type Stats } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'

const othersMayWrite = 0o022
const othersMayAnything = 0o077
const sticky = 0o1000

/** null if no folder is safe, and always on Windows, where nothing tells who may write to a folder. */
export function compileCacheFolder(environment: Readonly<Record<string, string | undefined>>): string | null {
  const user = process.getuid?.()
  if (user === undefined) return null
  const { XDG_CACHE_HOME: given = '' } = environment
  try {
    const parent = isAbsolute(given) ? given : join(homedir(), '.cache')
    makeFolder(parent)
    const folder = join(realpathSync(parent), 'evertick')
    makeFolder(folder)
    const stats = lstatSync(folder)
    const isOwn = stats.isDirectory() && stats.uid === user && (stats.mode & othersMayAnything) === 0
    return isOwn && isProtected(dirname(folder), user) ? folder : null
  } catch {
    // No home, no permission to write there, or no space: the command runs without a cache.
    return null
  }
}

/** Creates only this folder: a home that does not exist is not created. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Whether only this user and root can replace the folder or any folder above it. */
function isProtected(folder: string, user: number): boolean {
  const above = dirname(folder)
  return isTrusted(lstatSync(folder), user) && (above === folder || isProtected(above, user))
}

/** In a sticky folder such as /tmp others may write, but not rename our files. */
function isTrusted({ uid, mode }: Stats, user: number): boolean {
  return (uid === user || uid === 0) && ((mode & othersMayWrite) === 0 || (mode & sticky) !== 0)
}
