/** Runs by hand and runs of nodes, in one history. */
import { expect, test } from 'vitest'
import { JobHistory } from '../../../src/index.ts'
import { keptLogger, openParts, silent } from './open-parts.ts'

const often = { scheduleId: 'often', domain: 'a.example', every: '1m' } as const

test('a run by hand is started, completed, and in the history with all that was said of it', async () => {
  const { node, repository, history } = await openParts()
  const { jobId } = await repository.create(often)
  const id = await history.startExecution({
    scheduleId: 'often',
    domain: 'www.a.example',
    jobId: 'scan-7',
    metadata: { tries: 1 },
  })
  expect(await history.find({ status: 'started' })).toMatchObject([
    { executionId: id, status: 'started', completedAt: null, durationMs: null },
  ])
  await node.advance('4s')
  await history.completeExecution(id, { status: 'success', scanId: 'scan-result-1', metadata: { pages: 12 } })
  expect(await history.find()).toEqual([
    {
      executionId: id,
      scheduleId: 'often',
      jobId: 'scan-7',
      domain: 'www.a.example',
      status: 'success',
      startedAt: new Date('2026-01-01T00:00:00Z'),
      completedAt: new Date('2026-01-01T00:00:04Z'),
      durationMs: 4_000,
      error: null,
      errorDetails: null,
      scanId: 'scan-result-1',
      metadata: { tries: 1, pages: 12 },
      instance: expect.stringMatching(/^history:/) as string,
    },
  ])
  const plain = await history.startExecution({ scheduleId: 'often' })
  expect((await history.find({ limit: 1 }))[0]).toMatchObject({
    executionId: plain,
    jobId,
    domain: 'a.example',
  })
})

test('a failed run keeps its error, its result and its metadata', async () => {
  const { repository, history } = await openParts()
  await repository.create(often)
  const id = await history.startExecution({ scheduleId: 'often', metadata: { a: 1 } })
  const error = Object.assign(new TypeError('no route'), { code: 'EHOSTUNREACH' })
  await history.completeExecution(id, { status: 'failed', error, scanId: 'partial' })
  const [entry] = await history.find()
  expect(entry).toMatchObject({ status: 'failed', error: 'no route', scanId: 'partial', metadata: { a: 1 } })
  expect(entry?.errorDetails).toMatchObject({ name: 'TypeError', code: 'EHOSTUNREACH' })
  expect(entry?.errorDetails?.stack).toContain('job-history.test.ts')
  const other = await history.startExecution({ scheduleId: 'often' })
  await history.completeExecution(other, { status: 'cancelled', error: 'not needed' })
  expect((await history.find({ status: 'cancelled' }))[0]).toMatchObject({ error: 'not needed' })
})

test('a run ends once', async () => {
  const { repository, history } = await openParts()
  await repository.create(often)
  const id = await history.startExecution({ scheduleId: 'often' })
  await history.completeExecution(id, { status: 'success' })
  await expect(history.completeExecution(id, { status: 'failed' })).rejects.toMatchObject({
    code: 'invalid_transition',
  })
  expect((await history.find())[0]).toMatchObject({ status: 'success', error: null })
  await expect(history.completeExecution('nobody', { status: 'success' })).rejects.toMatchObject({
    code: 'execution_not_found',
  })
})

test.each([
  [{ status: 'started' }],
  [{ status: 'done' }],
  [{ status: 'success', error: 'but' }],
  [{ status: 'success', scan_id: '1' }],
])('%j is no end, and leaves the run open', async (end) => {
  const { repository, history } = await openParts()
  await repository.create(often)
  const id = await history.startExecution({ scheduleId: 'often' })
  await expect(history.completeExecution(id, end as never)).rejects.toMatchObject({ code: 'invalid_option' })
  expect((await history.find())[0]).toMatchObject({ status: 'started', scanId: null })
})

test('another history may complete it: whoever has the id', async () => {
  const { node, repository, history } = await openParts()
  await repository.create(often)
  const id = await history.startExecution({ scheduleId: 'often', metadata: { from: 'one' } })
  const other = new JobHistory(node.evertick, { logger: silent })
  await other.completeExecution(id, { status: 'success', metadata: { to: 'other' } })
  expect((await history.find())[0]).toMatchObject({
    status: 'success',
    metadata: { from: 'one', to: 'other' },
  })
  await other.close()
})

test('its lease is renewed while its process lives, however long it takes', async () => {
  const { node, repository, history } = await openParts()
  await repository.create({ ...often, every: '10d' })
  const id = await history.startExecution({ scheduleId: 'often' })
  await node.advance('1h')
  await history.completeExecution(id, { status: 'success' })
  expect((await history.find())[0]).toMatchObject({ status: 'success', durationMs: 3_600_000 })
})

