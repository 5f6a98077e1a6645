/** Failures are heard: one line each in the log, also where nobody gave a logger. */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { defineJob, EnhancedScheduler, Evertick, type Logger, PersistentScheduler } from '../../src/index.ts'
import { ManualClock } from '../../src/testing/index.ts'
import { databaseFile, openNode, pass, quiet, SharedClock, t0 } from './support.ts'

function kept(): { logger: Logger; lines: string[] } {
  const lines: string[] = []
  const say = (level: string) => (message: string) => void lines.push(`${level}: ${message}`)
  const [warn, error] = [say('warn'), say('error')]
  return { lines, logger: { ...quiet, warn, error } }
}

describe('one line each', () => {
  it('for a failed attempt, with the next try, and for the final failure', async () => {
    const { logger, lines } = kept()
    const run = () => {
      throw new Error('no disk\n  left')
    }
    const job = defineJob({ name: 'report', retry: { attempts: 2, base: '10s', jitter: 0 }, run })
    const node = await openNode({ logger, jobs: [job] })
    const { id } = await node.evertick.enqueue('report')
    await node.advance('1m')
    expect(lines).toEqual([
      `warn: report failed, attempt 1 of 2, execution ${id}: no disk left. It is tried again at 2026-01-01T00:00:10.000Z.`,
      `error: report failed, attempt 2 of 2, execution ${id}: no disk left. It is not tried again.`,
    ])
  })

  it('and none for what succeeds or is put off', async () => {
    const { logger, lines } = kept()
    const node = await openNode({ logger, jobs: [defineJob({ name: 'good', run: () => 'well' })] })
    await node.evertick.enqueue('good')
    await node.advance('1m')
    expect(lines).toEqual([])
  })

  it('for a lead that is waited for: by whom it is held, and until when', async () => {
    const { url } = databaseFile()
    const clock = new SharedClock(t0)
    const leader = { lease: '10s', heartbeat: '3s' } as const
    const first = await openNode({ database: url, clock, leader, nodeId: 'first' })
    const { logger, lines } = kept()
    const second = await openNode({ database: url, clock, leader, nodeId: 'second', logger })
    await pass([first, second], clock, '1m')
    expect(lines).toEqual([
      'warn: Waiting for the lead, held by first until 2026-01-01T00:00:10.000Z unless it is renewed',
    ])
  })

  it('for a failed sync', async () => {
    const { logger, lines } = kept()
    const clock = new ManualClock(t0)
    const fetchSchedules = () => {
      throw new Error('the API is away')
    }
    const scheduler = new EnhancedScheduler({
      database: databaseFile().url,
      clock,
      logger,
      enableApiSync: true,
      fetchSchedules,
      execute: () => null,
    })
    onTestFinished(() => scheduler.stop())
    await scheduler.start()
    await vi.waitFor(() => expect(lines.join('\n')).toContain('the API is away'), 10_000)
    expect(lines[0]).toMatch(
      /^warn: .* failed, attempt 1 of 5, execution .*: the API is away\. It is tried again at /,
    )
  })
})

it('a library that was given no logger says it on standard error, without secrets', async () => {
  vi.stubEnv('EVERTICK_LOG_LEVEL', undefined)
  const written: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  const run = () => {
    throw new Error('could not reach https://user:hunter2@shop.example/')
  }
  const evertick = await Evertick.open({
    database: 'sqlite::memory:',
    jobs: [defineJob({ name: 'report', run })],
  })
  onTestFinished(() => evertick.stop())
  await evertick.start()
  const failed = new Promise<void>((resolve) => evertick.on('execution:failed', () => resolve()))
  await evertick.enqueue('report', undefined)
  await failed
  const lines = written.filter((line) => line.includes('report failed, attempt'))
  expect(lines.length).toBeGreaterThan(0)
  expect(lines.join('')).toContain('could not reach')
  expect(written.join('')).not.toContain('hunter2')
})

it('a task whose failure its scheduler tells is not told twice', async () => {
  const { logger, lines } = kept()
  const scheduler = new PersistentScheduler({ stateFile: `${databaseFile().path}.json`, logger })
  onTestFinished(() => scheduler.shutdown())
  const failed = Promise.withResolvers<void>()
  const evertick = await scheduler.evertick
  evertick.on('execution:failed', () => failed.resolve())
  const task = () => {
    throw new Error('no disk')
  }
  await scheduler.schedule({ name: 'a', schedule: '* * * * * *', task })
  await failed.promise
  await scheduler.stopJob('a')
  expect(lines.filter((line) => line.includes('attempt'))).toEqual([])
  expect(lines[0]).toContain('a failed')
})
