/** kill -9 in the middle of a backup, a restore and a move, on whatever engines: a whole result, or none. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EvertickError } from '../../src/index.ts'
import { openFilled } from '../backup/filled.ts'
import { linesOf } from '../backup/lines.ts'
import { comparable, filledBackup, opened, testFolder } from '../backup/restored.ts'
import type { BackupChild } from './backup-child.ts'
import { Child } from './child.ts'

async function killed(config: BackupChild): Promise<void> {
  const child = new Child('./backup-child.ts', config)
  await child.heard('stands')
  child.send('SIGKILL')
  expect((await child.exited).signal).toBe('SIGKILL')
}

async function toTheEnd(config: Omit<BackupChild, 'standsAt'>): Promise<void> {
  const child = new Child('./backup-child.ts', { ...config, standsAt: null })
  await child.heard('done')
  await child.exited
}

const codeOf = (error: unknown) => (error instanceof EvertickError ? error.code : error)

/** `fresh` gives the URL of a database that nobody has used. */
export function describeBackupKills(
  name: string,
  fresh: (folder: string, of: string) => Promise<string>,
): void {
  test.each(['rows', 'last'])(
    `${name}: kill -9 of a backup at its %s: no file of that name`,
    async (standsAt) => {
      const folder = testFolder()
      const database = await fresh(folder, 'a')
      const node = await openFilled(database)
      await node.stop()
      const other = join(folder, 'a.backup')
      await killed({ does: 'backup', database, other, standsAt })
      expect(existsSync(other)).toBe(false)
      await toTheEnd({ does: 'backup', database, other })
      expect(linesOf(other).rows('jobs').length).toBeGreaterThan(5)
    },
  )

  test.each(['checking last', 'writing rows', 'writing last'])(
    `${name}: kill -9 of a restore at its %s: what was there is there`,
    async (standsAt) => {
      const folder = testFolder()
      const other = await filledBackup(folder)
      const database = await fresh(folder, 'b')
      const before = await opened(database)
      await before.jobs.create({ name: 'mine', handler: { type: 'function', name: 'work' } })
      await killed({ does: 'restore', database, other, standsAt })
      expect((await before.jobs.list()).jobs.map((job) => job.name)).toEqual(['mine'])
      await toTheEnd({ does: 'restore', database, other })
      await before.backup(join(folder, 'after'))
      expect(comparable(join(folder, 'after'))).toEqual(comparable(other))
      expect(await before.audit()).toMatchObject({ ok: true })
    },
  )

  test(`${name}: kill -9 of a move at each of its steps: made again, it brings every row once`, async () => {
    const folder = testFolder()
    const database = await fresh(folder, 'c')
    const node = await openFilled(database)
    await node.stop()
    await toTheEnd({ does: 'backup', database, other: join(folder, 'before') })
    const other = await fresh(folder, 'd')
    // Its words for them begin so: it marks, puts aside, moves.
    for (const standsAt of ['Marking', 'Putting', 'Moving', 'rows', 'last', 'moved']) {
      await killed({ does: 'move', database, other, standsAt })
      const refusal = await opened(database).then(() => null, codeOf)
      // Only the first was killed before it had touched anything.
      expect(refusal).toBe(standsAt === 'Marking' ? null : 'database_moved')
    }
    await toTheEnd({ does: 'move', database, other })
    const moved = await opened(other)
    await moved.backup(join(folder, 'after'))
    const rows = comparable(join(folder, 'after')).filter((line) => !line.includes('"database.move'))
    expect(rows).toEqual(comparable(join(folder, 'before')))
    expect(await moved.audit()).toMatchObject({ ok: true })
    expect(await moved.auditLog.verify()).toMatchObject({ ok: true })
  })
}
