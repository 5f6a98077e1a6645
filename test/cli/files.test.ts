/** Files of jobs on the command line: applied, compared, refused with the place, exported and imported. */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { inProcess, type Ran } from './in-process.ts'
import { errorOf, testFolder } from './run-cli.ts'

const report = `jobs:
  - name: nightly-report
    schedule: { cron: "0 3 * * *", timezone: Europe/Madrid }
    retry: { attempts: 5 }
`
const both = `${report}  - name: poll
    schedule: { every: 30s, anchor: epoch }
    paused: true
`

function opened(files: Readonly<Record<string, string>> = { 'jobs.yaml': both }) {
  const cwd = testFolder(files)
  // A command line in this process would take the folder of the process.
  const env = { EVERTICK_DATABASE_URL: `sqlite:${join(cwd, 'jobs.db')}` }
  const run = async (line: string, more: { tty?: boolean; database?: string } = {}): Promise<Ran> =>
    await inProcess(
      [
        ...line.split(' '),
        ...(more.database === undefined ? [] : ['--database', `sqlite:${join(cwd, more.database)}`]),
      ],
      { cwd, env, tty: more.tty ?? false },
    )
  const json = async (line: string) =>
    JSON.parse((await run(`${line} --json`)).stdout) as Record<string, unknown>
  return { cwd, run, json, write: (name: string, text: string) => writeFileSync(join(cwd, name), text) }
}

test('apply says what it does, a dry run field by field, and again there is nothing to do', async () => {
  const { run } = opened()
  const dry = await run('apply -f jobs.yaml --dry-run')
  expect(dry.stdout.split('\n')).toEqual([
    '+ nightly-report  created',
    '    schedule.cron      "0 3 * * *"',
    '    schedule.timezone  "Europe/Madrid"',
    '    retry.attempts     5',
    '+ poll  created',
    '    schedule.every   "30s"',
    '    schedule.anchor  "epoch"',
    '    paused           true',
    '',
  ])
  expect([dry.code, dry.stderr]).toEqual([0, 'file:jobs: 2 created (nothing was written).\n'])
  const done = await run('apply -f jobs.yaml')
  expect(done).toEqual({
    code: 0,
    stdout: '+ nightly-report  created\n+ poll  created\n',
    stderr: 'file:jobs: 2 created.\n',
  })
  expect(await run('apply -f jobs.yaml')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'file:jobs: 2 unchanged.\n',
  })
})

test('diff ends with 7 where anything differs: the file, a hand, a job that is gone', async () => {
  const { run, write, json } = opened()
  await run('apply -f jobs.yaml')
  expect(await run('diff -f jobs.yaml')).toMatchObject({ code: 0, stdout: '' })
  await run('jobs update poll --priority 3')
  const byHand = await run('diff -f jobs.yaml')
  expect(byHand.code).toBe(7)
  expect(byHand.stdout).toContain(
    '! poll  changed by hand, left alone until the file changes\n    priority  3 here, the default in the file',
  )
  write('jobs.yaml', report.replace('attempts: 5', 'attempts: 6'))
  const changed = await run('diff -f jobs.yaml')
  expect(changed.code).toBe(7)
  expect(changed.stdout).toBe('~ nightly-report  updated\n    retry.attempts  5 -> 6\n')
  expect(changed.stderr).toContain(
    '1 job of file:jobs no longer in it, left as they are: poll. --prune deletes them.',
  )
  expect(await json('diff -f jobs.yaml --prune')).toMatchObject({
    dryRun: true,
    updated: ['nightly-report'],
    deleted: ['poll'],
    changes: [
      {
        job: 'nightly-report',
        becomes: 'updated',
        fields: [{ field: 'retry.attempts', before: 5, after: 6 }],
      },
      { job: 'poll', becomes: 'deleted' },
    ],
  })
  expect(await json('apply -f jobs.yaml --prune')).toMatchObject({
    updated: ['nightly-report'],
    deleted: ['poll'],
  })
})

test('colours are for a terminal only', async () => {
  const { run } = opened()
  expect((await run('apply -f jobs.yaml --dry-run', { tty: true })).stdout).toContain(
    '\u001b[32m+ nightly-report\u001b[39m',
  )
  expect((await run('apply -f jobs.yaml --dry-run')).stdout).not.toContain('\u001b')
})

