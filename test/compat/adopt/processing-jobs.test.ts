/** A processing_jobs table of somebody's own becomes executions: each row once, whatever happens in between. */
import { expect, test } from 'vitest'
import { contextOf } from '../../../src/app/app-context.ts'
import { processingJobsBack } from '../../../src/compat/adopt/back.ts'
import { adoptProcessingJobs } from '../../../src/compat/adopt/processing-jobs.ts'
import { ProcessingJobRepository } from '../../../src/index.ts'
import { became, oldSystem } from './old-system.ts'

/** The columns that the document names, and a payload. */
const table = `CREATE TABLE processing_jobs (
  id INTEGER PRIMARY KEY, job_id VARCHAR(100), payload TEXT, status VARCHAR(20) NOT NULL, locked_by VARCHAR(100),
  locked_until TIMESTAMP, attempts INT DEFAULT 0, last_error TEXT,
  created_at TIMESTAMP DEFAULT '2025-12-31 23:00:00', updated_at TIMESTAMP DEFAULT '2025-12-31 23:30:00');`

function rows(...values: string[]): string {
  const into =
    'INSERT INTO processing_jobs (job_id, payload, status, attempts, locked_by, locked_until, last_error) VALUES'
  return `${table}${into} ${values.map((value) => `(${value})`).join(', ')};`
}

const usual = { history: false, workersStopped: false }
const ended = `'w1', '2025-12-31 23:10:00'`
const all = rows(
  `'o1', '{"item":"tea"}', 'pending', 0, NULL, NULL, NULL`,
  `'o2', '{"item":"bread"}', 'retry', 1, NULL, NULL, 'no stock'`,
  `'o3', '{"item":"salt"}', 'processing', 2, ${ended}, NULL`,
  `'o4', '{"item":"oil"}', 'processing', 3, ${ended}, NULL`,
  `'o5', '{"item":"rice"}', 'done', 1, NULL, NULL, NULL`,
  `'o6', '{"item":"corn"}', 'failed', 3, NULL, NULL, 'sold out'`,
)

test('what is unfinished is taken over with its attempts, and leased in turn; what is over stays there', async () => {
  const { node, options } = await oldSystem(all)
  const report = await adoptProcessingJobs(node.evertick, { ...options('processing_jobs'), ...usual })
  expect(became(report)).toEqual([
    'done > nothing: it is over: 1',
    'failed > nothing: it is over: 1',
    'pending > pending: 1',
    'processing > failed: 1',
    'processing > retrying, attempt 3 of 3 is next: 1',
    'retry > retrying, attempt 2 of 3 is next: 1',
  ])
  const jobs = new ProcessingJobRepository({ evertick: node.evertick })
  const leased: Record<string, unknown> = {}
  for (;;) {
    const job = await jobs.acquireLease('new-worker', 60)
    if (job === null) break
    leased[job.job_id] = [job.payload, job.attempts, job.last_error]
  }
  expect(leased).toEqual({
    o1: [{ item: 'tea' }, 1, null],
    o2: [{ item: 'bread' }, 2, 'no stock'],
    o3: [{ item: 'salt' }, 3, 'Its worker said nothing more.'],
  })
  expect(await jobs.list({ status: 'failed' })).toMatchObject([{ job_id: 'o4', attempts: 3 }])
})

test('again makes none, also after it ended here and its history is gone', async () => {
  const { node, options } = await oldSystem(
    rows(`'o1', '1', 'pending', 0, NULL, NULL, NULL`, `'o2', '2', 'pending', 0, NULL, NULL, NULL`),
  )
  const adopt = async () =>
    became(await adoptProcessingJobs(node.evertick, { ...options('processing_jobs'), ...usual }))
  const before = ['pending > nothing: it was imported before: 2']
  expect(await adopt()).toEqual(['pending > pending: 2'])
  expect(await adopt()).toEqual(before)
  const jobs = new ProcessingJobRepository({ evertick: node.evertick })
  for (let count = 0; count < 2; count += 1) {
    const job = await jobs.acquireLease('w', 60)
    expect(await jobs.releaseLease(job?.id ?? '', 'w', 'done')).toBe(true)
  }
  expect(await adopt()).toEqual(before)
  await node.advance('1s')
  // All but the newest.
  await contextOf(node.evertick).store.compat.purgeJob('processing', 0, node.clock.now())
  expect(await jobs.list()).toHaveLength(1)
  expect(await adopt()).toEqual(before)
  expect(await jobs.acquireLease('w', 60)).toBeNull()
})

test('a table that was renamed in between is still the same rows', async () => {
  const { node, owner, options } = await oldSystem(rows(`'o1', '1', 'pending', 0, NULL, NULL, NULL`))
  await adoptProcessingJobs(node.evertick, { ...options('processing_jobs'), ...usual })
  owner.exec('ALTER TABLE processing_jobs RENAME TO old_processing_jobs')
  const again = await adoptProcessingJobs(node.evertick, { ...options('old_processing_jobs'), ...usual })
  expect(became(again)).toEqual(['pending > nothing: it was imported before: 1'])
})

