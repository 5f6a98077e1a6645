/**
 * The configuration of nodes whose work shares limits, and that are killed at it. It is copied into their project, where the
 * library is called 'evertick'. Each handler is its own witness: it leaves a file while it runs, and counts those of its key.
 */
import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { defineConfig, defineJob } from '../../../src/index.ts'

const { CLUSTER_DATABASE = '', CLUSTER_FOLDER = '' } = process.env

export default defineConfig({
  database: CLUSTER_DATABASE,
  leader: { lease: '2s', heartbeat: '600ms', sweep: '500ms' },
  worker: { lease: '4s' },
  queues: { default: { concurrency: 10 } },
  limits: { provider: { concurrency: 5 } },
  jobs: [
    defineJob<{ customer: string }>({
      name: 'call',
      retry: { attempts: 50, base: 50, factor: 1 },
      retention: { executions: 1_000_000 },
      limits: [{ by: 'input.customer', concurrency: 2 }, 'provider'],
      async run(ctx) {
        const leave = ['provider', ctx.input.customer].map((key) =>
          enter(key, `${ctx.executionId}-${ctx.attempt}`),
        )
        await delay(5 + Math.random() * 60)
        for (const left of leave) left()
      },
    }),
    defineJob({ name: 'plain', retention: { executions: 1_000_000 }, run: () => {} }),
  ],
})

/** Its file is there before it counts: of two that begin at once, at least one sees both. */
function enter(key: string, execution: string): () => void {
  const folder = join(CLUSTER_FOLDER, 'running', key)
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${process.pid} ${execution}`)
  writeFileSync(file, '')
  const live = readdirSync(folder).filter((name) => isAlive(Number(name.split(' ')[0])))
  appendFileSync(join(CLUSTER_FOLDER, 'seen'), `${key} ${live.length}\n`)
  return () => rmSync(file)
}

/** Whoever was killed runs nothing any more, though its lease has not run out yet. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
