/** One, two and five nodes on one server, each a process: do they drain together what one drains alone, and without conflicts? */
import { type ChildNode, withNodes } from './child-node.ts'
import type { Engine } from './engines/engine.ts'
import { machineMs } from './machine-time.ts'
import { besides, type EngineMeasure, interleave, median } from './measure.ts'
import { withConnection, withEvertick } from './scratch-database.ts'

const rounds = 3
const count = 20_000
const concurrency = 50
const few = 2
const many = 5

interface Conflicts {
  /** Executions claimed more than once, and deadlocks, of all executions. */
  readonly share: number
  /** Claims that brought nothing, of all claims. */
  readonly empty: number
}

async function drainBy(engine: Engine, nodes: number, conflicts: Conflicts[]): Promise<number> {
  return await withEvertick(engine, {}, async (evertick, database) =>
    withNodes(async (start) => {
      const options = { database: database.url, queues: { default: { concurrency } } }
      const started: ChildNode[] = []
      for (let n = 0; n < nodes; n += 1) started.push(await start(options))
      await evertick.queues.pause('default')
      for (let done = 0; done < count; done += 1_000) {
        await evertick.enqueueMany(Array.from({ length: 1_000 }, (_, n) => ({ job: 'quiet', input: { n } })))
      }
      return await withConnection(database, async (connection) => {
        const before = await connection.counters()
        const idle = await claimsOf(started)
        const finished = allCompleted(started)
        const startedAt = machineMs()
        await evertick.queues.resume('default')
        const ms = (await finished) - startedAt
        const after = await connection.counters()
        const [twice] = await connection.rows('SELECT count(*) AS n FROM @job_executions WHERE fence > 1')
        const deadlocks = (after?.deadlocks ?? 0) - (before?.deadlocks ?? 0)
        const { claims, emptyClaims } = await claimsOf(started)
        conflicts.push({
          share: (Number(twice?.n) + deadlocks) / count,
          empty: (emptyClaims - idle.emptyClaims) / (claims - idle.claims),
        })
        return (count * 1_000) / ms
      })
    }),
  )
}

interface Claims {
  readonly claims: number
  readonly emptyClaims: number
}

async function claimsOf(nodes: readonly ChildNode[]): Promise<Claims> {
  const sum = { claims: 0, emptyClaims: 0 }
  for (const node of nodes) {
    const counted = node.next('counted')
    node.order({ do: 'count' })
    const { claims, emptyClaims } = await counted
    sum.claims += claims
    sum.emptyClaims += emptyClaims
  }
  return sum
}

/** When the last of all executions was completed, by whichever node. */
async function allCompleted(nodes: readonly ChildNode[]): Promise<number> {
  const completed = new Map<ChildNode, number>()
  return await new Promise((resolve) => {
    for (const node of nodes) {
      node.listen((said) => {
        if (said.say !== 'completed') return
        completed.set(node, said.count)
        const all = [...completed.values()].reduce((sum, value) => sum + value, 0)
        if (all >= count) resolve(said.at)
      })
    }
  })
}

export const nodes: EngineMeasure = {
  name: 'nodes',
  on: ['postgres', 'mysql'],
  async run({ engine, say }) {
    say(`drain of ${count} by 1, ${few} and ${many} nodes`)
    const conflicts: Conflicts[] = []
    const works = {
      one: () => drainBy(engine, 1, []),
      few: () => drainBy(engine, few, []),
      many: () => drainBy(engine, many, conflicts),
    }
    const found = await interleave(rounds, works, say)
    const percent = (values: number[]) => median(values) * 100
    return [
      ...besides(`drain ${count} by ${many} nodes`, 'jobs/s', found.many, found.one, '1 node'),
      ...besides(`drain ${count} by ${few} nodes`, 'jobs/s', found.few, found.one, '1 node').slice(0, 1),
      {
        name: `conflicts of ${many} nodes, of executions`,
        value: percent(conflicts.map(({ share }) => share)),
        unit: '%',
      },
      {
        name: `claims of ${many} nodes that brought nothing`,
        value: percent(conflicts.map(({ empty }) => empty)),
        unit: '%',
      },
    ]
  },
}
