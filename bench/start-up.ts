/** From the start of a process until its node leads and has accounted for a tick, among few jobs and among many; and its memory. */
import { readFileSync } from 'node:fs'
import { withNodes } from './child-node.ts'
import { type Engine, engineNames } from './engines/engine.ts'
import { copyJobs, createJob, specOf } from './fixture.ts'
import { machineMs } from './machine-time.ts'
import { type EngineMeasure, type Figure, median, spread } from './measure.ts'
import { withConnection, withStore } from './scratch-database.ts'

const rounds = 3
const sizes = [100, 100_000]
const pageBytes = 4_096

interface Start {
  readonly ms: number[]
  readonly residentMb: number[]
}

async function startsAmong(engine: Engine, jobs: number): Promise<Start> {
  return await withStore(engine, async (store, database) => {
    const now = Date.now()
    const resting = specOf({ schedule: { every: '1h' } }, now)
    const restingId = await createJob(store, 'resting', resting, now)
    // Due again at once, so that the next account shows that schedules are served.
    await createJob(store, 'due', specOf({ schedule: { every: '200ms' }, catchUp: 'latest' }, now), now)
    await withConnection(database, async (connection) => {
      await copyJobs(connection, restingId, jobs, now + 3_600_000)
      await connection.settle()
    })
    const found: Start = { ms: [], residentMb: [] }
    for (let round = 0; round < rounds; round += 1) {
      await withNodes(async (start) => {
        const startedAt = machineMs()
        const node = await start({ database: database.url })
        const { at } = await node.next('accounted')
        found.ms.push(at - startedAt)
        found.residentMb.push(residentMb(node.pid))
      })
    }
    return found
  })
}

/** Of the process, as the system counts it. */
function residentMb(pid: number): number {
  const [, resident] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
  return (Number(resident) * pageBytes) / 1_048_576
}

export const startUp: EngineMeasure = {
  name: 'start-up',
  on: engineNames,
  async run({ engine, say }) {
    const figures: Figure[] = []
    let few: Start | null = null
    for (const jobs of sizes) {
      say(`start-up with ${jobs} jobs`)
      const found = await startsAmong(engine, jobs)
      few ??= found
      const compared = (ours: readonly number[], theirs: readonly number[]) =>
        few === found ? {} : { against: `${sizes[0]} jobs`, ratio: median(ours) / median(theirs) }
      figures.push(
        {
          name: `process start to the first tick, ${jobs} jobs`,
          value: median(found.ms),
          unit: 'ms',
          spread: spread(found.ms),
          ...compared(found.ms, few.ms),
        },
        {
          name: `resident memory after it, ${jobs} jobs`,
          value: median(found.residentMb),
          unit: 'MB',
          spread: spread(found.residentMb),
          ...compared(found.residentMb, few.residentMb),
        },
      )
    }
    return figures
  },
}
