/** `evertick import processing-jobs`, ended by SIGKILL wherever it is, and made again: each row once. */
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { Cli, jsonOf, runCli, testFolder } from '../cli/run-cli.ts'
import { until } from './until.ts'

const rows = 20_000

test('killed in the middle and made again, it is as if it had never been killed', async () => {
  const cwd = testFolder()
  const old = new DatabaseSync(`${cwd}/old.db`)
  onTestFinished(() => old.close())
  old.exec(
    'CREATE TABLE processing_jobs (id INTEGER PRIMARY KEY, job_id TEXT, payload TEXT, status TEXT, attempts INT)',
  )
  old.exec('BEGIN')
  const insert = old.prepare(`INSERT INTO processing_jobs VALUES (?, ?, '{}', 'pending', 0)`)
  for (let id = 1; id <= rows; id += 1) insert.run(id, `order-${id}`)
  old.exec('COMMIT')
  const database = ['--database', 'sqlite:new.db']
  expect((await runCli(['migrate', 'up', ...database], { cwd })).code).toBe(0)
  const here = new DatabaseSync(`${cwd}/new.db`, { readOnly: true })
  onTestFinished(() => here.close())
  const made = here.prepare(
    'SELECT count(*) AS n, count(DISTINCT unique_key) AS keys FROM evertick_job_executions',
  )
  const count = () => Number(made.get()?.['n'])

  const args = ['import', 'processing-jobs', '--from', 'sqlite:old.db', ...database]
  const first = new Cli(args, { cwd })
  await until('the first thousand', () => count() > 0)
  first.child.kill('SIGKILL')
  await first.ended
  const before = count()
  expect(before).toBeLessThan(rows)
  const { groups } = (await jsonOf(args, { cwd })) as {
    groups: { was: string; rows: number; becomes: string }[]
  }
  expect(groups).toEqual([
    { was: 'pending', rows: before, becomes: 'nothing: it was imported before' },
    { was: 'pending', rows: rows - before, becomes: 'pending' },
  ])
  expect(made.get()).toEqual({ n: rows, keys: rows })
})
