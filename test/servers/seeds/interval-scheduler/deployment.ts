/** The deployment of the page: its commands as printed, or by what stands for them here. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root, runCommand } from '../../../../scripts/run-command.ts'
import { type Cli, jsonOf, runCli, startCli, testFolder } from '../../../cli/run-cli.ts'
import { until } from '../../../process/until.ts'
import { bashOf, documentOf } from '../describe-document.ts'
import { emptyDatabase, rowsOf } from './open.ts'

/** `crawl` takes this long: an hour is a run that goes on whenever somebody looks, on a machine however busy. */
const configOf = (crawlMs: number) => `
import { setTimeout as delay } from 'node:timers/promises'
import { defineConfig, defineJob } from 'evertick'
const crawl = defineJob({ name: 'crawl', schedule: { every: '200ms' }, overlap: 'skip', catchUp: 'none',
  run: (ctx) => delay(${crawlMs}, 'crawled', { signal: ctx.signal }) })
const quick = defineJob({ name: 'quick', schedule: { every: '200ms' }, run: () => 'ran' })
export default defineConfig({ jobs: [crawl, quick] })
`

interface Deployed {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly url: string
}

async function deployed(crawlMs = 500): Promise<Deployed> {
  const url = await emptyDatabase()
  const cwd = testFolder({ 'evertick.config.ts': configOf(crawlMs) })
  const env = {
    EVERTICK_DATABASE_URL: url,
    EVERTICK_PORT: '0',
    EVERTICK_JWT_SECRET: 'a secret of at least thirty-two bytes',
  }
  expect((await runCli(['migrate', 'up'], { cwd, env })).code).toBe(0)
  return { cwd, env, url }
}

async function started({ cwd, env }: Deployed): Promise<{ node: Cli; port: string }> {
  const node = startCli(['start'], { cwd, env })
  await node.says(/✓ quick/)
  const port = /https?:\/\/[\d.]+:(\d+)/.exec(node.stdout + node.stderr)?.[1] ?? ''
  return { node, port }
}

export function deployNewCode(): void {
  test('stop the old one gracefully, start the new one, read its log: what ran is written, no tick is lost', async () => {
    const deployment = await deployed()
    const { cwd, env } = deployment
    const { node: old } = await started(deployment)
    old.signal('SIGTERM')
    const stopped = await old.ended
    expect(stopped.code).toBe(143)
    const { node } = await started(deployment)
    await node.says(/While you were away|✓ quick/)
    node.signal('SIGTERM')
    await node.ended
    expect(await jsonOf(['leases', 'list'], { cwd, env })).toMatchObject({ leases: [] })
    expect(await jsonOf(['audit'], { cwd, env })).toMatchObject({ ok: true, unaccounted: 0, doubled: 0 })
  })
}

/** The address is the page's own: curl is told where it leads, and which token to show. */
export function verifyOperation(): void {
  test('the four curl lines, as they are printed', async () => {
    const deployment = await deployed(3_600_000)
    const { cwd, env } = deployment
    const { node, port } = await started(deployment)
    const { token } = await jsonOf<{ token: string }>(['token', 'create', '--role', 'viewer'], { cwd, env })
    writeFileSync(
      join(cwd, '.curlrc'),
      `silent\nshow-error\nfail\nconnect-to = "localhost:8060:127.0.0.1:${port}"\nheader = "Authorization: Bearer ${token}"\n`,
    )
    const lines = bashOf('003', 'Step 3: Verify Operation')
      .split('\n')
      .filter((line) => line.startsWith('curl '))
    expect(lines).toHaveLength(4)
    await until('crawl to run', async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/jobs/crawl`, {
        headers: { authorization: `Bearer ${token}` },
      })
      return ((await answer.json()) as { status: string }).status === 'running'
    })
    const answers: string[] = []
    for (const line of lines) {
      const code = line.replace(':job-id', 'quick')
      const { ok, stdout, text } = await runCommand('sh', ['-eu', '-c', code], {
        cwd,
        env: { HOME: cwd, PATH: process.env['PATH'] ?? '' },
        timeoutMs: 30_000,
      })
      expect(ok ? line : text).toBe(line)
      answers.push(stdout)
    }
    const [health = '', metrics = '', running = '', history = ''] = answers
    expect(JSON.parse(health)).toMatchObject({ status: 'ok' })
    expect(JSON.parse(metrics)).toMatchObject({
      jobs: { total: 2 },
      executions: { running: expect.any(Number) as number },
    })
    // jq writes one job after the other; quick may be at it, too.
    expect(running).toMatch(/^ {2}"name": "crawl",\n {2}"status": "running",$/m)
    expect((JSON.parse(history) as { executions: { state: string }[] }).executions[0]).toMatchObject({
      job: 'quick',
    })
    // The run that goes on is not waited for.
    node.signal('SIGKILL')
    await node.ended
  }, 120_000)
}

/** "All new endpoints require JWT": each of the eight, with the method of the page. */
export function apiNeedsToken(): void {
  test('the eight endpoints of the page are there, and none answers without a token', async () => {
    const deployment = await deployed()
    const { cwd, env } = deployment
    const { node, port } = await started(deployment)
    const { token } = await jsonOf<{ token: string }>(['token', 'create', '--role', 'operator'], { cwd, env })
    const { executions } = await jsonOf<{ executions: { id: string }[] }>(['executions', 'list'], {
      cwd,
      env,
    })
    const endpoints = [...documentOf('003').matchAll(/^(POST|GET) +(\/api\/v1\/\S+) +- /gm)]
    expect(endpoints).toHaveLength(8)
    for (const [, method = '', path = ''] of endpoints) {
      const id = path.includes('/executions/:id') ? (executions[0]?.id ?? '') : 'quick'
      const url = `http://127.0.0.1:${port}${path.replace(':id', id)}`
      const ask = async (headers: Record<string, string>) =>
        (await fetch(url, { method, headers: { ...headers, 'content-type': 'application/json' } })).status
      expect([path, await ask({})]).toEqual([path, 401])
      // A retry of what has not failed is refused by the job's state; the route is there.
      expect([200, 201, 409]).toContain(await ask({ authorization: `Bearer ${token}` }))
    }
    node.signal('SIGTERM')
    await node.ended
  })
}