test('as long as a lease there is alive, nothing is written: old workers would run it, too', async () => {
  const alive = `'w2', '2026-01-01 00:05:00'`
  const { node, options } = await oldSystem(
    rows(`'o1', '1', 'pending', 0, NULL, NULL, NULL`, `'o2', '2', 'processing', 1, ${alive}, NULL`),
  )
  const adopt = async (workersStopped: boolean) =>
    await adoptProcessingJobs(node.evertick, { ...options('processing_jobs'), ...usual, workersStopped })
  const refused = await adopt(false)
  expect(refused).toMatchObject({
    alive: 1,
    left: [{ row: '2', why: 'w2 has leased it until 2026-01-01T00:05:00.000Z' }],
  })
  const jobs = new ProcessingJobRepository({ evertick: node.evertick })
  expect(await jobs.list()).toEqual([])
  expect(became(await adopt(true))).toEqual([
    'pending > pending: 1',
    'processing > retrying, attempt 2 of 3 is next: 1',
  ])
  expect(await jobs.list()).toHaveLength(2)
})

test('the lease that is over by now is taken without being told', async () => {
  const { node, options } = await oldSystem(
    rows(`'o2', '2', 'processing', 1, 'w2', '2026-01-01 00:05:00', NULL`),
  )
  await node.advance('6m')
  const report = await adoptProcessingJobs(node.evertick, { ...options('processing_jobs'), ...usual })
  expect(became(report)).toEqual(['processing > retrying, attempt 2 of 3 is next: 1'])
})

test('history: what was done and what failed, when it did', async () => {
  const { node, options } = await oldSystem(all)
  await adoptProcessingJobs(node.evertick, { ...options('processing_jobs'), ...usual, history: true })
  const jobs = new ProcessingJobRepository({ evertick: node.evertick })
  const updated_at = new Date('2025-12-31T23:30:00Z')
  expect(await jobs.list({ status: 'done' })).toMatchObject([{ job_id: 'o5', attempts: 1, updated_at }])
  const failed = await jobs.list({ status: 'failed' })
  expect(failed.find(({ job_id }) => job_id === 'o6')).toMatchObject({ last_error: 'sold out', updated_at })
})

test('job_id keeps its place: createJob returns the imported one while it is unfinished, and a second row has none', async () => {
  const { node, options } = await oldSystem(
    rows(
      `'o1', '"first"', 'pending', 0, NULL, NULL, NULL`,
      `'o1', '"second"', 'pending', 0, NULL, NULL, NULL`,
    ),
  )
  const jobs = new ProcessingJobRepository({ evertick: node.evertick })
  await adoptProcessingJobs(node.evertick, { ...options('processing_jobs'), ...usual })
  expect((await jobs.createJob({ job_id: 'o1', payload: 'third' })).payload).toBe('first')
  expect((await jobs.list()).map(({ payload }) => String(payload)).toSorted()).toEqual(['first', 'second'])
})

test('a new job of the same name is not in the way, and not replaced', async () => {
  const { node, options } = await oldSystem(rows(`'o1', '"old"', 'pending', 0, NULL, NULL, NULL`))
  const jobs = new ProcessingJobRepository({ evertick: node.evertick })
  await jobs.createJob({ job_id: 'o1', payload: 'new' })
  await adoptProcessingJobs(node.evertick, { ...options('processing_jobs'), ...usual })
  expect((await jobs.list()).map(({ payload }) => String(payload)).toSorted()).toEqual(['new', 'old'])
})

test('a row that nobody can run is left with why and what to do; the others are taken', async () => {
  const { node, options } = await oldSystem(
    rows(
      `'o1', '1', 'queued', 0, NULL, NULL, NULL`,
      `'o2', '2', 'retry', 3, NULL, NULL, NULL`,
      `'o3', '3', 'processing', 1, 'w', 'soon', NULL`,
      `'o4', '4', 'pending', 0, NULL, NULL, NULL`,
    ),
  )
  const report = await adoptProcessingJobs(node.evertick, { ...options('processing_jobs'), ...usual })
  expect(Object.fromEntries(report.left.map(({ row, why }) => [row, why]))).toEqual({
    1: 'its status is "queued"',
    2: 'it is retry with 3 attempts: no worker takes it',
    3: 'its locked_until is "soon", not a time',
  })
  expect(report.left.every(({ next }) => next !== '')).toBe(true)
  expect(became(report)).toEqual(['pending > pending: 1'])
})

test('columns of its own are the payload of a table that has none, and else are kept with the run', async () => {
  const bare = `CREATE TABLE processing_jobs (id INTEGER PRIMARY KEY, job_id TEXT, status TEXT, attempts INT, symbol TEXT, amount INT);
    INSERT INTO processing_jobs VALUES (1, 'o1', 'pending', 0, 'BTC', 3);`
  const { node, options } = await oldSystem(bare)
  await adoptProcessingJobs(node.evertick, { ...options('processing_jobs'), ...usual })
  const jobs = new ProcessingJobRepository({ evertick: node.evertick })
  expect(await jobs.list()).toMatchObject([{ payload: { symbol: 'BTC', amount: 3 } }])

  const both = await oldSystem(`${all} ALTER TABLE processing_jobs ADD COLUMN shop INT DEFAULT 7;`)
  await adoptProcessingJobs(both.node.evertick, { ...both.options('processing_jobs'), ...usual })
  const { executions } = await both.node.evertick.executions.list({ filter: 'job:processing' })
  const [first] = executions
  const { metadata } = await both.node.evertick.executions.get(first?.id ?? '')
  expect(metadata).toMatchObject({ imported: { table: 'processing_jobs', columns: { shop: 7 } } })
})

