/** What somebody meets in the first hour: slips are told where they are made, and a node that was not started says so. */
import { expect, onTestFinished, test } from 'vitest'
import { defineJob, Evertick } from '../../src/index.ts'
import { ManualClock } from '../../src/testing/index.ts'

const define = (definition: object) => () => defineJob({ name: 'report', ...definition })

test.each([
  [{ scedule: { every: '1h' } }, 'scedule', /^Did you mean "schedule"\?$/],
  [{ run: 5 }, 'run', /function/],
  [{ overlap: 'skpi' }, 'overlap', /^Did you mean "skip"\? Use one of: skip, buffer_one, /],
  [{ overlap: 'whatever' }, 'overlap', /^Use one of: skip, buffer_one, /],
  [{ catchUp: 'latst' }, 'catchUp', /^Did you mean "latest"\? Use one of: none, latest, all\.$/],
  [{ catchUp: { policy: 'latst' } }, 'catchUp.policy', /^Did you mean "latest"\?/],
  [{ catchUp: { polcy: 'all' } }, 'catchUp.polcy', /^Did you mean "policy"\?$/],
  [{ onCrash: 'retri' }, 'onCrash', /^Did you mean "retry"\? Use one of: retry, fail\.$/],
  [{ retry: { attemps: 3 } }, 'retry.attemps', /^Did you mean "attempts"\?$/],
  [{ schedule: { cron: '61 * * * *' } }, 'cron', /./],
  [{ timeout: 'soon' }, 'timeout', /./],
])('defineJob refuses %j at once', (definition, field, next) => {
  expect(define(definition)).toThrow(
    expect.objectContaining({
      field: expect.stringContaining(field) as unknown,
      next: expect.stringMatching(next) as unknown,
    }),
  )
})

test('a handler that is no function is refused by handle, too', () => {
  const job = defineJob({ name: 'report' })
  expect(() => job.handle('later' as never)).toThrow(expect.objectContaining({ field: 'run' }))
})

test('result names a forgotten start: a warning at once, and the sentence when it gives up', async () => {
  const clock = new ManualClock('2027-01-01')
  const warned: string[] = []
  const quiet = () => {}
  const logger = { debug: quiet, info: quiet, error: quiet, warn: (text: string) => void warned.push(text) }
  const greet = defineJob({ name: 'greet', run: () => 'hello' })
  const evertick = await Evertick.open({ database: 'sqlite::memory:', jobs: [greet], clock, logger })
  onTestFinished(() => evertick.stop())
  await evertick.jobs.create({ name: 'greet' })
  const { id } = await evertick.enqueue(greet)
  const waiting = evertick.result(id, { timeout: '1s' }).catch((error: unknown) => error)
  while (warned.length === 0) await new Promise((resolve) => setImmediate(resolve))
  expect(warned[0]).toContain('is not started')
  while (clock.nextTimerAt() === null) await new Promise((resolve) => setImmediate(resolve))
  clock.moveTo(clock.now() + 1_000)
  expect(await waiting).toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('this Evertick is not started') as unknown,
    next: expect.stringContaining('start()') as unknown,
  })
  expect(warned).toHaveLength(1)
})
