/** One node in a process of its own, with a job that does nothing. It says what happens to it, and when, to bench/child-node.ts. */

import { Evertick } from '../src/evertick.ts'
import { defineJob, type EvertickOptions } from '../src/index.ts'
import type { Order, Said, Saying } from './child-node.ts'
import { machineMs } from './machine-time.ts'
import { countCalls } from './store-calls.ts'

function say(saying: Saying): void {
  if (process.connected) process.send?.({ at: machineMs(), ...saying } satisfies Said)
}

/** Many ends share a message: it must not be what is measured. */
const gatherMs = 5
let completed = 0
let gathering: NodeJS.Timeout | null = null

function sayCompleted(): void {
  completed += 1
  gathering ??= setTimeout(() => {
    gathering = null
    say({ say: 'completed', count: completed })
  }, gatherMs)
}

const job = defineJob({ name: 'bench', run: () => say({ say: 'ran' }) })
const quiet = defineJob({ name: 'quiet', run: () => {} })

const calls = countCalls()
const options = JSON.parse(process.argv[2] ?? '{}') as EvertickOptions
const evertick = await Evertick.openWith({ ...options, jobs: [job, quiet] }, { wrap: calls.wrap })
evertick.on('leader:elected', () => say({ say: 'elected' }))
evertick.on('tick:accounted', () => say({ say: 'accounted' }))
evertick.on('execution:completed', sayCompleted)

process.on('disconnect', () => process.exit())
process.on('message', (order: Order) => {
  if (order.do === 'sample') void sample(order.ms)
  else say({ say: 'counted', calls: calls.all, claims: calls.claims, emptyClaims: calls.emptyClaims })
})

async function sample(ms: number): Promise<void> {
  const before = { cpu: process.cpuUsage(), calls: calls.all, at: performance.now() }
  await new Promise((resolve) => setTimeout(resolve, ms))
  const seconds = (performance.now() - before.at) / 1_000
  const { user, system } = process.cpuUsage(before.cpu)
  const cores = (user + system) / 1e6 / seconds
  say({ say: 'sampled', cores, callsPerSecond: (calls.all - before.calls) / seconds })
}

await evertick.start()
say({ say: 'started' })
process.once('SIGTERM', () => void evertick.stop().then(() => process.exit()))