test('a dry run says the same, and writes nothing at all', async () => {
  const { node, options } = await oldSystem(all)
  const given = { ...options('processing_jobs', { dryRun: true }), ...usual, history: true }
  const dry = await adoptProcessingJobs(node.evertick, given)
  expect((await node.evertick.jobs.list()).jobs).toEqual([])
  const real = await adoptProcessingJobs(node.evertick, { ...given, dryRun: false })
  expect(became(real)).toEqual(became(dry))
  const second = await adoptProcessingJobs(node.evertick, given)
  expect(became(second).every((line) => line.includes('imported before'))).toBe(true)
})

test('cut off after any page and made again: each row once', async () => {
  const many = Array.from(
    { length: 2_500 },
    (_, index) => `'o${index}', '${index}', 'pending', 0, NULL, NULL, NULL`,
  )
  const { node, options } = await oldSystem(rows(...many))
  const adopt = async (cutAt: number) =>
    await adoptProcessingJobs(node.evertick, {
      ...options('processing_jobs', {
        onProgress: (done, _total, phase) => {
          if (phase === 'importing' && done >= cutAt) throw new Error('killed')
        },
      }),
      ...usual,
    })
  await expect(adopt(1_000)).rejects.toThrow('killed')
  await expect(adopt(2_000)).rejects.toThrow('killed')
  expect(became(await adopt(Number.POSITIVE_INFINITY))).toEqual([
    'pending > nothing: it was imported before: 2000',
    'pending > pending: 500',
  ])
  expect((await node.evertick.metrics()).jobs.total).toBe(1)
  const [queue] = (await node.evertick.queues.list()).filter(({ name }) => name === 'processing')
  expect(queue).toMatchObject({ pending: 2_500 })
})

test('two at once: each row once', async () => {
  const many = Array.from(
    { length: 500 },
    (_, index) => `'o${index}', '${index}', 'pending', 0, NULL, NULL, NULL`,
  )
  const { node, options } = await oldSystem(rows(...many))
  const adopt = () => adoptProcessingJobs(node.evertick, { ...options('processing_jobs'), ...usual })
  await Promise.all([adopt(), adopt()])
  const [queue] = (await node.evertick.queues.list()).filter(({ name }) => name === 'processing')
  expect(queue).toMatchObject({ pending: 500 })
})

test('the way back is SQL that brings the old table up to date, where it still is as it was', async () => {
  const { node, owner, options } = await oldSystem(
    rows(
      `'o1', '1', 'pending', 0, NULL, NULL, NULL`,
      `'o2', '2', 'pending', 0, NULL, NULL, NULL`,
      `'o3', '3', 'pending', 0, NULL, NULL, NULL`,
      `'o4', '4', 'pending', 0, NULL, NULL, NULL`,
    ),
  )
  await adoptProcessingJobs(node.evertick, { ...options('processing_jobs'), ...usual })
  const jobs = new ProcessingJobRepository({ evertick: node.evertick })
  const ends = { o1: ['done'], o2: ['failed', "it's \\ over"], o3: ['retry', 'not yet'] } as const
  for (let count = 0; count < 4; count += 1) {
    const job = await jobs.acquireLease('w', 600)
    const end = ends[job?.job_id as keyof typeof ends] as
      | readonly ['done' | 'failed' | 'retry', string?]
      | undefined
    if (end !== undefined) await jobs.releaseLease(job?.id ?? '', 'w', ...end)
    if (job?.job_id === 'o3') break
  }
  // What is given back comes first again, so the fourth is leased by hand.
  while ((await jobs.getActiveLeases()).every(({ job_id }) => job_id !== 'o4'))
    await jobs.acquireLease('w', 600)
  const back = await processingJobsBack(node.evertick, options('processing_jobs'))
  expect(back.left).toMatchObject([{ row: '4', why: 'it runs here now' }])
  const before = owner.prepare('SELECT count(*) AS n FROM processing_jobs WHERE status = ?')
  expect(before.get('pending')).toEqual({ n: 4 })
  owner.exec(`UPDATE processing_jobs SET status = 'done' WHERE id = 2`)
  for (const statement of back.sql) owner.exec(statement)
  const after = owner
    .prepare('SELECT id, status, attempts, last_error FROM processing_jobs ORDER BY id')
    .all()
  expect(after).toMatchObject([
    { id: 1, status: 'done', attempts: 1, last_error: null },
    // Somebody has changed it there since: it stays as they left it.
    { id: 2, status: 'done', attempts: 0, last_error: null },
    { id: 3 },
    { id: 4, status: 'pending' },
  ])
})
