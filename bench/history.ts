/** What a long history costs those who work and those who look: claims, lists and statistics must not grow with it. */
import { newId } from '../src/app/ids.ts'
import type { Store } from '../src/store/store.ts'
import { engineNames } from './engines/engine.ts'
import { copyJobs, createJob, fillHistory, nodeId, registerNode, specOf } from './fixture.ts'
import { type EngineMeasure, elapsedMs, type Figure, median, spread } from './measure.ts'
import { withConnection, withStore } from './scratch-database.ts'

const jobs = 10_000
const rounds = 15
const batch = 100

const claims = `claim + finish of ${batch}`

type Works = Readonly<Record<string, () => Promise<unknown>>>

function worksOn(store: Store, jobId: string): Works {
  return {
    [claims]: () => claimAndFinish(store),
    'page of 100 executions': () => store.executions.listExecutions({ limit: 100 }),
    'page of 100 executions of a job': () => store.executions.listExecutions({ job: jobId, limit: 100 }),
    'statistics of a job': () => store.executions.jobRuns(jobId, 1_000),
    'last executions of 100 jobs': async () => {
      const page = await store.jobs.listJobs({ limit: 100 })
      return await store.executions.lastExecutions(
        page.map(({ id }) => id),
        Date.now(),
      )
    },
  }
}

async function claimAndFinish(store: Store): Promise<void> {
  const now = Date.now()
  const asked = { nodeId, queue: 'default', limit: batch, start: batch, now, readyBy: now, leaseMs: 30_000 }
  const { claimed } = await store.work.claimExecutions(asked)
  if (claimed.length !== batch) throw new Error(`${claimed.length} of ${batch} were claimed`)
  const ending = { state: 'completed', result: null } as const
  const attempts = claimed.map((claim) => ({ ...claim, claimed: claim, ending, finishedAt: now }))
  await store.work.finishAttempts({ nodeId, attempts, now, heard: [] })
}

async function enqueueSome(store: Store): Promise<void> {
  const now = Date.now()
  const base = {
    jobName: 'target',
    cause: 'enqueue',
    scheduledFor: now,
    readyAt: now,
    createdAt: now,
  } as const
  const empty = { queue: null, priority: null, metadata: {}, uniqueKey: null, input: null }
  const count = (rounds + 1) * batch
  await store.work.enqueueExecutions(
    Array.from({ length: count }, () => ({ ...base, ...empty, id: newId(now) })),
  )
}

/** Medians; the first round of each is not counted. */
async function timesOf(works: Works): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>()
  for (const [name, work] of Object.entries(works)) {
    const times: number[] = []
    for (let round = 0; round <= rounds; round += 1) times.push(await elapsedMs(work))
    found.set(name, times.slice(1))
  }
  return found
}

/** The second time counts: whatever is measured first in a process pays for its start. */
async function claimTimesAlone(store: Store): Promise<readonly number[]> {
  let times: readonly number[] = []
  for (const _ of ['first', 'second']) {
    await enqueueSome(store)
    times = (await timesOf({ [claims]: () => claimAndFinish(store) })).get(claims) ?? []
  }
  return times
}

/** What a history costs those who work, as they would say it: by their rate. */
function rateBeside(size: number, times: readonly number[], alone: readonly number[]): Figure {
  const value = (batch * 1_000) / median(times)
  const ratio = median(alone) / median(times)
  return { name: `claim + finish beside ${size} finished`, value, unit: 'jobs/s', against: 'none', ratio }
}

export const history: EngineMeasure = {
  name: 'history',
  on: engineNames,
  run: ({ engine, large, say }) =>
    withStore(engine, async (store, database) => {
      const now = Date.now()
      await registerNode(store)
      const target = await createJob(store, 'target', specOf({}, now), now)
      await withConnection(database, (connection) => copyJobs(connection, target, jobs, now + 3_600_000))
      const figures: Figure[] = []
      say('no history')
      const alone = await claimTimesAlone(store)
      let short = new Map<string, number[]>()
      for (const size of large ? [jobs, 1_000_000, 10_000_000] : [jobs, 1_000_000]) {
        say(`a history of ${size.toLocaleString('en')} executions`)
        await withConnection(database, (connection) => fillHistory(connection, size))
        await enqueueSome(store)
        const found = await timesOf(worksOn(store, target))
        if (size === jobs) short = found
        for (const [name, times] of found) {
          const value = median(times)
          const compared =
            size === jobs
              ? {}
              : { against: `${jobs} executions`, ratio: value / median(short.get(name) ?? []) }
          const of = `${name}, history of ${size}`
          figures.push({ name: of, value, unit: 'ms', spread: spread(times), ...compared })
        }
        if (size > jobs) figures.push(rateBeside(size, found.get(claims) ?? [], alone))
      }
      return figures
    }),
}
