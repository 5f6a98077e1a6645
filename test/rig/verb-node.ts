/** One verb of the store in a process of its own, which kills itself at one of the steps that its driver sends. */
import { writeSync } from 'node:fs'
import type { ServerParts } from '../store/races/gate.ts'
import { type Given, type VerbName, verbs } from './kill-verbs.ts'
import { type Watcher, watchedStore } from './watched-steps.ts'

/** Before the step is sent, while it is under way, or once it was answered. */
export type Moment = 'before' | 'during' | 'after'

export interface VerbNodeConfig {
  readonly url: string
  readonly dialect: ServerParts['dialect']
  readonly verb: VerbName
  readonly given: Given
  readonly nth: number
  readonly moment: Moment
}

const config = JSON.parse(process.argv[2] ?? '') as VerbNodeConfig
const { nth, moment } = config
let steps = 0

const watcher: Watcher = {
  connected: (connectionId) => say({ say: 'connected', connectionId }),
  async step(number, send) {
    steps = number
    if (number === nth && moment === 'before') await die()
    const answer = send()
    if (number === nth && moment === 'during') {
      // The drivers write what they gathered in this turn of the loop before the next one begins.
      await new Promise((resolve) => setImmediate(resolve))
      await die()
    }
    await answer
    if (number === nth && moment === 'after') await die()
    return await answer
  },
}

const parts = await partsOf(config)
const store = watchedStore(parts, watcher)
await verbs[config.verb](store, config.given)
say({ say: 'ended', steps })
await store.close()

async function partsOf({ url, dialect }: VerbNodeConfig): Promise<ServerParts> {
  // Only the driver that is needed: hundreds of these processes start.
  if (dialect === 'postgres') return (await import('../store/postgres-parts.ts')).postgresParts(url)
  return await (await import('../store/mysql-parts.ts')).mysqlParts(url)
}

/** At once: what a stream still holds dies with the process. */
function say(said: object): void {
  writeSync(1, `${JSON.stringify(said)}\n`)
}

async function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL')
  return await new Promise(() => {})
}
