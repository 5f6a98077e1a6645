/** What an operator of 10,000 jobs waits for: one action on all of them, the list by status, the audit, and a day's timeline. */
import type { BulkAction } from '../src/app/job/actions/bulk-jobs.ts'
import type { Evertick } from '../src/index.ts'
import { type Connection, type Engine, engineNames } from './engines/engine.ts'
import { accountAll, auditOk, copyJobs, copyName, createJob, fillHistory, lead, specOf } from './fixture.ts'
import { type EngineMeasure, elapsedMs, type Figure, medianOf } from './measure.ts'
import { withConnection, withEvertick, withStore } from './scratch-database.ts'

const jobs = 10_000
const rounds = 5
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const minutes = 1_440
/** So many jobs run every minute of the day: 200,000 executions. */
const busyJobs = 139

/** A day of executions in the order in which they were made, past the port. */
async function fillDay(connection: Connection, now: number): Promise<void> {
  const hour = 60
  for (let first = 0; first < minutes; first += hour) {
    const numbers = Array.from({ length: hour }, (_, n) => `SELECT ${first + n} AS n`).join(' UNION ALL ')
    const number = `${100_000_000_000 + first * busyJobs} + ROW_NUMBER() OVER (ORDER BY r.n, j.id)`
    const id = connection.asId(`CONCAT('00000000-0000-7000-9000-', ${number})`)
    const at = `${now - dayMs} + r.n * 60000`
    await connection.rows(
      `INSERT INTO @${connection.executions} (id, job_id, cause, tick_at, account, scheduled_for, state, ready_at, queue, priority,
         handler, attempt, max_attempts, input, result, fence, leased_by, created_at, started_at, finished_at)
       SELECT ${id}, j.id, 'schedule', ${at}, 'fired', ${at}, 'completed', ${at}, 'default', 0,
         'bench', 1, 3, '{"n":1}', '{"done":true}', 1, 'bench', ${at}, ${at} + 5, ${at} + 5 + (r.n * 7919) % 20000
       FROM (${numbers}) r CROSS JOIN @jobs j WHERE j.name < '${copyName(busyJobs)}' ORDER BY r.n, j.id`,
    )
    await connection.keepFinished()
  }
  await connection.settle()
}

async function onAll(evertick: Evertick, action: BulkAction): Promise<number> {
  return await elapsedMs(async () => {
    const { changed } = await evertick.jobs.bulk(action, { search: 'copy' })
    if (changed !== jobs) throw new Error(`${action}: ${changed} of ${jobs} jobs`)
  })
}

async function timesOf(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round <= rounds; round += 1) times.push(await elapsedMs(work))
  return times.slice(1)
}

/** Each job has the hourly ticks of a day in its ledger. */
async function auditTimes(engine: Engine): Promise<number[]> {
  return await withStore(engine, async (store, database) => {
    const then = Math.floor(Date.now() / hourMs) * hourMs - dayMs
    const spec = specOf({ schedule: { every: '1h', anchor: 'epoch' }, catchUp: 'none' }, then)
    const id = await createJob(store, 'audited', spec, then)
    await withConnection(database, (connection) => copyJobs(connection, id, jobs - 1, then + hourMs))
    await accountAll(store, await lead(store))
    return await timesOf(() => auditOk(store))
  })
}

export const atSize: EngineMeasure = {
  name: 'at-size',
  on: engineNames,
  run: async ({ engine, say }) => {
    const of = `of ${jobs.toLocaleString('en')} jobs`
    const figures = await withEvertick(engine, {}, async (evertick, database) => {
      const now = Date.now()
      const { id } = await evertick.jobs.create({ name: 'template', schedule: { every: '1h' } })
      await withConnection(database, async (connection) => {
        await copyJobs(connection, id, jobs, now + hourMs)
        await fillHistory(connection, jobs * 5)
        await fillDay(connection, now)
      })
      const figures: Figure[] = []
      say(`list by status ${of}`)
      const sorted = { sort: 'status', limit: 100 } as const
      figures.push(medianOf(`list ${of} by status`, 'ms', await timesOf(() => evertick.jobs.list(sorted))))
      say('timeline of 24 hours')
      // As the dashboard asks for it.
      const day = { from: new Date(now - dayMs), to: new Date(now), merge: '6m' } as const
      figures.push(
        medianOf('timeline of 24 hours', 'ms', await timesOf(() => evertick.reports.timeline(day))),
      )
      for (const action of ['pause', 'resume'] as const) {
        say(`${action} ${of}`)
        const ms = await onAll(evertick, action)
        figures.push({ name: `${action} ${of}`, value: ms, unit: 'ms' })
      }
      return figures
    })
    say(`audit ${of}`)
    return [...figures, medianOf(`audit ${of}`, 'ms', await auditTimes(engine))]
  },
}