/** `evertick backup` and `restore` stand for pg_dump and psql, `migrate down` for the down migration. */
export function rollbackPlan(): void {
  test('back from a backup, or by the down migration; then the version before', async () => {
    const deployment = await deployed()
    const { cwd, env, url } = deployment
    await runCli(['jobs', 'create', 'before', '--every', '1h'], { cwd, env })
    expect((await runCli(['backup', 'crawler_backup.evertick'], { cwd, env })).code).toBe(0)
    await runCli(['jobs', 'create', 'after', '--every', '1h'], { cwd, env })
    const restored = await runCli(['restore', 'crawler_backup.evertick', '--force'], { cwd, env })
    expect([restored.code, restored.code === 0 ? '' : restored.stderr]).toEqual([0, ''])
    const { jobs } = await jsonOf<{ jobs: { name: string }[] }>(['jobs', 'list'], { cwd, env })
    expect(jobs.map(({ name }) => name)).toEqual(['before'])

    expect((await runCli(['migrate', 'down', '--yes'], { cwd, env })).code).toBe(0)
    expect(await rowsOf(url, `SELECT tablename FROM pg_tables WHERE schemaname = 'evertick'`)).toEqual([])
    expect((await runCli(['migrate', 'up'], { cwd, env })).code).toBe(0)
    expect((await runCli(['restore', 'crawler_backup.evertick'], { cwd, env })).code).toBe(0)
    expect(await jsonOf(['audit'], { cwd, env })).toMatchObject({ ok: true, jobs: 1 })
  })
}

/** `evertick backup` stands for pg_dump; the migration goes up, down and up again; tests and build are this run. */
export function prerequisites(): void {
  test('a backup is there and whole before anything is changed, and the migration was tried', async () => {
    const { cwd, env } = await deployed()
    await runCli(['jobs', 'create', 'crawl', '--every', '1h'], { cwd, env })
    const { code, stderr } = await runCli(['backup', 'crawler_backup_20260101.evertick'], { cwd, env })
    expect([code, code === 0 ? '' : stderr]).toEqual([0, ''])
    const copy = { cwd, env: { ...env, EVERTICK_DATABASE_URL: await emptyDatabase() } }
    for (const step of [['up'], ['down', '--yes'], ['up']]) {
      expect([step[0], (await runCli(['migrate', ...step], copy)).code]).toEqual([step[0], 0])
    }
    expect((await runCli(['restore', 'crawler_backup_20260101.evertick'], copy)).code).toBe(0)
    expect(await jsonOf(['audit'], copy)).toMatchObject({ ok: true, jobs: 1 })
  })
}

interface Kept {
  readonly results: readonly {
    readonly name: string
    readonly value: number | null
    readonly unit: string
    readonly engine?: string
  }[]
}

/** By runs of the bench that are kept, on the engine of the page; a wall clock has no place in a test. */
export function performanceTargets(): void {
  const kept = (file: string, name: string): number => {
    const { results } = JSON.parse(readFileSync(join(root, `docs/performance/${file}.json`), 'utf8')) as Kept
    const found = results.find((result) => result.name === name && result.engine === 'postgres')
    if (found?.value === null || found === undefined)
      throw new Error(`${file} has no "${name}" on PostgreSQL`)
    expect(found.unit).toBe('ms')
    return found.value
  }

  test('10,000 jobs are polled in less than 100 ms, a lock is acquired in 10, stale ones are swept in a second', () => {
    expect(kept('due-scan', 'poll 1000 due of 10000 jobs')).toBeLessThan(100)
    expect(kept('lock', 'lock acquisition, p99')).toBeLessThan(10)
    expect(kept('sweep', 'sweep of 10000 stale leases')).toBeLessThan(1_000)
  })
}
