/** What people type at a SQL prompt, as the pages that they know print it. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { root } from '../../scripts/run-command.ts'
import { engines } from './seeds/leader-log/engines.ts'

const postgresUrl = inject('postgresUrl')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const sqlIn = (text: string) =>
  [...text.matchAll(/^ *```sql\n([\s\S]*?)^ *```/gm)].map(([, block]) => block ?? '')

test.skipIf(postgresUrl === null)(
  'psql runs the queries that the pages print, after the one statement of ours, by a role that may only read',
  async () => {
    const engine = engines.find(({ name }) => name === 'PostgreSQL')
    const address = (await engine?.create()) ?? ''
    const database = new URL(address).pathname.slice(1)
    const reader = `reader_${database.slice(-16)}`
    const owner = new Client({ connectionString: address })
    await owner.connect()
    onTestFinished(async () => {
      await owner.query(`DROP OWNED BY ${reader}`)
      await owner.query(`DROP ROLE ${reader}`)
      await owner.end()
    })
    await owner.query(`CREATE ROLE ${reader} LOGIN PASSWORD 'secret'`)
    await owner.query(`GRANT USAGE ON SCHEMA evertick TO ${reader}`)
    await owner.query(`GRANT SELECT ON evertick.processing_jobs, evertick.scheduler_leader_log TO ${reader}`)
    const url = new URL(address)
    url.username = reader
    url.password = 'secret'
    const psql = (text: string) =>
      execFileSync('psql', [url.href, '-X', '-v', 'ON_ERROR_STOP=1', '-At', '-c', text], { encoding: 'utf8' })
    const section = /## Plain names at a prompt[\s\S]*?(?=\n## )/.exec(
      read('docs/operations/postgresql.md'),
    )?.[0]
    const [once = ''] = sqlIn(section ?? '')
    psql(once.replace('DATABASE app', `DATABASE "${database}"`))
    const printed = sqlIn(read('test/servers/seeds/documents/002.md')).filter((text) =>
      /^\s*SELECT/.test(text),
    )
    expect(printed.length).toBeGreaterThan(3)
    for (const query of printed) expect(psql(query)).toBe('')
    expect(psql('SELECT count(*) FROM scheduler_leader_log ORDER BY 1')).toBe('0\n')
  },
  60_000,
)

test.each(
  engines.filter(({ name }) => name === 'SQLite' || inject(name === 'MariaDB' ? 'mysqlUrl' : 'postgresUrl')),
)(
  'on $name updated_at of the leader log moves by a person’s own UPDATE, and not where the UPDATE sets it',
  async ({ table, ...engine }) => {
    const url = await engine.create()
    const old = "'2020-01-02 03:04:05.000'"
    await engine.sql(
      url,
      `INSERT INTO ${table} (leader_instance, start_time, updated_at) VALUES ('a', ${old}, ${old})`,
    )
    const moved = async () => {
      const [found] = await engine.sql(url, `SELECT updated_at > '2026-01-01' AS moved FROM ${table}`)
      return Boolean(found?.['moved'])
    }
    await engine.sql(url, `UPDATE ${table} SET stop_time = ${old}, updated_at = '2021-01-01 00:00:00.000'`)
    expect(await moved()).toBe(false)
    await engine.sql(url, `UPDATE ${table} SET handled_missed_tasks = TRUE`)
    expect(await moved()).toBe(true)
  },
  60_000,
)
