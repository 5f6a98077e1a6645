/** The servers of the comparison, each started when it is first asked for and shared by all that run on it. */
import type { Engine } from '../engines/engine.ts'
import { openEngine } from '../engines/open-engine.ts'
import { settingsOf } from '../scratch-database.ts'
import type { StoreName } from './contender.ts'
import { openRedis } from './redis-server.ts'

/** Lives as long as one run of one contender. */
export interface Scratch {
  readonly url: string
  drop(): Promise<void>
}

export interface Store {
  /** The version and what a write promises, read back from the server. */
  settings(): Promise<string>
  scratch(): Promise<Scratch>
  /** For the raw limit and for the lateness of ours; Redis has none. */
  readonly engine?: Engine
  close(): Promise<void>
}

export class Stores {
  readonly #open = new Map<StoreName, Promise<Store>>()

  async get(name: StoreName): Promise<Store> {
    const open = this.#open.get(name) ?? openStore(name)
    this.#open.set(name, open)
    return await open
  }

  async engine(name: StoreName): Promise<Engine> {
    const { engine } = await this.get(name)
    if (engine === undefined) throw new Error(`${name} is no engine of ours`)
    return engine
  }

  async close(): Promise<void> {
    const open = await Promise.allSettled(this.#open.values())
    for (const store of open) if (store.status === 'fulfilled') await store.value.close()
  }
}

async function openStore(name: StoreName): Promise<Store> {
  if (name === 'redis' || name === 'redis-always') return await openRedis({ always: name === 'redis-always' })
  const engine = await openEngine(name)
  return {
    engine,
    settings: () => settingsOf(engine),
    scratch: () => engine.createDatabase(),
    close: () => engine.close(),
  }
}
