/** Flows and batches on the command line: the same from a database as from a server. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAccess } from '../../src/app/access/open-access.ts'
import { contextOf } from '../../src/app/app-context.ts'
import { apiConfig } from '../../src/app/config/api-config.ts'
import { defineJob, Evertick } from '../../src/index.ts'
import { secret } from '../http/api-under-test.ts'
import { until } from '../process/until.ts'
import { quiet } from '../promises/support.ts'
import { inProcess, type Ran } from './in-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'evertick-flows-'))
const database = `sqlite:${join(folder, 'flows.db')}`
const link = defineJob<boolean>({
  name: 'link',
  retry: { attempts: 1 },
  run: async (ctx) => {
    if (!(ctx.input ?? true)) throw new Error('no')
  },
})
let evertick: Evertick
let env: Readonly<Record<string, string>>

beforeAll(async () => {
  const api = { port: 0, secrets: [secret] }
  evertick = await Evertick.open({ database, jobs: [link], roles: ['worker', 'api'], api, logger: quiet })
  await evertick.start()
  const access = openAccess(contextOf(evertick), apiConfig({ secrets: [secret] }))
  env = { EVERTICK_TOKEN: (await access.createToken({ name: 'tests', role: 'operator' })).token }
})
afterAll(async () => {
  await evertick.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe.each(['database', 'server'])('with a %s', (side) => {
  const run = async (line: string): Promise<Ran> => {
    const where = side === 'database' ? ['--database', database] : ['--url', evertick.url ?? '']
    return await inProcess([...line.split(' '), ...where], { cwd: folder, env })
  }

  test('a flow is listed, shown as a tree, and retried', async () => {
    const { id } = await evertick.flow({
      name: `nightly-${side}`,
      steps: {
        fetch: { job: link, input: true },
        parse: { job: link, input: false, after: ['fetch'] },
        check: { job: link, input: true, after: ['fetch'] },
        store: { job: link, input: true, after: ['parse', 'check'] },
      },
    })
    await until('failed', async () => (await evertick.flows.get(id)).state === 'failed')
    expect((await run(`flows list --name nightly-${side}`)).stdout).toContain(
      `${id}\tnightly-${side}\tfailed\t2 of 4 completed, 1 failed, 1 cancelled\t`,
    )
    const shown = await run(`flows show ${id}`)
    const steps = shown.stdout.split('\n').map((line) => line.split('\t').slice(0, 3).join(' '))
    const heading = steps.indexOf('STEP JOB STATE')
    expect(steps.slice(heading + 1, heading + 5)).toEqual([
      'fetch link completed',
      '├─ parse link failed',
      '│  └─ store (and after check) link cancelled',
      '└─ check link completed',
    ])
    expect(shown.stderr).toContain(`evertick flows retry ${id}`)
    expect((await run(`flows retry ${id} --from check`)).code).toBe(0)
    await until('again', async () => (await evertick.flows.get(id)).steps[2]?.state === 'completed')
    const wrong = await run(`flows retry ${id} --from chekc`)
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('has no step "chekc"')])
    expect((await run('flows show nobody')).code).toBe(3)
  })

  test('a batch is listed, and shown with what follows it', async () => {
    const items = [{ job: link, input: true }]
    const { id } = await evertick.enqueueMany(items, { batch: { name: `many-${side}`, onDone: link } })
    await until('done', async () => (await evertick.batches.get(id)).doneAt !== null)
    const { onDoneId } = await evertick.batches.get(id)
    expect((await run('batches list')).stdout).toContain(`${id}\tmany-${side}\t1 of 1 completed\t`)
    expect((await run(`batches show ${id}`)).stdout).toContain(`follows  ${onDoneId}`)
    expect((await run('batches show nobody')).code).toBe(3)
  })
})
