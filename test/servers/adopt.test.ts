/** Tables of other systems on real servers, with the types that those have: imported by the command line, as its user would. */
import { readFileSync } from 'node:fs'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import pg from 'pg'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { inProcess } from '../cli/in-process.ts'
import { jsonOf, runCli, testFolder } from '../cli/run-cli.ts'
import { createMysql, createPostgres } from '../services/databases.ts'

vi.setConfig({ testTimeout: 60_000 })

const mysqlUrl = inject('mysqlUrl')
const postgresUrl = inject('postgresUrl')

async function run(database: string, ...args: string[]): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await inProcess([...args, '--database', database, '--json'], {
    cwd: testFolder(),
  })
  return JSON.parse(stdout === '' ? stderr : stdout) as Record<string, unknown>
}

/** SQL as a user at a prompt writes it. */
async function onMariadb(url: string, ...texts: string[]): Promise<Record<string, unknown>[]> {
  const client = await createConnection({ uri: url, multipleStatements: true, timezone: 'Z' })
  try {
    let rows: Record<string, unknown>[] = []
    for (const text of texts) rows = (await client.query<RowDataPacket[]>(text))[0]
    return rows
  } finally {
    await client.end()
  }
}

async function onPostgres(url: string, ...texts: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    let rows: Record<string, unknown>[] = []
    for (const text of texts) rows = (await client.query<Record<string, unknown>>(text)).rows
    return rows
  } finally {
    await client.end()
  }
}

/** The code block of a document, as printed. */
function printed(number: string, language: string): string {
  const text = readFileSync(new URL(`seeds/documents/${number}.md`, import.meta.url), 'utf8')
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(text)?.[1] ?? ''
}

const processingTable = `CREATE TABLE processing_jobs (
  id INT AUTO_INCREMENT PRIMARY KEY, job_id VARCHAR(64) NOT NULL, payload JSON, status VARCHAR(20) NOT NULL,
  locked_by VARCHAR(100), locked_until TIMESTAMP NULL, attempts INT DEFAULT 0, last_error TEXT,
  created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
  INSERT INTO processing_jobs (job_id, payload, status, locked_by, locked_until, attempts) VALUES
    ('o1', '{"item":"tea"}', 'pending', NULL, NULL, 0),
    ('o2', '{"item":"bread"}', 'retry', NULL, NULL, 1),
    ('o3', '{"item":"salt"}', 'processing', 'w1', NOW() + INTERVAL 300 SECOND, 1),
    ('o4', '{"item":"oil"}', 'processing', 'w1', NOW() - INTERVAL 1 SECOND, 1),
    ('o5', '{"item":"rice"}', 'done', NULL, NULL, 1);`

