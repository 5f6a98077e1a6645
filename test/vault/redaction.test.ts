/** What a handler has opened by `ctx.secrets` is found in nothing that is kept or told of its run. */
import { expect, onTestFinished, test } from 'vitest'
import { defineJob, type JobContext, outcome } from '../../src/index.ts'
import { openTestNode, runJob } from '../../src/testing/index.ts'

const canary = 'canary 7f3a/9c+"x"'
const bytes = Buffer.from(canary)
const spellings = [
  canary,
  bytes.toString('base64').replace(/=+$/, ''),
  bytes.toString('base64url'),
  bytes.toString('hex'),
  bytes.toString('hex').toUpperCase(),
  encodeURIComponent(canary),
  encodeURIComponent(canary).replaceAll('%20', '+'),
  JSON.stringify(canary).slice(1, -1),
]
const said = spellings.join(' | ')

/** Runs it once on a node that has the secret, and returns all that is left of it, as one text. */
async function leftBy(run: (context: JobContext) => unknown) {
  const node = await openTestNode({ jobs: [defineJob({ name: 'a', retry: { attempts: 1 }, run })] })
  onTestFinished(() => node.stop())
  const told: unknown[] = []
  for (const event of ['completed', 'failed', 'cancelled', 'retrying', 'progress', 'step'] as const)
    node.evertick.on(`execution:${event}`, (data) => void told.push(data))
  await node.evertick.secrets.set('key', canary)
  const { id } = await node.evertick.jobs.trigger('a')
  await node.advance('5s')
  const execution = await node.evertick.executions.get(id)
  const logs = await node.evertick.executions.logs(id)
  const text = JSON.stringify([execution, logs, told])
  return {
    execution,
    logs,
    found: spellings.filter((spelling) => text.includes(JSON.stringify(spelling).slice(1, -1))),
  }
}

const get = async ({ secrets }: JobContext) => await secrets.get('key')

test.each<[string, (context: JobContext) => unknown, string]>([
  ['its result', async (ctx) => ({ [await get(ctx)]: [said, { deep: said }] }), 'completed'],
  ['an error', async (ctx) => Promise.reject(new Error(`${await get(ctx)} ${said}`)), 'failed'],
  ['a failure that it says', async (ctx) => outcome.fail(`${await get(ctx)} ${said}`), 'failed'],
  ['a cancel', async (ctx) => outcome.cancel(`${await get(ctx)} ${said}`), 'cancelled'],
  [
    'its log and progress',
    async (ctx) => {
      ctx.log.info(await get(ctx), { said })
      await ctx.progress(0.5, said)
    },
    'completed',
  ],
  [
    'a transaction',
    async (ctx) => {
      const key = await get(ctx)
      return await ctx.transaction(async () => ({ key, said }))
    },
    'completed',
  ],
  [
    'an error after its transaction',
    async (ctx) => {
      const key = await get(ctx)
      await ctx.transaction(async () => 'done')
      throw new Error(`${key} ${said}`)
    },
    'completed',
  ],
  [
    'an error of a step',
    async (ctx) => {
      const key = await get(ctx)
      await ctx.step('s', () => Promise.reject(new Error(`${key} ${said}`)))
    },
    'failed',
  ],
])('a secret is in no spelling in %s', async (_, run, state) => {
  const left = await leftBy(run)
  expect(left.execution.state).toBe(state)
  expect(left.found).toEqual([])
})

test('what was not a secret stays', async () => {
  const { execution, logs } = await leftBy(async (ctx) => {
    const key = await get(ctx)
    ctx.log.info(`with ${key}, money`)
    return { key, team: 'money', rows: 7, none: null }
  })
  expect(execution.result).toEqual({ key: '[redacted]', team: 'money', rows: 7, none: null })
  expect(logs.map(({ message }) => message)).toEqual(['with [redacted], money'])
})

test('a step that returns a secret is refused: its memo would be the secret, or would lack it', async () => {
  const { execution, found } = await leftBy(async (ctx) => {
    const key = await get(ctx)
    await ctx.step('fine', () => 'money')
    return await ctx.step('leaks', () => ({ header: `Bearer ${key}` }))
  })
  expect(execution).toMatchObject({ state: 'failed', error: { code: 'invalid_payload' } })
  expect(execution.error?.message).toContain('Step "leaks" returned a secret')
  expect(execution.steps).toMatchObject([{ name: 'fine', result: 'money' }])
  expect(found).toEqual([])
})

test('a number that is a secret is taken out of a result as one', async () => {
  const run = async ({ secrets }: JobContext) => {
    const pin = await secrets.get('pin')
    return { pin: Number(pin), rows: 7 }
  }
  const node = await openTestNode({ jobs: [defineJob({ name: 'a', run })] })
  onTestFinished(() => node.stop())
  await node.evertick.secrets.set('pin', '483920')
  const { id } = await node.evertick.jobs.trigger('a')
  await node.settle()
  expect((await node.evertick.executions.get(id)).result).toEqual({ pin: '[redacted]', rows: 7 })
})

test('a name that nobody has set fails the attempt with its code', async () => {
  const { execution } = await leftBy(async ({ secrets }) => await secrets.get('other'))
  expect(execution).toMatchObject({ state: 'failed', error: { code: 'secret_missing' } })
  expect(execution.error?.message).toBe('No secret is named "other".')
})

test('runJob gives the secrets that it was passed, and no others', async () => {
  const job = defineJob({ name: 'a', run: get })
  expect(await runJob(job, { secrets: { key: 'abc' } })).toMatchObject({ outcome: 'done', result: 'abc' })
  expect(await runJob(job)).toMatchObject({
    outcome: 'error',
    error: { message: 'No secret is named "key".' },
  })
})
