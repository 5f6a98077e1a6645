/** What a node costs that has nothing to do: processor time, calls to the store, and what the server counts. */
import { withNodes } from './child-node.ts'
import { engineNames } from './engines/engine.ts'
import { type EngineMeasure, sleep } from './measure.ts'
import { withConnection, withDatabase } from './scratch-database.ts'

/** The server tells what it has counted up to 10 s later. */
const settleMs = 12_000
const sampleMs = 30_000

export const idleCost: EngineMeasure = {
  name: 'idle-cost',
  on: engineNames,
  async run({ engine, say }) {
    say(`idle cost, a sample of ${sampleMs / 1_000} s`)
    return await withDatabase(engine, async (database) =>
      withNodes(async (start) => {
        const node = await start({ database: database.url, migrate: true })
        return await withConnection(database, async (connection) => {
          await sleep(settleMs)
          const before = await connection.counters()
          const startedAt = performance.now()
          const sampled = node.next('sampled')
          node.order({ do: 'sample', ms: sampleMs })
          const { cores, callsPerSecond } = await sampled
          const after = await connection.counters()
          const seconds = (performance.now() - startedAt) / 1_000
          const figures = [
            { name: 'idle node, share of a core', value: cores * 100, unit: '%' },
            { name: 'idle node, store calls', value: callsPerSecond, unit: '/s' },
          ]
          if (before === null || after === null) return figures
          // Less our own look.
          const asked = (after.asked - before.asked - 1) / seconds
          const name = `idle node, ${engine.name === 'postgres' ? 'transactions' : 'statements'} on the server`
          return [...figures, { name, value: asked, unit: '/s' }]
        })
      }),
    )
  },
}