describe.skipIf(mysqlUrl === null)('on MariaDB, in the database that Evertick lives in', () => {
  async function database(): Promise<string> {
    const made = await createMysql(mysqlUrl ?? '')
    onTestFinished(() => made.drop())
    return made.url
  }

  test('tables in the way are renamed, the schema is made, and both are imported; the old tables stay as they are', async () => {
    const url = await database()
    await onMariadb(url, printed('000', 'sql'), processingTable)
    await onMariadb(
      url,
      `INSERT INTO scheduler_leader_log (leader_instance, start_time, stop_time, last_heartbeat, handled_missed_tasks)
       VALUES ('nodeA', '2025-09-01 10:00:00', '2025-09-01 10:15:00', '2025-09-01 10:14:30', TRUE), ('nodeB', '2025-09-01 10:30:00', NULL, NULL, FALSE)`,
    )
    expect(await run(url, 'migrate', 'up')).toMatchObject({ error: { code: 'migration_failed' } })
    await onMariadb(
      url,
      'RENAME TABLE scheduler_leader_log TO old_leader_log, processing_jobs TO old_processing_jobs',
    )
    expect(await run(url, 'migrate', 'up')).toHaveProperty('applied')
    const old = 'SELECT * FROM old_processing_jobs ORDER BY id'
    const before = await onMariadb(url, old)

    const from = ['--from', url, '--table']
    expect(await run(url, 'import', 'leader-log', ...from, 'old_leader_log')).toMatchObject({
      rows: 2,
      left: [],
    })
    const { terms } = (await run(url, 'leader', 'terms')) as { terms: Record<string, unknown>[] }
    expect(terms).toMatchObject([
      {
        leaderInstance: 'nodeB',
        startTime: '2025-09-01T10:30:00.000Z',
        stopTime: null,
        handledMissedTasks: false,
      },
      { leaderInstance: 'nodeA', stopTime: '2025-09-01T10:15:00.000Z', handledMissedTasks: true },
    ])

    const args = ['import', 'processing-jobs', ...from, 'old_processing_jobs'] as const
    expect(await run(url, ...args)).toMatchObject({ alive: 1, left: [{ row: '3' }] })
    const groups = [
      { was: 'pending', rows: 1, becomes: 'pending' },
      { was: 'retry', rows: 1, becomes: 'retrying, attempt 2 of 3 is next' },
      { was: 'processing', rows: 2, becomes: 'retrying, attempt 2 of 3 is next' },
      { was: 'done', rows: 1, becomes: 'completed' },
    ]
    const stopped = ['--workers-stopped', '--history']
    expect(await run(url, ...args, ...stopped, '--dry-run')).toMatchObject({ groups })
    expect(await run(url, ...args, ...stopped)).toMatchObject({ alive: 0, groups, left: [] })
    // The view has the columns of the old table, so that the queries for monitoring go on.
    const rows = await onMariadb(url, 'SELECT job_id, status, attempts FROM processing_jobs ORDER BY job_id')
    expect(rows.map(({ job_id, status, attempts }) => [job_id, status, attempts].join(' '))).toEqual([
      'o1 pending 0',
      'o2 retry 1',
      'o3 retry 1',
      'o4 retry 1',
      'o5 done 1',
    ])
    expect(await onMariadb(url, old)).toEqual(before)
  })

  test('what Evertick has made under these names is not imported into itself', async () => {
    const url = await database()
    await run(url, 'migrate', 'up')
    const refused = await run(url, 'import', 'leader-log', '--from', url)
    expect(refused).toMatchObject({ error: { code: 'invalid_option', field: '--table' } })
    expect(await run(url, 'import', 'schedules', '--from', url)).toMatchObject({
      error: { code: 'table_not_found' },
    })
  })

  test('the way back runs there as it is printed', async () => {
    const [url, source] = [await database(), await database()]
    await run(url, 'migrate', 'up')
    await onMariadb(
      source,
      processingTable,
      `UPDATE processing_jobs SET locked_until = NULL WHERE job_id = 'o3'`,
    )
    await run(url, 'import', 'processing-jobs', '--from', source)
    const { executions } = (await run(url, 'executions', 'list')) as { executions: { id: string }[] }
    for (const { id } of executions) await run(url, 'executions', 'cancel', id)
    const { code, stdout } = await inProcess(
      ['import', 'processing-jobs', '--from', source, '--back', '--database', url],
      { cwd: testFolder() },
    )
    expect([code, stdout.trim().split('\n').length]).toEqual([0, 4])
    await onMariadb(source, stdout)
    const rows = await onMariadb(
      source,
      'SELECT status, count(*) AS n FROM processing_jobs GROUP BY status ORDER BY 1',
    )
    expect(rows).toEqual([
      { status: 'done', n: 1 },
      { status: 'failed', n: 4 },
    ])
  })
})

