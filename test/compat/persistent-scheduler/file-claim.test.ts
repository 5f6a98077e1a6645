/** One process per state file; a claim whose holder is gone is taken over. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { diskFiles } from '../../../src/compat/persistent-scheduler/disk-files.ts'
import { FileClaim } from '../../../src/compat/persistent-scheduler/file-claim.ts'

function claims(): { path: string; lock: string; claim: () => FileClaim; said: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-claim-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'state.json')
  const said: string[] = []
  const log = (message: string) => void said.push(message)
  const logger = { debug: log, info: log, warn: log, error: log }
  return { path, lock: `${path}.lock`, claim: () => new FileClaim(path, diskFiles, logger), said }
}

const held = (pid: number, host = hostname()) => JSON.stringify({ pid, host, startedAt: null })

test('it names its holder, and is gone after the release', async () => {
  const { lock, claim, said } = claims()
  const one = claim()
  await one.take()
  expect(JSON.parse(readFileSync(lock, 'utf8'))).toMatchObject({ pid: process.pid, host: hostname() })
  await expect(claim().take()).rejects.toMatchObject({ code: 'state_file_busy' })
  expect(said.join()).toContain('another scheduler of this process')
  await one.release()
  await one.release()
  expect(existsSync(lock)).toBe(false)
  const next = claim()
  await next.take()
  await next.release()
})

test('a living process of this host keeps it', async () => {
  const { lock, claim, said } = claims()
  const { startedAt } = { startedAt: startOf(process.ppid) }
  writeFileSync(lock, JSON.stringify({ pid: process.ppid, host: hostname(), startedAt }))
  await expect(claim().take()).rejects.toMatchObject({ code: 'state_file_busy' })
  expect(said.join()).toContain(`process ${process.ppid} on ${hostname()}`)
  expect(existsSync(lock)).toBe(true)
})

test.each([
  ['whose process is gone', () => held(spawnSync('true').pid)],
  ['with this very process id, from before a restart of the container', () => held(process.pid)],
  ['whose id another process has got since', () => held(process.ppid)],
  ['that cannot be read', () => 'pid 12'],
])('one %s is taken over', async (_, text) => {
  const { lock, claim, said } = claims()
  writeFileSync(lock, text())
  const taken = claim()
  await taken.take()
  expect(said.join()).toContain('it is taken over')
  expect(JSON.parse(readFileSync(lock, 'utf8'))).toMatchObject({ pid: process.pid })
  await taken.release()
})

test('one of another host is believed as long as it is touched', async () => {
  const { lock, claim } = claims()
  writeFileSync(lock, held(1, 'elsewhere'))
  await expect(claim().take()).rejects.toMatchObject({ code: 'state_file_busy' })
  utimesSync(lock, 1, 1)
  const taken = claim()
  await taken.take()
  utimesSync(lock, 1, 1)
  await taken.renew()
  expect((await diskFiles.touchedAt(lock)) ?? 0).toBeGreaterThan(1_000_000)
  await taken.release()
})

/** As Linux tells it; null elsewhere, where only the id counts. */
function startOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, '').trim().split(' ')[19] ?? null
  } catch {
    return null
  }
}
