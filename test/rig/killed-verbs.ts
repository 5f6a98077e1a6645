/**
 * Kills a process with SIGKILL at a step of a verb, and compares what it leaves in the database with what the same verb
 * had committed by that step where nobody was killed: nothing, or all of it.
 */
import type { Store } from '../../src/store/store.ts'
import { differences, outcomeOf } from '../explorer/outcome.ts'
import type { ExploredServer, Tables } from '../explorer/server.ts'
import { Child } from '../process/child.ts'
import { until } from '../process/until.ts'
import { goOn } from './go-on.ts'
import { type BuiltScene, buildKillScene } from './kill-scene.ts'
import { type VerbName, verbs } from './kill-verbs.ts'
import type { Moment, VerbNodeConfig } from './verb-node.ts'
import { watchedStore } from './watched-steps.ts'

export interface KillStep {
  readonly nth: number
  /** Others see something new once it was answered. */
  readonly commits: boolean
}

/** What a verb has committed after each of its steps; first, before all of them. */
type Committed = readonly Tables[]

const sceneName = 'kills'

export class KilledVerbs {
  readonly #server: ExploredServer
  readonly #store: Store
  readonly #nodeUrl: string
  readonly #effects: string
  readonly #committed = new Map<VerbName, Committed>()
  /** What went wrong after a death that left these rows: the others see nothing else of it, so the same again goes on alike. */
  readonly #wentOn = new Map<string, readonly string[]>()
  #scene: BuiltScene | null = null

  /** `store` is for what is not killed: it builds the scene, and goes on afterwards. `effects` is a table of handlers. */
  constructor(server: ExploredServer, store: Store, nodeUrl: string, effects: string) {
    this.#server = server
    this.#store = store
    this.#nodeUrl = nodeUrl
    this.#effects = effects
  }

  async open(): Promise<void> {
    this.#scene = await buildKillScene(this.#store, this.#effects)
    await this.#server.keep(sceneName)
  }

  /** Runs a verb that nobody kills, and looks at the database after every step. */
  async steps(verb: VerbName): Promise<readonly KillStep[]> {
    await this.#server.restore(sceneName)
    const committed = [await this.#server.rows()]
    const store = watchedStore(this.#server.parts, {
      connected: () => {},
      step: async (_, send) => {
        const answer = await send()
        committed.push(await this.#server.rows())
        return answer
      },
    })
    await verbs[verb](store, this.#built.given)
    await store.close()
    this.#committed.set(verb, committed)
    return committed.slice(1).map((rows, index) => {
      return { nth: index + 1, commits: unlike(rows, committed[index]).length > 0 }
    })
  }

  /** In a process of its own that nobody kills: how many steps it says that it took, and what differs from the run here. */
  async runWhole(verb: VerbName): Promise<{ readonly steps: unknown; readonly unlike: readonly string[] }> {
    const committed = this.#committedBy(verb)
    const child = await this.#start({ verb, nth: committed.length, moment: 'before' })
    const { steps } = await child.heard('ended')
    await child.exited
    return { steps, unlike: unlike(await this.#server.rows(), committed.at(-1)) }
  }

  /** How the process ended, and what its database has that it should not have by then. */
  async kill(verb: VerbName, moment: Moment, nth: number) {
    const child = await this.#start({ verb, nth, moment })
    const { signal } = await child.exited
    for (const { connectionId } of child.all('connected')) {
      const isGone = async () => !(await this.#server.has(Number(connectionId)))
      await until('the server to end what was left open', isGone)
    }
    const left = await this.#server.rows()
    // Only of a step that was under way can nobody say whether it was done.
    const done = { before: [nth - 1], during: [nth - 1, nth], after: [nth] }[moment]
    const found = done.map((step) => unlike(left, this.#after(verb, step)))
    return { signal, unlike: found.some(({ length }) => length === 0) ? [] : found.flat() }
  }

  /** What goes wrong when the others go on. */
  async goOn(): Promise<readonly string[]> {
    const left = JSON.stringify(await this.#server.rows())
    const wrong = this.#wentOn.get(left) ?? (await this.#goOnHere())
    this.#wentOn.set(left, wrong)
    return wrong
  }

  async #goOnHere(): Promise<readonly string[]> {
    // A process of its own: what another death has left under the same id was another row.
    const store = watchedStore(this.#server.parts, { connected: () => {}, step: (_, send) => send() })
    try {
      return await goOn(store, this.#server, this.#built)
    } finally {
      await store.close()
    }
  }

  async #start(what: Pick<VerbNodeConfig, 'verb' | 'nth' | 'moment'>): Promise<Child> {
    await this.#server.restore(sceneName)
    const { dialect } = this.#server.parts
    const config: VerbNodeConfig = { ...what, url: this.#nodeUrl, dialect, given: this.#built.given }
    return new Child('../rig/verb-node.ts', config)
  }

  get #built(): BuiltScene {
    if (this.#scene === null) throw new Error('The scene is not built yet.')
    return this.#scene
  }

  /** Nothing of it, or from its commit on all of it. */
  #after(verb: VerbName, step: number): Tables | undefined {
    const committed = this.#committedBy(verb)
    return unlike(committed[step] ?? {}, committed.at(-1)).length === 0 ? committed.at(-1) : committed[0]
  }

  #committedBy(verb: VerbName): Committed {
    const committed = this.#committed.get(verb)
    if (committed === undefined) throw new Error(`The steps of ${verb} are not known yet.`)
    return committed
  }
}

/** What stands in one and not in the other, apart from what a database gives by itself. */
function unlike(seen: Tables, expected: Tables = {}): string[] {
  const [here, there] = [outcomeOf({}, seen), outcomeOf({}, expected)]
  return JSON.stringify(here) === JSON.stringify(there) ? [] : differences(here, there)
}
