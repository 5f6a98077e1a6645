/** No batch of ends is written again for ever: what the database will not take stands alone, and the others go on. */
import { expect, onTestFinished, test } from 'vitest'
import { EvertickError } from '../../src/core/error.ts'
import { Evertick } from '../../src/evertick.ts'
import { defineJob } from '../../src/index.ts'
import type { FinishedAttempt, FinishRequest, Store } from '../../src/store/store.ts'
import { quiet } from '../promises/support.ts'

const poison = 'poison'
const isPoison = ({ ending }: FinishedAttempt) => ending.state === 'completed' && ending.result === poison

const refusal = () => Object.assign(new Error('value too long'), { code: 'ER_DATA_TOO_LONG' })
const hangUp = () => new EvertickError('database_unavailable', 'The connection was lost.')

/** Fails the ends that `refuses` says; everything else is written. */
async function open(refuses: (attempts: readonly FinishedAttempt[]) => Error | null) {
  let writes = 0
  const wrap = (store: Store): Store => {
    const finishAttempts = async (request: FinishRequest) => {
      writes += 1
      const error = refuses(request.attempts)
      if (error !== null) throw error
      return await store.work.finishAttempts(request)
    }
    return { ...store, work: { ...store.work, finishAttempts } }
  }
  const told: Record<string, string> = {}
  const evertick = await Evertick.openWith(
    {
      database: 'sqlite::memory:',
      logger: quiet,
      queues: { default: { concurrency: 100 } },
      jobs: [defineJob<string>({ name: 'job', run: ({ input }) => input })],
    },
    { wrap },
  )
  onTestFinished(() => evertick.stop({ timeout: 0 }))
  evertick.on('execution:completed', ({ executionId }) => void (told[executionId] = 'completed'))
  evertick.on('execution:failed', ({ executionId }) => void (told[executionId] = 'failed'))
  return { evertick, told, writes: () => writes }
}

async function runAll(evertick: Evertick, inputs: readonly string[]) {
  const made = await evertick.enqueueMany(inputs.map((input) => ({ job: 'job', input })))
  await evertick.start()
  for (const { id } of made) await evertick.result(id).catch(() => {})
  return await Promise.all(made.map(async ({ id }) => await evertick.executions.get(id)))
}

test.each([
  ['refused by the database', refusal],
  ['answered by hanging up', hangUp],
])(
  'one end that is %s fails with a code, and the others of its batch are written',
  async (_, error) => {
    const { evertick, told } = await open((attempts) => (attempts.some(isPoison) ? error() : null))
    const inputs = Array.from({ length: 20 }, (_, n) => (n === 7 ? poison : 'fine'))
    const ends = await runAll(evertick, inputs)
    expect(ends.map(({ state }) => state)).toEqual(
      inputs.map((input) => (input === poison ? 'failed' : 'completed')),
    )
    expect(ends[7]).toMatchObject({ attempt: 1, error: { code: 'invalid_payload' } })
    expect(ends.map(({ id }) => told[id])).toEqual(ends.map(({ state }) => state))
  },
  60_000,
)

test('a full disk is waited for: what was done is not thrown away', async () => {
  let failures = 0
  const { evertick } = await open(() => {
    failures += 1
    return failures > 12 ? null : new EvertickError('database_full', 'The disk is full.')
  })
  const [end] = await runAll(evertick, ['fine'])
  expect(end).toMatchObject({ state: 'completed', result: 'fine' })
}, 60_000)

test('where not even the failure is taken, the execution is left to its lease, and others go on', async () => {
  const ids = new Set<string>()
  const { evertick, writes } = await open((attempts) => {
    for (const attempt of attempts) if (isPoison(attempt)) ids.add(attempt.id)
    return attempts.some(({ id }) => ids.has(id)) ? refusal() : null
  })
  const refused = new Promise((resolve) => evertick.on('execution:refused', resolve))
  const { id } = await evertick.enqueue('job', poison)
  await evertick.start()
  await refused
  const before = writes()
  expect(await evertick.result((await evertick.enqueue('job', 'fine')).id)).toBe('fine')
  expect(writes()).toBe(before + 1)
  expect((await evertick.executions.get(id)).state).toBe('running')
}, 60_000)
