/** examples/persistent-scheduler and examples/node-schedule, as their READMEs start them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runExample } from './run-example.ts'

test('the daily backup catches up on two of three days', { timeout: 90_000 }, async () => {
  const said = await runExample('persistent-scheduler')
  const backups = [...said.matchAll(/backup of (\S+)/g)].map(([, day]) => day)
  expect(backups).toEqual(['2026-01-01', '2026-01-03', '2026-01-04'])
  expect(said).toContain('3 runs were missed')
  expect(said).toContain('"currentRunCount": 3')
})

test('the reminders end by themselves, and are known again', { timeout: 90_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-reminders-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const database = `sqlite:${folder}/jobs.db`
  const first = await runExample('node-schedule', '4', database)
  expect(first).toMatch(/\d\d:\d\d:\d\d {2}tea\n/)
  expect(first).toMatch(/ {2}biscuit\n/)
  expect(first.trimEnd()).toMatch(/Come back in a minute: .*$/)
  expect(await runExample('node-schedule', '4', database)).toContain('  tea')
})
