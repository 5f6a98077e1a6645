/**
 * Where compiled code may be kept from one command to the next. Whoever can write there runs code as the next user of
 * `evertick`, so it is a folder of the user's own, looked at each time, or none.
 */
import { lstatSync, mkdirSync, realpathSync, type Stats } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'

const othersMayWrite = 0o022
const othersMayAnything = 0o077
const sticky = 0o1000

/** null where no folder is safe. On Windows nothing says who may write to a folder. */
export function compileCacheFolder(environment: Readonly<Record<string, string | undefined>>): string | null {
  const user = process.getuid?.()
  if (user === undefined) return null
  const { XDG_CACHE_HOME: given = '' } = environment
  try {
    const parent = isAbsolute(given) ? given : join(homedir(), '.cache')
    makeFolder(parent)
    const folder = join(realpathSync(parent), 'evertick')
    makeFolder(folder)
    const found = lstatSync(folder)
    const isOwn = found.isDirectory() && found.uid === user && (found.mode & othersMayAnything) === 0
    return isOwn && isHeld(dirname(folder), user) ? folder : null
  } catch {
    // No home, no right to write there, or no room: a command does without.
    return null
  }
}

/** Only itself: a home that is not there is not made. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Whether nobody but this user and root can put another folder in its place, here or anywhere above. */
function isHeld(folder: string, user: number): boolean {
  const above = dirname(folder)
  return isTrusted(lstatSync(folder), user) && (above === folder || isHeld(above, user))
}

/** In a sticky folder such as /tmp others may write, but not rename what is ours. */
function isTrusted({ uid, mode }: Stats, user: number): boolean {
  return (uid === user || uid === 0) && ((mode & othersMayWrite) === 0 || (mode & sticky) !== 0)
}
