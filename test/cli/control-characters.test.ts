/**
 * Whatever stands in a job, a log or a name: no command writes a character that steers a terminal, turns the direction of
 * writing or hides. The commands are those of the program, so that a new one is tried, too.
 */
/* oxlint-disable no-control-regex -- that none of them is written is the promise */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jsonLogger } from '../../src/app/log/json-logger.ts'
import { Terminal } from '../../src/cli/output/terminal.ts'
import { createProgram } from '../../src/cli/program.ts'
import { streamLogger } from '../../src/cli/stream-logger.ts'
import { defineJob } from '../../src/index.ts'
import { openTestNode } from '../../src/testing/index.ts'
import { inProcess, type Ran } from './in-process.ts'
import { tempFolder } from './run-cli.ts'

/** Clears the screen, sets its title, rewrites a line, colours, turns around, hides; then a line that looks like ours. */
const evil =
  '\u001b[2J\u001b]0;owned\u0007\r\u001b[31mred\u009b5m\u007f\b\u202elive\u2066x\u2069\u200e\u200f\u061c\u200b\ufeff\u2028\u2029\n✓ forged\tcell'

/** By the promise, not by our own list. */
const steering =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/

/** They do not end by themselves, ask a person, or take the database away. */
const leftOut = ['init', 'start', 'worker', 'events', 'migrate down', 'login']

/** The others still need the job. */
const ends = ['jobs delete', 'jobs cancel', 'rm']

function pathsOf(command: Command, path: readonly string[] = []): { path: string[]; takes: string[] }[] {
  if (command.commands.length > 0)
    return command.commands.flatMap((one) => pathsOf(one, [...path, one.name()]))
  return [
    {
      path: [...path],
      takes: command.registeredArguments.flatMap((one) => (one.required ? [one.name()] : [])),
    },
  ]
}

const terminal = new Terminal(process.stdout, process.stderr, false)
const commands = pathsOf(createProgram({ terminal, env: {}, cwd: '.', exitCode: 0 })).filter(
  ({ path }) => !leftOut.includes(path.join(' ')),
)

describe('no command', () => {
  const folder = tempFolder()
  const database = `sqlite:${join(folder, 'evil.db')}`
  const at = { cwd: folder, env: { EVERTICK_DATABASE_URL: database } }
  /** A value for each argument that a command takes. */
  const known: Record<string, string> = {
    job: 'evil',
    expression: '0 * * * *',
    shell: 'bash',
    name: 'default',
  }

  beforeAll(async () => {
    const jobs = ['evil', 'spare'].map((name) =>
      defineJob({
        name,
        schedule: { every: '1m' },
        description: evil,
        tags: [evil],
        metadata: { note: evil, crontab: { command: evil, user: evil } },
        retry: { attempts: 1 },
        run: async (ctx) => {
          ctx.log.info(evil)
          await ctx.progress(0.5, evil)
          throw new Error(evil)
        },
      }),
    )
    const node = await openTestNode({ database, jobs, nodeId: `node ${evil}` })
    const { evertick } = node
    await node.advance('3m')
    const { id } = await evertick.jobs.trigger('evil', {
      input: evil,
      metadata: { evil },
      actor: evil,
      origin: evil,
    })
    await node.advance('2s')
    known['id'] = id
    await evertick.jobs.create({
      name: 'asks',
      handler: { type: 'command', command: '/bin/echo', args: [evil] },
    })
    await evertick.jobs.pause('evil', { reason: evil, actor: evil })
    await evertick.queues.pause('default', { reason: evil, actor: evil })
    await evertick.locks.acquire(`lock ${evil}`, { ttl: '10d' })
    await node.stop()
    await inProcess(['token', 'create', '--role', 'viewer', '--name', evil], at)
    writeFileSync(join(folder, 'crontab'), `# ${evil}\n0 * * * * run ${evil}\n@reboot ${evil}\n`)
    known['file'] = 'crontab'
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** Without our own colours, and on standard error without the bar that rewrites its line. */
  const seen = ({ stdout, stderr }: Ran) =>
    `${stdout}${stderr.replaceAll(/\r(?=[A-Z\u001b])/g, '').replaceAll('\u001b[2K', '')}`
      .replaceAll('\u001b[31mred', '\u001b')
      .replaceAll(/\u001b\[(?:1|22|3[1-6]|39|90)m/g, '')

  const json: Record<string, Ran> = {}

  describe.each(commands.map(({ path, takes }) => [path.join(' '), path, takes] as const))(
    '%s',
    (name, path, takes) => {
      test('steers a terminal', async () => {
        const spare = ends.includes(name) ? { ...known, job: 'spare' } : known
        const args = [...path, ...takes.map((argument) => spare[argument] ?? evil)]
        json[name] = await inProcess([...args, '--json'], at)
        const all = [json[name], await inProcess(args, at), await inProcess(args, { ...at, tty: true })]
        if (takes.length > 0) {
          const echoed = [...path, ...takes.map(() => evil)]
          all.push(await inProcess(echoed, { ...at, tty: true }), await inProcess([...echoed, '--json'], at))
        }
        for (const ran of all) expect(seen(ran)).not.toMatch(steering)
      })
    },
  )

  test('changes what a program reads: of JSON it is the same data', () => {
    const telling = [
      'jobs show',
      'executions show',
      'executions logs',
      'audit-log',
      'locks list',
      'queues list',
    ]
    for (const name of [...telling, 'leader terms', 'token list', 'export crontab']) {
      const { stdout } = json[name] ?? { stdout: 'null' }
      const texts: string[] = []
      JSON.parse(stdout, (_, value: unknown) => (typeof value === 'string' ? void texts.push(value) : value))
      const raw = name === 'export crontab' ? String.raw`\u202elive` : evil
      expect([name, texts.some((text) => text.includes(raw))]).toEqual([name, true])
    }
  })

  test('breaks a table or a line of ours', async () => {
    for (const args of [
      ['jobs', 'show', 'evil'],
      ['locks', 'list'],
      ['token', 'list'],
      ['executions', 'logs', known['id'] ?? ''],
    ]) {
      const { stdout } = await inProcess(args, { ...at, tty: true })
      expect(stdout).toContain(String.raw`\u001b[2J`)
      expect(stdout.split('\n').filter((line) => line.startsWith('✓ forged'))).toEqual([])
    }
  })
})

test('no line of the log steers a terminal, and as JSON it is the same data', () => {
  const lines: string[] = []
  jsonLogger(
    () => 'info',
    (line) => lines.push(line),
  ).warn(evil, { note: evil, error: new Error(evil) })
  const [line = ''] = lines
  expect(line).not.toMatch(steering)
  expect(JSON.parse(line)).toMatchObject({ msg: evil, note: evil })
  const written: string[] = []
  const stream = {
    isTTY: true,
    hasColors: () => false,
    on: () => {},
    write: (text: string) => written.push(text),
  }
  const err = stream as unknown as NodeJS.WriteStream
  streamLogger(new Terminal(err, err, false), 'debug').error(evil, { error: new Error(evil) })
  expect(written.join('')).toContain('forged')
  expect(written.join('')).not.toMatch(steering)
})
