/** On SQLite: who may read the files, and is there room for them? */
import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ownSecretName } from '../../../app/access/own-secret.ts'
import { bytesWords, listed } from '../../output/count-words.ts'
import { type Check, fail, ok, warn } from './check.ts'

const leastFree = 100e6
const littleFree = 1e9
/** SQLite begins its log anew whenever nobody reads it; one that is larger than this has not come to that for long. */
const largeLog = 1e9

export function checkFiles(database: string): Check[] {
  const folder = dirname(database)
  const files = [database, `${database}-wal`, `${database}-shm`, join(folder, ownSecretName)].filter(
    existsSync,
  )
  return [accessCheck(files), diskCheck(database, folder)]
}

function accessCheck(files: readonly string[]): Check {
  // Windows has other rights, which the mode does not tell.
  const open = process.platform === 'win32' ? [] : files.filter((file) => (statSync(file).mode & 0o077) !== 0)
  if (open.length === 0) return ok('files', 'Only their owner may read the database and its secret.')
  return warn(
    'files',
    `Other users of this machine may read ${listed(open)}.`,
    `Inputs and results of jobs are in there. Run \`chmod 600 ${open.join(' ')}\`.`,
  )
}

function diskCheck(database: string, folder: string): Check {
  const { bavail, bsize } = statfsSync(folder)
  const sizeOf = (file: string) => (existsSync(file) ? statSync(file).size : 0)
  return roomCheck({ free: bavail * bsize, size: sizeOf(database), log: sizeOf(`${database}-wal`) })
}

export function roomCheck({ free, size, log }: { free: number; size: number; log: number }): Check {
  const said = `${bytesWords(free)} free; the database has ${bytesWords(size)}, its log ${bytesWords(log)}.`
  if (free < leastFree)
    return fail('disk', said, 'Make room: once the disk is full, nothing is acknowledged or accounted for.')
  if (log > largeLog)
    return warn('disk', said, 'Some process reads without an end, so the log grows: find it, and stop it.')
  if (free < Math.max(littleFree, size))
    return warn('disk', said, 'Make room: a backup or a VACUUM takes as much as the database.')
  return ok('disk', said)
}
