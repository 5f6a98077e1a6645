/** Only the owner may read the files and folders that we create, whatever the umask says. */
import { chmodSync, closeSync, fchmodSync, mkdirSync, openSync, type PathLike, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { EvertickError } from '../core/error.ts'

export const privateFileMode = 0o600
const privateFolderMode = 0o700

/** Those levels that were missing; what was there keeps its rights. */
export function makePrivateFolder(path: string): void {
  // Resolved before: of a relative path the first level made is told as one, and says nothing about what lies above.
  const whole = resolve(path)
  const first = mkdirSync(whole, { recursive: true, mode: privateFolderMode })
  if (first === undefined) return
  for (let made = whole; made.length >= first.length; made = dirname(made)) chmodSync(made, privateFolderMode)
}

/** Our own folder: one that another user has put there would hold that user's jobs and secrets. */
export function makeDataFolder(path: string): void {
  makePrivateFolder(path)
  if (!isForeign(path)) return
  throw new EvertickError('invalid_config', `The folder ${path} belongs to another user.`, {
    field: 'EVERTICK_DATA_DIR',
    next: 'Run Evertick as that user, or name another folder with EVERTICK_DATA_DIR.',
  })
}

/** Makes the file where there is none. */
export function makePrivateFile(path: string): void {
  const handle = openSync(path, 'a', privateFileMode)
  try {
    fchmodSync(handle, privateFileMode)
  } finally {
    closeSync(handle)
  }
}

/** Whether somebody else has put it there, who is not the administrator either. Windows does not say. */
export function isForeign(path: PathLike): boolean {
  const own = process.getuid?.()
  if (own === undefined || own === 0) return false
  const { uid } = statSync(path)
  return uid !== own && uid !== 0
}
