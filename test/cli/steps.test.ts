/** Steps, sleeps and waits on the command line: the same from a database as from a server. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAccess } from '../../src/app/access/open-access.ts'
import { contextOf } from '../../src/app/app-context.ts'
import { apiConfig } from '../../src/app/config/api-config.ts'
import { Evertick } from '../../src/index.ts'
import { secret } from '../http/api-under-test.ts'
import { order } from '../http/order-job.ts'
import { until } from '../process/until.ts'
import { quiet } from '../promises/support.ts'
import { inProcess, type Ran } from './in-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'evertick-steps-'))
const database = `sqlite:${join(folder, 'steps.db')}`
let evertick: Evertick
let env: Readonly<Record<string, string>>

beforeAll(async () => {
  const api = { port: 0, secrets: [secret] }
  evertick = await Evertick.open({ database, jobs: [order], roles: ['worker', 'api'], api, logger: quiet })
  await evertick.start()
  const access = openAccess(contextOf(evertick), apiConfig({ secrets: [secret] }))
  env = { EVERTICK_TOKEN: (await access.createToken({ name: 'tests', role: 'operator' })).token }
})
afterAll(async () => {
  await evertick.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe.each(['database', 'server'])('with a %s', (side) => {
  const run = async (line: string, ...rest: string[]): Promise<Ran> => {
    const where = side === 'database' ? ['--database', database] : ['--url', evertick.url ?? '']
    return await inProcess([...line.split(' '), ...rest, ...where], { cwd: folder, env })
  }
  const shown = async (id: string) => (await run(`executions show ${id}`)).stdout.split('\n')
  const reached = async (id: string, state: string) =>
    await until(state, async () => (await evertick.executions.get(id)).state === state)

  test('a wait is listed, shown, answered with JSON, and run again from its step', async () => {
    const { id } = await evertick.enqueue('order')
    await reached(id, 'waiting')
    expect((await run('executions list --state waiting')).stdout).toMatch(
      new RegExp(`^${id}\torder\t.*\twaiting\tit waits for the signal "approve"$`, 'm'),
    )
    expect((await run(`why ${id}`)).stdout).toContain(`evertick executions signal ${id} approve`)
    const before = await shown(id)
    const heading = before.indexOf('STEP\tWHAT\tOUTCOME\tBEGAN\tTOOK\tTRIES\tRESULT')
    const at = String.raw`\d{4}-\S+Z`
    const [charge, sleep, wait] = before.slice(heading + 1)
    expect(charge).toMatch(new RegExp(`^charge\tstep\tdone\t${at}\t\\d+ ms\t1\t{"charged":7}$`))
    expect(sleep).toMatch(new RegExp(`^cool off\tsleep\tslept\t${at}\t[^\t]+\t\t$`))
    expect(wait).toMatch(new RegExp(`^approve\twait\twaiting\t${at}\t–\t\t$`))

    const wrong = await run(`executions signal ${id} approve`, '{ no')
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Expected JSON')])
    const key = `${side}-1`
    const sent = await run(`executions signal ${id} approve --id ${key}`, '{"ok":true}')
    expect(sent).toMatchObject({ code: 0, stderr: expect.stringContaining('Signalled.') as string })
    const again = await run(`executions signal ${id} approve --id ${key} --json`, '{"ok":true}')
    expect(JSON.parse(again.stdout)).toEqual({ executionId: id, taken: false })
    await reached(id, 'completed')
    const who = side === 'database' ? '(?!cli:)\\S+' : 'token:tests'
    expect((await shown(id)).find((line) => line.startsWith('approve\t'))).toMatch(
      new RegExp(`^approve\twait\tsignalled by ${who}\t${at}\t[^\t]+\t\t{"ok":true}$`),
    )
    expect((await run(`executions signal ${id} approve`)).code).toBe(4)

    const retried = await run(`executions retry ${id} --from-step ship`)
    const made = retried.stdout.trim()
    await reached(made, 'completed')
    expect((await evertick.executions.get(made)).result).toMatchObject({ payload: { ok: true } })
    const [one, other] = [await evertick.executions.get(id), await evertick.executions.get(made)]
    expect(other.steps.slice(0, 3)).toEqual(one.steps.slice(0, 3))
    expect((await run(`executions retry ${id} --from-step pack`)).code).toBe(2)
  })
})

test('on a terminal the steps are bars over time', async () => {
  const { id } = await evertick.enqueue('order')
  await until('the wait', async () => (await evertick.executions.get(id)).state === 'waiting')
  const flags = ['executions', 'show', id, '--database', database]
  const { stdout } = await inProcess(flags, { cwd: folder, env, tty: true })
  expect(stdout).toMatch(/charge +step +\S*█/)
  expect(stdout).toMatch(/cool off +sleep +\S*─/)
  expect(stdout).toMatch(/approve +wait +\S*╌/)
})
