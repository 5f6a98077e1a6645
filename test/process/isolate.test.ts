import { describe, expect, it } from 'vitest'
import { defineJob, EvertickError } from '../../src/index.ts'
import { descendants, modes, moduleOf, openIsolated, worksJob } from './isolated-nodes.ts'
import { until } from './until.ts'

const other = defineJob({ name: 'other' })
const once = { attempts: 1 }

describe.each(modes)('a handler in its own %s', (isolate) => {
  it('finds all of ctx', async () => {
    const { evertick, ended } = await openIsolated([worksJob({ isolate }), other])
    const plain = await ended('works', { do: 'plain' }, { metadata: { team: 'money' } })
    expect(plain.error).toBe(null)
    expect(plain.result).toMatchObject({
      input: { do: 'plain' },
      scheduledFor: plain.scheduledFor.toISOString(),
      cause: 'enqueue',
      caughtUp: null,
      attempt: 1,
      idempotencyKey: plain.idempotencyKey,
      executionId: plain.id,
      job: 'works',
      metadata: { team: 'money' },
      isDate: true,
      aborted: false,
    })
    const told: object[] = []
    evertick.on('execution:progress', ({ progress, note }) => told.push({ progress, note }))
    const logged = await ended('works', { do: 'log' })
    await until('the log', async () => (await evertick.executions.logs(logged.id)).length === 3)
    const lines = (await evertick.executions.logs(logged.id)).map(
      ({ level, message }) => `${level}: ${message}`,
    )
    expect(lines.toSorted()).toEqual([
      'info: printed',
      'info: said {"by":"log"}',
      'warn: printed as an error',
    ])
    expect(told).toEqual([{ progress: 0.5, note: 'half' }])
    const { result } = await ended('works', { do: 'enqueue' })
    const { id } = result as { id: string }
    expect(result).toEqual({ id, created: true })
    expect(await evertick.executions.get(id)).toMatchObject({ job: 'other', input: { from: 'afar' } })
  })

  it('has secrets, which are taken out of all that is left of its run', async () => {
    const { evertick, ended } = await openIsolated([worksJob({ isolate, retry: once })])
    await evertick.secrets.set('key', 'canary-7f3a9c')
    const opened = await ended('works', { do: 'secret' })
    expect(opened).toMatchObject({ state: 'completed', result: { key: '[redacted]', length: 13 } })
    await until('the log', async () => (await evertick.executions.logs(opened.id)).length === 2)
    const failed = await ended('works', { do: 'secretInError' })
    expect(failed).toMatchObject({ state: 'failed', error: { message: 'with [redacted]' } })
    const left = [opened, failed, await evertick.executions.logs(opened.id)]
    expect(JSON.stringify(left)).not.toContain('canary')
  })

  it('is refused what cannot cross, with the next step', async () => {
    const { ended } = await openIsolated([worksJob({ isolate, retry: once }), other])
    const refused = { state: 'failed', error: { code: 'invalid_option' } }
    for (const asked of ['client', 'enqueueWithTx', 'enqueueFunction', 'stepClient', 'sleep'])
      expect(await ended('works', { do: asked })).toMatchObject(refused)
    expect(await ended('works', { do: 'circular' })).toMatchObject({ state: 'completed', result: null })
  })

  it('commits by ctx.transaction, or not at all', async () => {
    const { file, ended } = await openIsolated([worksJob({ isolate, onCrash: 'fail', retry: once })])
    file.sql('CREATE TABLE orders (number INTEGER NOT NULL, execution_id TEXT NOT NULL)')
    expect(await ended('works', { do: 'transaction' })).toMatchObject({
      state: 'completed',
      result: { number: 7 },
    })
    expect(await ended('works', { do: 'badSql' })).toMatchObject({ error: { message: /nowhere/ } })
    expect(await ended('works', { do: 'dieInTransaction' })).toMatchObject({
      state: 'failed',
      error: { code: 'handler_crashed', message: /exit code 4/ },
    })
    expect(file.sql('SELECT number FROM orders')).toEqual([{ number: 7 }])
  })

  it('goes on behind the steps that were done when its child died', async () => {
    const { file, ended } = await openIsolated([worksJob({ isolate, retry: { attempts: 2, base: '10ms' } })])
    file.sql('CREATE TABLE orders (number INTEGER NOT NULL, execution_id TEXT NOT NULL)')
    expect(await ended('works', { do: 'steps' })).toMatchObject({
      state: 'completed',
      attempt: 2,
      result: { tries: 1, aborted: false },
      steps: [
        { name: 'one', attempt: 1 },
        { name: 'two', attempt: 1 },
      ],
    })
    expect(file.sql('SELECT number FROM orders')).toEqual([{ number: 9 }])
  })

  it('ends as it says: by an outcome, or by an error with its name, stack and code', async () => {
    const { ended } = await openIsolated([worksJob({ isolate, retry: once })])
    const snoozed = await ended('works', { do: 'snooze' })
    expect(snoozed).toMatchObject({ state: 'completed', result: 1 })
    expect(snoozed.attempts.map(({ outcome }) => outcome)).toEqual(['snoozed', 'completed'])
    expect(await ended('works', { do: 'fail' })).toMatchObject({
      state: 'failed',
      error: { message: 'no use' },
    })
    const { error } = await ended('works', { do: 'throw' })
    expect(error).toMatchObject({ name: 'TypeError', message: 'strange', code: 'E_STRANGE' })
    expect(error?.stack).toMatch(/works\.ts/)
  })

  it('is kept warm from run to run', async () => {
    const { ended } = await openIsolated([worksJob({ isolate })])
    const counts: unknown[] = []
    for (let run = 0; run < 3; run += 1) counts.push((await ended('works', { do: 'runs' })).result)
    expect(counts).toEqual([1, 2, 3])
  })

  it('may end all of it: that is a crash, and onCrash decides', async () => {
    const jobs = [
      worksJob({ isolate, retry: { attempts: 2, base: '10ms' } }),
      worksJob({ name: 'once', isolate, onCrash: 'fail' }),
    ]
    const { ended } = await openIsolated(jobs)
    const crashed = await ended('works', { do: 'exit' })
    expect(crashed).toMatchObject({
      state: 'failed',
      error: { code: 'handler_crashed', message: /exit code 3/ },
    })
    expect(crashed.attempts.map(({ outcome }) => outcome)).toEqual(['crashed', 'crashed'])
    const once = await ended('once', { do: 'uncaught' })
    expect(once.error?.message).toMatch(/RangeError: nobody caught this/)
    expect(once.attempts.map(({ outcome }) => outcome)).toEqual(['crashed'])
    expect(await ended('works', { do: 'runs' })).toMatchObject({ state: 'completed' })
  })

  it('is ended for real by its timeout, which is a timeout', async () => {
    const { ended } = await openIsolated([
      worksJob({ isolate, timeout: '200ms', retry: once, onCrash: 'fail' }),
    ])
    for (const asked of ['loop', 'heed']) {
      const late = await ended('works', { do: asked })
      expect(late).toMatchObject({ state: 'failed', error: { code: 'timeout' } })
      expect(late.attempts.map(({ outcome }) => outcome)).toEqual(['failed'])
    }
    expect(await ended('works', { do: 'runs' })).toMatchObject({ state: 'completed' })
  })

  it('is ended for real by a cancel, and by the stop of its node', async () => {
    const { evertick, ended } = await openIsolated([worksJob({ isolate })])
    await ended('works', { do: 'runs' })
    const { id } = await evertick.enqueue('works', { do: 'loop' })
    await until('the run', () => evertick.running === 1)
    await evertick.executions.cancel(id)
    await evertick.result(id).catch(() => {})
    expect(await evertick.executions.get(id)).toMatchObject({ state: 'cancelled', cancelReason: 'operator' })
    await evertick.enqueue('works', { do: 'loop' })
    await until('the run', () => evertick.running === 1)
    const before = descendants()
    await evertick.stop({ timeout: 0 })
    expect(descendants().filter((pid) => before.includes(pid))).toEqual([])
  })

  it('is ended for real where its lease has passed to another worker', async () => {
    const { evertick, file, ended } = await openIsolated([worksJob({ isolate })], { worker: { lease: '1s' } })
    await ended('works', { do: 'runs' })
    await evertick.enqueue('works', { do: 'loop' })
    await until('the run', () => evertick.running === 1)
    const before = descendants()
    file.sql("UPDATE evertick_job_executions SET fence = fence + 1 WHERE state = 'running'")
    await until('its end', () => evertick.running === 0)
    expect(descendants().filter((pid) => before.includes(pid))).toEqual([])
  })
})

