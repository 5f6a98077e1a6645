/** `backup` and `restore` as people and scripts use them. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { inProcess } from './in-process.ts'
import { runCli, testFolder } from './run-cli.ts'

const at = (cwd: string, name = 'a.db') => ['--database', `sqlite:${join(cwd, name)}`]

async function withJob(): Promise<string> {
  const cwd = testFolder()
  await inProcess(['migrate', 'up', ...at(cwd)], { cwd })
  await inProcess(['jobs', 'create', 'report', '--http', 'http://localhost/', ...at(cwd)], { cwd })
  return cwd
}

test('a backup is written, and restored into a database that did not exist', async () => {
  const cwd = await withJob()
  const backedUp = await inProcess(['backup', 'a.backup', ...at(cwd)], { cwd })
  expect(backedUp).toMatchObject({ code: 0, stdout: `${join(cwd, 'a.backup')}\n` })
  expect(backedUp.stderr).toMatch(/Backed up \d+ rows, .* SHA-256 [0-9a-f]{64}/)
  const restored = await inProcess(['restore', 'a.backup', ...at(cwd, 'new/b.db')], { cwd })
  expect(restored).toMatchObject({ code: 0 })
  expect(statSync(join(cwd, 'new', 'b.db')).mode & 0o777).toBe(0o600)
  const jobs = await inProcess(['jobs', 'list', '--json', ...at(cwd, 'new/b.db')], { cwd })
  expect(JSON.parse(jobs.stdout)).toMatchObject({ jobs: [{ name: 'report' }] })
  const log = await inProcess(
    ['audit-log', '--json', '--action', 'database.restore', ...at(cwd, 'new/b.db')],
    { cwd },
  )
  expect(JSON.parse(log.stdout)).toMatchObject({
    entries: [{ actor: expect.stringMatching(/^cli/) as unknown }],
  })
})

test('with --json both answer with one value', async () => {
  const cwd = await withJob()
  const backedUp = await inProcess(['backup', 'a.backup', '--json', ...at(cwd)], { cwd })
  const { sha256, rows } = JSON.parse(backedUp.stdout) as { sha256: string; rows: number }
  const restored = await inProcess(['restore', 'a.backup', '--json', ...at(cwd, 'b.db')], { cwd })
  expect(JSON.parse(restored.stdout)).toMatchObject({ file: join(cwd, 'a.backup'), sha256, rows })
})

test('a backup to standard output is the data alone', async () => {
  const cwd = await withJob()
  const { spawnSync } = await import('node:child_process')
  const binary = new URL('../../src/cli/evertick.ts', import.meta.url).pathname
  const { stdout, stderr, status } = spawnSync(process.execPath, [binary, 'backup', '-', ...at(cwd)], {
    cwd,
  })
  expect(status).toBe(0)
  expect(gunzipSync(stdout).toString()).toContain('"report"')
  expect(stderr.toString()).toContain('Backed up')
  writeFileSync(join(cwd, 'piped'), stdout)
  expect(await inProcess(['restore', 'piped', ...at(cwd, 'b.db')], { cwd })).toMatchObject({
    code: 0,
  })
})

test('what cannot be is refused in words', async () => {
  const cwd = await withJob()
  await inProcess(['backup', 'a.backup', ...at(cwd)], { cwd })
  const says = async (...args: string[]) => {
    const { code, stderr } = await inProcess(args, { cwd })
    return `${code} ${stderr}`
  }
  expect(await says('backup', 'a.backup', ...at(cwd))).toMatch(/^4 [\s\S]*already exists[\s\S]*--replace/)
  expect(await says('backup', '-', '--json', ...at(cwd))).toMatch(/^2 /)
  expect(await says('restore', '-', ...at(cwd))).toMatch(/^2 [\s\S]*read twice/)
  expect(await says('restore', 'none', ...at(cwd))).toMatch(/^3 /)
  expect(await says('restore', 'a.backup', ...at(cwd))).toMatch(/^4 [\s\S]*has a job[\s\S]*--force/)
  writeFileSync(join(cwd, 'cut'), readFileSync(join(cwd, 'a.backup')).subarray(0, 700))
  expect(await says('restore', 'cut', ...at(cwd, 'c.db'))).toMatch(
    /^1 [\s\S]*not a whole backup[\s\S]*Nothing was written/,
  )
  expect(await says('backup', 'x/y', ...at(cwd))).toMatch(/^3 [\s\S]*cannot be written/)
})

test('a server is not asked for a backup', async () => {
  const cwd = testFolder()
  const { code, stderr } = await runCli(['backup', 'a', '--url', 'http://127.0.0.1:1'], { cwd })
  expect(code).toBe(2)
  expect(stderr).toContain('only works on this machine')
  expect(existsSync(join(cwd, 'a'))).toBe(false)
})
