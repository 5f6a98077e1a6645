/** A backup of one engine is a backup of any other. */
import { join } from 'node:path'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { openFilled } from '../backup/filled.ts'
import { linesOf } from '../backup/lines.ts'
import { comparable, filledBackup, opened, testFolder } from '../backup/restored.ts'
import { createMysql, createPostgres, type TestDatabase } from '../services/databases.ts'

const [postgresUrl, mysqlUrl] = [inject('postgresUrl'), inject('mysqlUrl')]

describe.skipIf(postgresUrl === null || mysqlUrl === null)('backups of all engines', () => {
  let made: TestDatabase[] = []
  const database = {
    postgres: async () => await keep(createPostgres(postgresUrl ?? '')),
    mysql: async () => await keep(createMysql(mysqlUrl ?? '')),
  }
  async function keep(making: Promise<TestDatabase>): Promise<string> {
    const one = await making
    made.push(one)
    return one.url
  }
  afterAll(async () => {
    for (const one of made) await one.drop()
    made = []
  })

  /** Restores the file into the database, proves it, and backs it up anew. */
  async function through(url: string, path: string, next: string): Promise<string> {
    const evertick = await opened(url)
    await evertick.restore(path)
    expect(await evertick.audit()).toMatchObject({ ok: true, unaccounted: 0, doubled: 0 })
    expect(await evertick.auditLog.verify()).toMatchObject({ ok: true })
    await evertick.backup(next)
    return next
  }

  test('SQLite, PostgreSQL, MariaDB, SQLite: the same rows, byte for byte', async () => {
    const folder = testFolder()
    const first = await filledBackup(folder)
    const postgres = await through(await database.postgres(), first, join(folder, 'postgres'))
    const mysql = await through(await database.mysql(), postgres, join(folder, 'mysql'))
    const sqlite = await through(`sqlite:${join(folder, 'last.db')}`, mysql, join(folder, 'sqlite'))
    for (const path of [postgres, mysql, sqlite]) expect(comparable(path)).toEqual(comparable(first))
    // Of each restore one entry and one term, and nothing else is new.
    expect(linesOf(sqlite).lines).toHaveLength(linesOf(first).lines.length + 3 * 3)
    expect([postgres, mysql, sqlite].map((path) => linesOf(path).header.engine)).toEqual([
      'postgres',
      'mysql',
      'sqlite',
    ])
  })

  test.each(['postgres', 'mysql'] as const)(
    '%s at work: its backup is restored into itself, and its nodes go on',
    async (name) => {
      const folder = testFolder()
      const url = await database[name]()
      const node = await openFilled(url)
      const path = join(folder, 'backup')
      await node.evertick.backup(path)
      await node.stop()
      const evertick = await opened(url)
      await expect(evertick.restore(path)).rejects.toMatchObject({ code: 'database_in_use' })
      await evertick.restore(path, { force: true })
      await evertick.backup(join(folder, 'again'))
      expect(comparable(join(folder, 'again'))).toEqual(comparable(path))
      // The numbers that the database gives go on.
      const before = linesOf(path)
        .rows('job_executions')
        .map(({ seq }) => Number(seq))
      await evertick.enqueue('often')
      await evertick.jobs.pause('often')
      await evertick.backup(join(folder, 'later'))
      const after = linesOf(join(folder, 'later'))
        .rows('job_executions')
        .map(({ seq }) => Number(seq))
      expect(Math.max(...after)).toBeGreaterThan(Math.max(...before))
      expect(await evertick.audit()).toMatchObject({ ok: true })
      expect(await evertick.auditLog.verify()).toMatchObject({ ok: true })
    },
  )
})