it('needs a module that exports handler, and says so', async () => {
  const { ended } = await openIsolated([
    worksJob({ handler: moduleOf('no-handler'), retry: { attempts: 3 } }),
  ])
  const refused = await ended('works')
  expect(refused).toMatchObject({ state: 'failed', attempt: 1, error: { code: 'invalid_definition' } })
  expect(refused.error?.message).toMatch(/no-handler\.ts exports no function named handler, but run/)
})

describe('a definition is refused, with the next step', () => {
  const file = moduleOf('works')
  const wrong = [
    ['isolate without a module', { isolate: 'thread' }, 'handler'],
    ['a module without isolate', { handler: file }, 'isolate'],
    ['a module beside run', { handler: file, isolate: 'thread', run: () => {} }, 'run'],
    ['an unknown way', { handler: file, isolate: 'planet' }, 'isolate'],
    [
      'a module that is no file',
      { handler: new URL('https://example.com/a.js'), isolate: 'thread' },
      'handler',
    ],
    ['the path of a module', { handler: './works.ts', isolate: 'thread' }, 'handler'],
  ] as const
  it.each(wrong)('%s', (_, options, field) => {
    const refused = (): unknown => defineJob({ name: 'works', ...options } as never)
    expect(refused).toThrow(EvertickError)
    expect(refused).toThrow(
      expect.objectContaining({ code: 'invalid_definition', field, next: expect.any(String) as string }),
    )
  })
})
