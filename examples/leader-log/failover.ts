/** Starts two processes of the app, kills the one that leads, and counts what is in the queue. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'

interface Said {
  readonly say: 'elected' | 'repaired'
  readonly name: string
  readonly enqueued?: number
}

const folder = mkdtempSync(join(tmpdir(), 'evertick-leader-log-'))
const namespace = `evertick-example-${process.pid}`
const redis = new Redis(process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379')
const list = `${namespace}:queue:mail`
const apps = new Map<string, ChildProcess>()

const start = (name: string) => {
  const args = [name, `sqlite:${join(folder, 'evertick.db')}`, namespace]
  const app = fork(join(import.meta.dirname, 'app.ts'), args)
  apps.set(name, app)
  return app
}
const heard = async (app: ChildProcess, say: Said['say']): Promise<Said> => {
  for (;;) {
    const [said] = (await once(app, 'message')) as [Said]
    if (said.say === say) return said
  }
}
const length = async (atLeast: number) => {
  while ((await redis.llen(list)) < atLeast) await new Promise((resolve) => setTimeout(resolve, 100))
}

const first = start('Ann')
await heard(first, 'elected')
console.log('Ann leads, and enqueues a mail every second.')
await length(2)
const second = start('Bob')
await once(second, 'spawn')
first.kill('SIGKILL')
console.log('Ann is killed. Nobody leads.')
const { enqueued } = await heard(second, 'repaired')
console.log(`Bob leads, and has enqueued the ${enqueued} mails that were missed.`)
await length((await redis.llen(list)) + 2)
second.kill()
await once(second, 'exit')

const mails = (await redis.lrange(list, 0, -1)).map(
  (text) => (JSON.parse(text) as { args: [string, string] }).args,
)
const times = [...new Set(mails.map(([at]) => Date.parse(at)))].toSorted((a, b) => a - b)
const span = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000 + 1
for (const [at, by] of mails.toSorted(([a], [b]) => a.localeCompare(b)))
  console.log(`  ${at.slice(11, 19)}  by ${by}`)
console.log(
  `${span} seconds, ${mails.length} mails, ${span - times.length} lost, ${mails.length - times.length} doubled.`,
)
const keys = await redis.keys(`${namespace}:*`)
if (keys.length > 0) await redis.del(...keys)
await redis.quit()
rmSync(folder, { recursive: true })