test('every mistake is named by file, line and column, and nothing is written', async () => {
  const { run } = opened({
    'jobs.yaml': 'jobs:\n  - name: good\n  - name: bad\n    retry:\n      attemps: 5\n  - name: "no!"\n',
  })
  const { code, stderr } = await run('apply -f jobs.yaml')
  expect(code).toBe(2)
  expect(stderr.split('\n')).toEqual([
    'jobs.yaml:5:7 Job "bad" has the unknown option "retry.attemps".',
    '  → Did you mean "attempts"?',
    'jobs.yaml:6:5 "no!" is not a valid job name.',
    expect.stringContaining('Use letters, digits') as string,
    '✗ jobs.yaml:5:7: 2 problems; nothing was written.',
    '  → Solve them, and run it again.',
    '',
  ])
  const asJson = await run('apply -f jobs.yaml --json')
  expect(JSON.parse(asJson.stdout)).toMatchObject({
    refused: [
      { file: 'jobs.yaml', line: 5, column: 7, job: 'bad', code: 'invalid_definition' },
      { file: 'jobs.yaml', line: 6, column: 5, job: 'no!' },
    ],
  })
  expect(errorOf(asJson)).toMatchObject({ code: 'invalid_definition', field: 'jobs.yaml:5:7' })
  expect(JSON.parse((await run('jobs list --json')).stdout)).toMatchObject({ jobs: [] })
})

test('a folder is one owner: its files are read in order, and a job may move from one to another', async () => {
  const { run, json } = opened({ 'a.yaml': report, 'b.json': '[{ "name": "poll" }]', 'notes.txt': 'nothing' })
  expect(await json('apply -f . --name all')).toMatchObject({
    manager: 'file:all',
    created: ['nightly-report', 'poll'],
  })
  expect(await json('apply -f b.json -f a.yaml --name all')).toMatchObject({
    unchanged: ['poll', 'nightly-report'],
  })
  const several = await run('apply -f a.yaml -f b.json')
  expect(several.code).toBe(2)
  expect(several.stderr).toContain('need a --name')
})

test.each([
  ['apply', 2, 'add -f <file>'],
  ['apply -f none.yaml', 3, 'Cannot read none.yaml'],
  ['apply -f empty', 3, 'has no files that end in'],
  ['apply -f jobs.yaml --name a:b', 2, 'not a valid name'],
  ['diff', 2, 'add -f <file>'],
  ['import json none.json', 3, 'Cannot read none.json'],
])('%s: exit code %i', async (line, code, words) => {
  const { run, cwd } = opened()
  mkdirSync(join(cwd, 'empty'))
  const ran = await run(line)
  expect(ran.code).toBe(code)
  expect(ran.stderr).toContain(words)
})

test('standard input is a file, too', async () => {
  const { cwd } = opened()
  const binary = fileURLToPath(new URL('../../src/cli/evertick.ts', import.meta.url))
  const args = ['apply', '-f', '-', '--name', 'piped', '--json', '--database', 'sqlite:jobs.db']
  const child = spawn(process.execPath, [binary, ...args], { cwd })
  child.stdin.end(both)
  expect(JSON.parse(await text(child.stdout))).toMatchObject({
    manager: 'file:piped',
    created: ['nightly-report', 'poll'],
  })
})

test("a job of somebody else's is a conflict, until it is adopted", async () => {
  const { run } = opened()
  await run('jobs create poll --every 1h')
  const conflict = await run('apply -f jobs.yaml')
  expect(conflict.code).toBe(4)
  expect(conflict.stderr).toContain(
    'jobs.yaml:5:5 Job "poll" is managed by api, not by file:jobs.\n  → Take it over with --adopt',
  )
  expect((await run('apply -f jobs.yaml --adopt --dry-run')).stdout).toContain(
    'managedBy        "api" -> "file:jobs"',
  )
  expect((await run('apply -f jobs.yaml --adopt')).code).toBe(0)
})

test.each(['yaml', 'json'])('export %s, apply it elsewhere, export: the same text', async (format) => {
  const { run, write } = opened()
  await run('apply -f jobs.yaml')
  await run('jobs create by-hand --at 2027-01-01T00:00:00Z --handler mail --tag yes --input {"a":"0x10"}')
  await run('jobs create over --cron @daily')
  await run('jobs cancel over')
  const first = await run(`export ${format}`)
  expect(first.stderr).toContain('Exported 3 jobs, left out 1 that are over')
  write('out.yaml', first.stdout)
  await run('apply -f out.yaml', { database: 'other.db' })
  const second = await run(`export ${format}`, { database: 'other.db' })
  const comments = format === 'yaml' ? '# Left out: over: it is cancelled\n' : ''
  expect(comments + second.stdout).toBe(first.stdout)
})

test('import json makes what export wrote, for nobody; what is there stays, and ends with 7 where it differs', async () => {
  const { run, json, write } = opened()
  await run('apply -f jobs.yaml')
  write('out.json', (await run('export json')).stdout)
  expect(await json('import json out.json')).toMatchObject({
    created: [],
    unchanged: ['nightly-report', 'poll'],
  })
  await run('jobs update poll --priority 9')
  await run('jobs delete nightly-report')
  const again = await run('import json out.json')
  expect(again.code).toBe(7)
  expect(again.stdout).toBe('+ nightly-report  created\n! poll  is there already and differs, left alone\n')
  expect(await json('jobs show nightly-report')).toMatchObject({ managedBy: 'api' })
})
