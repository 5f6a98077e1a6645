/** Backs up, restores or moves, and stands still at the moment that it was told: there it is killed. */
import { type Movable, moveDatabase } from '../../src/app/backup/move-database.ts'
import { clockOf } from '../../src/app/cluster/database-clock.ts'
import { newId } from '../../src/app/ids.ts'
import { Evertick } from '../../src/index.ts'
import { openStore } from '../../src/store/open-store.ts'
import { say, sayingLogger } from './said.ts'

export interface BackupChild {
  readonly does: 'backup' | 'restore' | 'move'
  readonly database: string
  /** A file, or where to move. */
  readonly other: string
  /** A moment by its name; null: to the end. */
  readonly standsAt: string | null
}

const { does, database, other, standsAt } = JSON.parse(process.argv[2] ?? '') as BackupChild

/** Says which moment it is, and never goes on from the one that it waits for. */
function moment(name: string): void {
  if (name !== standsAt) return
  say('stands', { at: name })
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

async function movable(url: string): Promise<Movable> {
  const opened = await openStore(url, { newId, tzVersion: process.versions.tz ?? 'unknown' })
  return { ...opened, url, clock: await clockOf(opened.store) }
}

if (does === 'move') {
  const [from, to] = [await movable(database), await movable(other)]
  await moveDatabase(from, to, {
    actor: 'test',
    origin: 'test',
    patienceMs: 60_000,
    onStep: (words) => moment(words.split(' ')[0] ?? ''),
    onProgress: (done, total) => moment(done === total ? 'last' : 'rows'),
  })
  moment('moved')
  await Promise.all([from.store.close(), to.store.close()])
} else {
  const evertick = await Evertick.open({ database, logger: sayingLogger })
  if (does === 'backup') {
    await evertick.backup(other, { onProgress: (done, total) => moment(done === total ? 'last' : 'rows') })
  } else {
    await evertick.restore(other, {
      force: true,
      onProgress: (done, total, phase) => moment(`${phase} ${done === total ? 'last' : 'rows'}`),
    })
  }
  await evertick.stop()
}
say('done')
