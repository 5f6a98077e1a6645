/**
 * The API under load: reads with 10,000 jobs, over a short history and over a million executions, and enqueues beside
 * one commit per request through the same server.
 */
import { randomBytes } from 'node:crypto'
import { type Engine, engineNames, type ScratchDatabase } from '../engines/engine.ts'
import { copyJobs, copyName, createJob, fillHistory, specOf } from '../fixture.ts'
import { besides, type EngineMeasure, type Figure, interleave, medianOf } from '../measure.ts'
import { withConnection, withStore } from '../scratch-database.ts'
import { type ApiSaid, type Load, type Loaded, load, withApi } from './child-api.ts'

const jobs = 10_000
const executions = 1_000_000
const rounds = 3
const crowds = [1, 32]
/** What a pool usually has. SQLite has one writer. */
const lanesOf = { sqlite: 1, postgres: 10, mysql: 10 }

const prefix = '/api/v1'
const reads: Readonly<Record<string, readonly string[]>> = {
  'GET /jobs': [`${prefix}/jobs`],
  'GET /jobs/{id}': Array.from({ length: 500 }, (_, n) => `${prefix}/jobs/${copyName(n * 20)}`),
  'GET /executions': [`${prefix}/executions`],
}

const read = { method: 'GET', body: null, warmUpMs: 500, ms: 3_000 } as const
const write = {
  method: 'POST',
  paths: [`${prefix}/executions`],
  body: JSON.stringify({ job: 'target', input: { n: 1 } }),
  warmUpMs: 500,
  ms: 3_000,
} as const

type Asked = Omit<Load, keyof ApiSaid>

async function readAll(api: ApiSaid, say: (line: string) => void): Promise<ReadonlyMap<string, Loaded>> {
  const found = new Map<string, Loaded>()
  for (const [route, paths] of Object.entries(reads)) {
    for (const clients of crowds) {
      const name = `${route}, ${clientsText(clients)}`
      const loaded = await load({ ...api, ...read, paths, clients })
      say(`  ${name}: ${Math.round(loaded.perSecond)}/s, p99 ${loaded.p99.toFixed(1)} ms`)
      found.set(name, loaded)
    }
  }
  return found
}

function readFigures(short: ReadonlyMap<string, Loaded>, long: ReadonlyMap<string, Loaded>): Figure[] {
  return [...long].flatMap(([name, { perSecond, p50, p99 }]) => {
    const before = short.get(name)
    const compared = before === undefined ? {} : { against: `${jobs} executions`, ratio: p50 / before.p50 }
    return [
      { name, value: perSecond, unit: '/s' },
      { name: `${name}, p50`, value: p50, unit: 'ms', ...compared },
      { name: `${name}, p99`, value: p99, unit: 'ms' },
    ]
  })
}

async function writeFigures(ours: ApiSaid, theirs: ApiSaid, say: (line: string) => void): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const clients of crowds) {
    const name = `POST /executions, ${clientsText(clients)}`
    const given: Asked = { ...write, clients }
    say(name)
    const taken: Loaded[] = []
    const works = {
      ours: async () => {
        const loaded = await load({ ...ours, ...given })
        taken.push(loaded)
        return loaded.perSecond
      },
      each: async () => (await load({ ...theirs, ...given })).perSecond,
    }
    const found = await interleave(rounds, works, say)
    figures.push(...besides(name, '/s', found.ours, found.each, 'one commit per request'))
    const counted = taken.slice(1)
    for (const share of ['p50', 'p99'] as const) {
      figures.push(
        medianOf(
          `${name}, ${share}`,
          'ms',
          counted.map((loaded) => loaded[share]),
        ),
      )
    }
  }
  return figures
}

function clientsText(clients: number): string {
  return clients === 1 ? '1 client' : `${clients} clients`
}

/** Jobs without a schedule: nobody runs them, and nothing is due. */
async function withJobs<T>(engine: Engine, work: (database: ScratchDatabase) => Promise<T>): Promise<T> {
  return await withStore(engine, async (store, database) => {
    const now = Date.now()
    await createJob(store, 'target', specOf({}, now), now)
    const schedule = { cron: '0 3 * * *', timezone: 'Europe/Madrid' }
    const jobId = await createJob(store, 'template', specOf({ schedule }, now), now)
    await withConnection(database, (connection) => copyJobs(connection, jobId, jobs, now + 3_600_000))
    return await work(database)
  })
}

export const http: EngineMeasure = {
  name: 'http',
  on: engineNames,
  run: ({ engine, say }) =>
    withJobs(engine, async (database) => {
      const grow = async (count: number) => {
        say(`a history of ${count.toLocaleString('en')} executions`)
        await withConnection(database, (connection) => fillHistory(connection, count))
      }
      const given = { database: database.url, secret: randomBytes(48).toString('base64url') }
      return await withApi({ ...given, lanes: null }, async (ours) => {
        await grow(jobs)
        const short = await readAll(ours, say)
        await grow(executions)
        const long = await readAll(ours, say)
        return await withApi({ ...given, lanes: lanesOf[engine.name] }, async (theirs) => [
          ...readFigures(short, long),
          ...(await writeFigures(ours, theirs, say)),
        ])
      })
    }),
}