test('a process that dies leaves a failed run, not an open one', async () => {
  const { node, repository, history } = await openParts()
  await repository.create({ ...often, every: '10d' })
  const logger = keptLogger()
  const dying = new JobHistory(node.evertick, { logger })
  const id = await dying.startExecution({ scheduleId: 'often' })
  // It no longer renews, as after a crash.
  await dying.close()
  await node.advance('1m')
  expect((await history.find())[0]).toMatchObject({
    executionId: id,
    status: 'failed',
    errorDetails: { name: 'LeaseExpired' },
  })
  await expect(history.completeExecution(id, { status: 'success' })).rejects.toMatchObject({
    code: 'invalid_transition',
  })
})

test('with no node anywhere, the next history ends what a dead one left open', async () => {
  const database = 'sqlite:file:/history-alone?vfs=memdb'
  const { node, repository } = await openParts(undefined, { database })
  const { clock } = node
  await repository.create({ ...often, every: '10d' })
  const first = new JobHistory({ database, clock, logger: silent })
  const id = await first.startExecution({ scheduleId: 'often' })
  const second = new JobHistory({ database, clock, logger: silent })
  await second.find()
  await first.close()
  await node.evertick.leader.stepDown()
  clock.jump(60_000)
  await second.startExecution({ scheduleId: 'often' })
  expect((await second.find({ status: 'failed' })).map(({ executionId }) => executionId)).toEqual([id])
  await second.close()
})

test('with no node anywhere, whoever asks the history finds an orphaned run ended', async () => {
  const database = 'sqlite:file:/history-orphan?vfs=memdb'
  const { node, repository } = await openParts(undefined, { database })
  const { clock } = node
  await repository.create({ ...often, every: '10d' })
  const dying = new JobHistory({ database, clock, logger: silent })
  const id = await dying.startExecution({ scheduleId: 'often' })
  const asking = new JobHistory({ database, clock, logger: silent })
  expect(await asking.getStatistics()).toMatchObject({ started: 1, failed: 0 })
  await node.stop()
  await dying.close()
  clock.jump(60_000)
  expect(await asking.getStatistics()).toMatchObject({ started: 0, failed: 1 })
  expect(await asking.find({ status: 'failed' })).toMatchObject([{ executionId: id }])
  await asking.close()
})

test('runs by hand cost no tick and are no account of one', async () => {
  const { node, repository, history } = await openParts()
  await repository.create(often)
  const id = await history.startExecution({ scheduleId: 'often' })
  await node.advance('3m')
  await history.completeExecution(id, { status: 'success' })
  expect((await node.ticks('often')).map(({ account }) => account)).toEqual(['fired', 'fired', 'fired'])
  expect(await history.find()).toHaveLength(4)
  expect(await node.evertick.audit()).toMatchObject({ ok: true, ticks: 3 })
})

test('find narrows down by schedule, domain, status and time, newest first', async () => {
  const { node, repository, history } = await openParts((context) => {
    if (context.job === 'bad') throw new Error('no')
    return { scanId: context.scheduledFor.getTime() }
  })
  await repository.create({ scheduleId: 'good', domain: 'a.example', cron: '* * * * *' })
  await repository.create({ scheduleId: 'bad', domain: 'b.example', cron: '*/2 * * * *' })
  await node.advance('4m')
  const minutes = async (query: Parameters<JobHistory['find']>[0]) =>
    (await history.find(query)).map(
      ({ scheduleId, startedAt }) => `${scheduleId} ${startedAt?.getUTCMinutes()}`,
    )
  expect(await minutes({ scheduleId: 'good' })).toEqual(['good 4', 'good 3', 'good 2', 'good 1'])
  expect(await minutes({ domain: 'b.example' })).toEqual(['bad 4', 'bad 2'])
  expect(await minutes({ status: 'failed' })).toEqual(['bad 4', 'bad 2'])
  expect(await minutes({ scheduleId: 'good', status: 'failed' })).toEqual([])
  expect(await minutes({ scheduleId: 'good', domain: 'b.example' })).toEqual([])
  const span = { from: '2026-01-01T00:02:00Z', to: new Date('2026-01-01T00:04:00Z') }
  expect((await minutes(span)).toSorted()).toEqual(['bad 2', 'good 2', 'good 3'])
  expect((await minutes({ limit: 2 })).toSorted()).toEqual(['bad 4', 'good 4'])
  expect((await history.find({ scheduleId: 'good', limit: 1 }))[0]?.scanId).toBe(
    String(Date.UTC(2026, 0, 1, 0, 4)),
  )
  expect(await minutes({ scheduleId: 'nobody' })).toEqual([])
  await expect(history.find({ limit: 0 })).rejects.toMatchObject({ code: 'invalid_option' })
  await expect(history.find({ status: 'done' as never })).rejects.toMatchObject({ field: 'status' })
})