const intervalTables = `
  CREATE TABLE jobs (id UUID PRIMARY KEY DEFAULT gen_random_uuid(), name TEXT, url TEXT, config JSONB, status VARCHAR(20) DEFAULT 'scheduled',
    schedule_time TEXT, interval_minutes INTEGER, interval_type VARCHAR(20), next_run_at TIMESTAMP WITH TIME ZONE,
    is_paused BOOLEAN DEFAULT FALSE, max_retries INTEGER DEFAULT 3, current_retry_count INTEGER DEFAULT 0,
    lock_token UUID, lock_acquired_at TIMESTAMP WITH TIME ZONE, created_at TIMESTAMP WITH TIME ZONE DEFAULT now());
  INSERT INTO jobs (id, name, url, config, schedule_time, interval_minutes, interval_type, next_run_at, is_paused) VALUES
    ('00000000-0000-4000-8000-000000000001', 'site-a', 'https://a.example', '{"depth":2}', NULL, 6, 'hours', '2030-01-01 04:07:00+01', FALSE),
    ('00000000-0000-4000-8000-000000000002', 'hourly', NULL, NULL, '0 * * * *', NULL, NULL, NULL, FALSE),
    ('00000000-0000-4000-8000-000000000003', 'often', NULL, NULL, '*/15 * * * *', NULL, NULL, NULL, TRUE),
    ('00000000-0000-4000-8000-000000000004', 'office', NULL, NULL, '0 9,17 * * 1-5', NULL, NULL, NULL, FALSE);
  CREATE TABLE job_executions (id UUID PRIMARY KEY DEFAULT gen_random_uuid(), job_id UUID, status VARCHAR(20), started_at TIMESTAMP WITH TIME ZONE,
    completed_at TIMESTAMP WITH TIME ZONE, duration_ms BIGINT, error_message TEXT, retry_attempt INTEGER DEFAULT 0, metadata JSONB);
  INSERT INTO job_executions (job_id, status, started_at, completed_at, duration_ms, error_message) VALUES
    ('00000000-0000-4000-8000-000000000001', 'completed', now() - INTERVAL '2 hours', now() - INTERVAL '1 hour', 3600000, NULL),
    ('00000000-0000-4000-8000-000000000001', 'failed', now() - INTERVAL '1 hour', now() - INTERVAL '50 minutes', 600000, 'timeout');`

describe.skipIf(postgresUrl === null)('on PostgreSQL', () => {
  async function database(): Promise<string> {
    const made = await createPostgres(postgresUrl ?? '')
    onTestFinished(() => made.drop())
    return made.url
  }

  test('interval jobs beside Evertick’s own schema: types of the server, history, and crons that become intervals', async () => {
    const url = await database()
    await onPostgres(url, intervalTables)
    await run(url, 'migrate', 'up')
    const args = ['import', 'interval-jobs', '--from', url, '--handler', 'crawl', '--history'] as const
    const report = await run(url, ...args)
    expect(report).toMatchObject({ rows: 4, historyRows: 2, left: [] })
    expect(report['groups']).toHaveLength(2)
    expect(report['groups']).toEqual(
      expect.arrayContaining([
        { was: 'run: completed', rows: 1, becomes: 'history: completed' },
        { was: 'run: failed', rows: 1, becomes: 'history: failed' },
      ]),
    )
    expect(await run(url, 'jobs', 'show', 'site-a')).toMatchObject({
      schedule: { every: '6h', anchor: '2030-01-01T03:07:00.000Z' },
      input: { url: 'https://a.example', config: { depth: 2 } },
      state: 'paused',
    })
    expect(await run(url, 'jobs', 'stats', 'site-a')).toMatchObject({ total: 2, completed: 1, failed: 1 })
    const startAt = new Date(Date.now() + 600_000).toISOString()
    const switched = (await run(url, ...args, '--start-at', startAt)) as {
      jobs: { job: string; result: string }[]
    }
    expect(switched.jobs.map(({ job, result }) => `${job} ${result}`).toSorted()).toEqual([
      'hourly updated',
      'office updated',
      'often unchanged',
      'site-a updated',
    ])
    expect(await run(url, 'jobs', 'convert')).toMatchObject({ converted: 2, manual: [{ job: 'office' }] })
  })

  test('from a role that may only read', async () => {
    const url = await database()
    await onPostgres(url, intervalTables)
    const target = `sqlite:${testFolder()}/here.db`
    const name = `reader_${new URL(url).pathname.slice(1)}`
    await onPostgres(
      url,
      `CREATE ROLE "${name}" LOGIN PASSWORD 'r'; GRANT USAGE ON SCHEMA public TO "${name}"; GRANT SELECT ON jobs TO "${name}"`,
    )
    onTestFinished(async () => void (await onPostgres(url, `DROP OWNED BY "${name}"; DROP ROLE "${name}"`)))
    const asReader = new URL(url)
    asReader.username = name
    asReader.password = 'r'
    const cwd = testFolder()
    const args = ['import', 'interval-jobs', '--from', asReader.href, '--database', target]
    expect(await jsonOf(args, { cwd })).toMatchObject({ rows: 4, left: [] })
    const { stdout } = await runCli(['jobs', 'list', '--database', target], { cwd })
    expect(stdout.split('\n').filter((line) => line.startsWith('paused'))).toHaveLength(4)
  })
})
