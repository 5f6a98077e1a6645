/** On SQLite the first start makes a secret, in a file beside the database that only its owner can read. */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { EvertickError } from '../../core/error.ts'
import { codeOf } from '../../core/unknown-value.ts'
import { isForeign, privateFileMode } from '../../store/private-files.ts'
import { sqlitePath } from '../../store/store-url.ts'

/** Beside the database. */
export const ownSecretName = 'jwt-secret'

/** None on a server: the nodes of a fleet must share one secret, so it has to be configured. */
export function ownSecret(database: string): readonly string[] {
  if (!database.startsWith('sqlite:')) return []
  const path = sqlitePath(database)
  // A database in memory is gone with its process, and so may be who was let into it.
  if (path === ':memory:' || path.startsWith('file:')) return [newSecret()]
  const file = join(dirname(path), ownSecretName)
  return [read(file) ?? make(file)]
}

function newSecret(): string {
  return randomBytes(48).toString('base64url')
}

function read(file: string): string | null {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
  if ((statSync(file).mode & 0o077) !== 0 && process.platform !== 'win32') {
    throw new EvertickError('weak_secret', `${file} can be read by users other than its owner.`, {
      field: file,
      next: `Run \`chmod 600 ${file}\`, and make new tokens if somebody may have read it.`,
    })
  }
  if (isForeign(file)) {
    throw new EvertickError('weak_secret', `${file} belongs to another user, who can sign tokens with it.`, {
      field: file,
      next: 'Run Evertick as that user, or move the file away: a new one is made.',
    })
  }
  return text
}

/** If two processes start at once, one makes the file and the other reads it. It gets its name only when it is complete. */
function make(file: string): string {
  const secret = newSecret()
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    const handle = openSync(draft, 'wx', privateFileMode)
    fchmodSync(handle, privateFileMode)
    writeSync(handle, `${secret}\n`)
    fsyncSync(handle)
    closeSync(handle)
    linkSync(draft, file)
    return secret
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    return read(file) ?? secret
  } finally {
    rmSync(draft, { force: true })
  }
}
