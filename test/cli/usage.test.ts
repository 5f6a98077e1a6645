/** What an attempt used on the command line: the same from a database as from a server. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAccess } from '../../src/app/access/open-access.ts'
import { contextOf } from '../../src/app/app-context.ts'
import { apiConfig } from '../../src/app/config/api-config.ts'
import { defineJob, Evertick } from '../../src/index.ts'
import { program } from '../handlers/command-node.ts'
import { secret } from '../http/api-under-test.ts'
import { quiet } from '../promises/support.ts'
import { inProcess } from './in-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'evertick-usage-'))
const database = `sqlite:${join(folder, 'usage.db')}`
let evertick: Evertick
let env: Readonly<Record<string, string>>

beforeAll(async () => {
  const command = program(
    `#!${process.execPath}\nconst all = Buffer.alloc(1e8, 1); setTimeout(() => all, 600)\n`,
    folder,
  )
  const api = { port: 0, secrets: [secret] }
  const jobs = [defineJob({ name: 'plain', run: () => 7 })]
  const allowCommands = [command]
  evertick = await Evertick.open({
    database,
    jobs,
    allowCommands,
    roles: ['worker', 'api'],
    api,
    logger: quiet,
  })
  await evertick.start()
  await evertick.jobs.create({ name: 'command', handler: { type: 'command', command } })
  const access = openAccess(contextOf(evertick), apiConfig({ secrets: [secret] }))
  env = { EVERTICK_TOKEN: (await access.createToken({ name: 'tests', role: 'viewer' })).token }
})
afterAll(async () => {
  await evertick.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe.each(['database', 'server'])('with a %s', (side) => {
  const shown = async (job: string): Promise<string[]> => {
    const { id } = await evertick.enqueue(job)
    await evertick.result(id, { timeout: '50s' })
    const where = side === 'database' ? ['--database', database] : ['--url', evertick.url ?? '']
    const { stdout } = await inProcess(['executions', 'show', id, ...where], { cwd: folder, env })
    return stdout.split('\n')
  }

  test('a command has its columns', async () => {
    const lines = await shown('command')
    const heading = lines.indexOf('ATTEMPT\tOUTCOME\tSTARTED\tTOOK\tPEAK MEMORY\tCPU\tNODE\tERROR')
    expect(lines[heading + 1]).toMatch(/^1\tcompleted\t[^\t]+\t[^\t]+\t\d{3}(?:\.\d)?mb\t[\d.]+ m?s\t/)
  })

  test('a function has none', async () => {
    expect(await shown('plain')).toContain('ATTEMPT\tOUTCOME\tSTARTED\tTOOK\tNODE\tERROR')
  })
})