test('what a deleted schedule has run stays in the history', async () => {
  const { node, repository, history } = await openParts()
  await repository.create({ scheduleId: 'gone', domain: 'a.example', cron: '* * * * *' })
  await node.advance('2m')
  await repository.delete('gone')
  expect(await history.find({ scheduleId: 'gone' })).toHaveLength(2)
  expect(await history.find({ domain: 'a.example' })).toHaveLength(2)
})

test('statistics are about the days that are asked for', async () => {
  const { node, repository, history } = await openParts()
  await repository.create({ ...often, every: '1000d' })
  await repository.create({ scheduleId: 'other', domain: 'b.example', every: '1000d' })
  const ran = async (scheduleId: string, ms: number, status: 'success' | 'failed' | 'cancelled') => {
    const id = await history.startExecution({ scheduleId })
    await node.advance(ms)
    await history.completeExecution(id, { status })
  }
  await ran('often', 1_000, 'failed')
  await node.advance('10d')
  await ran('often', 2_000, 'success')
  await ran('often', 4_000, 'success')
  await ran('often', 6_000, 'failed')
  await ran('often', 8_000, 'cancelled')
  await ran('other', 10_000, 'success')
  await history.startExecution({ scheduleId: 'other' })
  expect(await history.getStatistics({ scheduleId: 'often', days: 7 })).toEqual({
    total: 4,
    success: 2,
    failed: 1,
    cancelled: 1,
    started: 0,
    successRate: 2 / 3,
    avgDurationMs: 4_000,
    p50Ms: 4_000,
    p95Ms: 6_000,
    p99Ms: 6_000,
  })
  expect(await history.getStatistics({ scheduleId: 'often' })).toMatchObject({ total: 5, failed: 2 })
  expect(await history.getStatistics({ domain: 'b.example' })).toMatchObject({ total: 1, started: 1 })
  expect(await history.getStatistics()).toMatchObject({ total: 6 })
  await expect(history.getStatistics({ days: -1 })).rejects.toMatchObject({ field: 'days' })
})

test('cleanup removes what is old, whatever it was, and keeps what is open and the newest', async () => {
  const { node, repository, history } = await openParts()
  await repository.create({ ...often, every: '1h', retention: { executions: 1_000, age: '365d' } })
  const open = await history.startExecution({ scheduleId: 'often' })
  const done = await history.startExecution({ scheduleId: 'often' })
  await history.completeExecution(done, { status: 'failed', error: 'no' })
  await node.advance('10h')
  expect(await history.find()).toHaveLength(12)
  // Five ticks, and the run that failed; a dead letter is as old as the rest.
  expect(await history.cleanup({ days: 4 / 24 })).toBe(6)
  const left = await history.find()
  expect(left.map(({ executionId }) => executionId)).not.toContain(done)
  expect(left.map(({ executionId }) => executionId)).toContain(open)
  expect(left).toHaveLength(6)
  expect(await history.cleanup({ days: 0 })).toBe(4)
  expect((await history.find()).map(({ status }) => status)).toEqual(['success', 'started'])
  expect(await node.evertick.audit()).toMatchObject({ ok: true })
  await expect(history.cleanup({ days: Number.NaN })).rejects.toMatchObject({ field: 'days' })
})

test('a schedule that is not there has no runs to start', async () => {
  const { node, history } = await openParts()
  await node.evertick.jobs.create({ name: 'plain' })
  for (const scheduleId of ['nobody', 'plain']) {
    await expect(history.startExecution({ scheduleId })).rejects.toMatchObject({ code: 'job_not_found' })
  }
})

test('updateRunStatus completes an open run, records one that nobody started, and repeats nothing', async () => {
  const { node, repository, history } = await openParts(async (context) => {
    await node.clock.sleep(60_000, context.signal)
  })
  await repository.create({ ...often, every: '1h' })
  const id = await history.startExecution({ scheduleId: 'often' })
  expect(await repository.updateRunStatus('often', { status: 'failed', error: 'no' })).toMatchObject({
    lastStatus: 'failed',
  })
  expect(await history.find()).toMatchObject([{ executionId: id, status: 'failed', error: 'no' }])
  await repository.updateRunStatus('often', { status: 'failed', error: 'again' })
  expect(await history.find()).toHaveLength(1)
  const { lastStatus, lastRun } = await repository.updateRunStatus('often', {
    status: 'success',
    scanId: '9',
  })
  expect({ lastStatus, lastRun }).toEqual({ lastStatus: 'success', lastRun: new Date(node.clock.now()) })
  expect(await history.find()).toMatchObject([{ status: 'success', scanId: '9' }, { status: 'failed' }])
  await node.advance('1h')
  await expect(repository.updateRunStatus('often', { status: 'success' })).rejects.toMatchObject({
    code: 'invalid_transition',
  })
})
