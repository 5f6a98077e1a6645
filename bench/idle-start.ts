/** From `enqueue` until the handler is called, on a node that has nothing to do: in the same process, and in another. */
import { defineJob } from '../src/index.ts'
import { withNodes } from './child-node.ts'
import { type Engine, engineNames } from './engines/engine.ts'
import { machineMs } from './machine-time.ts'
import { type EngineMeasure, quantilesOf, sleep } from './measure.ts'
import { withEvertick } from './scratch-database.ts'

const count = 100
/** Long enough for the last end to be written and the node to sleep again. */
const restMs = 20

async function inOneProcess(engine: Engine): Promise<number[]> {
  let called = (_: number) => {}
  const job = defineJob({ name: 'idle', run: () => called(performance.now()) })
  return await withEvertick(engine, { jobs: [job] }, async (evertick) => {
    await evertick.start()
    const times: number[] = []
    for (let n = 0; n < count; n += 1) {
      await sleep(restMs)
      const startedAt = performance.now()
      const begun = new Promise<number>((resolve) => {
        called = resolve
      })
      await evertick.enqueue(job)
      times.push((await begun) - startedAt)
    }
    return times
  })
}

/** The producer only opens; another process is the node. */
async function betweenProcesses(engine: Engine): Promise<number[]> {
  return await withEvertick(engine, {}, async (evertick, { url }) =>
    withNodes(async (start) => {
      const node = await start({ database: url })
      const times: number[] = []
      for (let n = 0; n < count; n += 1) {
        await sleep(restMs)
        const begun = node.next('ran')
        const startedAt = machineMs()
        await evertick.enqueue('bench')
        times.push((await begun).at - startedAt)
      }
      return times
    }),
  )
}

export const idleStart: EngineMeasure = {
  name: 'idle-start',
  on: engineNames,
  async run({ engine, say }) {
    say('idle start, one process')
    const same = await inOneProcess(engine)
    say('idle start, two processes')
    const other = await betweenProcesses(engine)
    return [
      ...quantilesOf('idle start', 'ms', same),
      ...quantilesOf('idle start in another process', 'ms', other),
    ]
  },
}
