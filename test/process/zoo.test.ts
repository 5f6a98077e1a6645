/** Isolated handlers of every bad kind beside a thousand good ones. */
import { expect, test } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { descendants, moduleOf, openIsolated } from './isolated-nodes.ts'
import { until } from './until.ts'

const zoo = { handler: moduleOf('zoo'), retry: { attempts: 1 }, overlap: 'allow' } as const
const goodOnes = 1_000

const late = { code: 'timeout' }
const exits = { code: 'handler_crashed', message: /exit code 5/ }
const prints = { code: 'quota_exceeded', message: /quota\.output: .*mb of 1mb/ }

/** What each is to end by. */
const bad = [
  ['thread', 'fill', { code: 'handler_crashed', message: /ran out of memory/ }],
  ['thread', 'exit', exits],
  ['thread', 'abort', { code: 'ERR_WORKER_UNSUPPORTED_OPERATION' }],
  ['thread', 'throwNull', { message: 'null' }],
  ['thread', 'throwThorny', { message: 'unprintable' }],
  ['thread', 'print', prints],
  ['late-thread', 'loop', late],
  // The limit of its heap, or the look at its resident memory: whichever comes first.
  ['process', 'fill', { message: /out of memory|quota\.memory: .*mb of 128mb/ }],
  ['process', 'exit', exits],
  ['process', 'abort', { code: 'handler_crashed', message: /SIGABRT/ }],
  ['process', 'throwNull', { message: 'null' }],
  ['process', 'throwThorny', { message: 'unprintable' }],
  ['process', 'print', prints],
  ['forks', 'fork', { code: 'quota_exceeded', message: /quota\.processes: \d+ of 4/ }],
  ['busy', 'loop', { code: 'quota_exceeded', message: /quota\.cpu: .* of 300ms/ }],
  ['late-process', 'loop', late],
  ['late-process', 'deaf', late],
] as const

test('each bad one costs only itself, all good ones are done, and nothing is left behind', async () => {
  const thread = { ...zoo, isolate: 'thread' } as const
  const apart = { ...zoo, isolate: 'process' } as const
  const { evertick, ended } = await openIsolated(
    [
      defineJob({ name: 'good', ...thread }),
      defineJob({ name: 'good-apart', ...apart }),
      defineJob({ name: 'thread', ...thread, quota: { memory: '64mb', output: '1mb' } }),
      defineJob({ name: 'late-thread', ...thread, timeout: '1s' }),
      defineJob({ name: 'process', ...apart, quota: { memory: '128mb', output: '1mb' } }),
      defineJob({ name: 'forks', ...apart, quota: { processes: 4 } }),
      defineJob({ name: 'busy', ...apart, quota: { cpu: '300ms' } }),
      defineJob({ name: 'late-process', ...apart, timeout: '1s' }),
    ],
    { queues: { default: { concurrency: 6 } } },
  )
  const good = await evertick.enqueueMany(
    Array.from({ length: goodOnes }, (_, number) => ({
      job: number % 2 === 0 ? 'good' : 'good-apart',
      input: { animal: 'good', number },
    })),
  )
  const ends = await Promise.all(bad.map(([job, animal]) => ended(job, { animal })))
  for (const [index, [job, animal, error]] of bad.entries())
    expect({ animal, ...ends[index] }).toMatchObject({ job, animal, state: 'failed', attempt: 1, error })

  for (const [number, { id }] of good.entries()) {
    await evertick.result(id)
    const { result, attempt } = await evertick.executions.get(id)
    expect([result, attempt]).toEqual([number, 1])
  }
  const before = descendants()
  await evertick.stop()
  await until('the last of them to be gone', () => !descendants().some((pid) => before.includes(pid)))
})
