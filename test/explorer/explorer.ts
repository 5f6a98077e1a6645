/**
 * Runs two verbs at once in every order of their statements, two preemptions deep, and holds what came of it against the
 * two serial orders of the same two: the replies and all rows must be those of one of them. What a serial order leaves
 * behind is held against the promises of its replies and the proof of the ledger. So every interleaving is.
 */
import assert from 'node:assert/strict'
import type { SessionPool } from '../../src/store/sql/runtime/server-session.ts'
import type { Store } from '../../src/store/store.ts'
import { isAllowed } from './allowances.ts'
import { alone, type Name, play, type Schedule, Thread } from './conductor.ts'
import { History } from './history.ts'
import { nameOf, type Pair, schedulesOf } from './interleaving.ts'
import { differences, type Outcome, outcomeOf, replyText } from './outcome.ts'
import { buildScene, sceneNames, type Verbs } from './scenes.ts'
import type { ExploredServer, Row } from './server.ts'

interface Built {
  readonly verbs: Verbs
  /** How it came to be. */
  readonly history: History
}

export interface Explored {
  readonly played: number
  /** How many schedules the pair has. */
  readonly of: number
  /** The first interleaving that went wrong, in words. */
  readonly fault: string | null
}

/** The orders that a pair has, and what is right after them. */
interface Expected {
  readonly serial: readonly Outcome[]
  readonly schedules: readonly Schedule[]
}

export class Explorer {
  readonly #server: ExploredServer
  readonly #store: Store
  readonly #scenes = new Map<string, Built>()
  readonly #pools: Readonly<Record<Name, SessionPool>>

  /** The store is for what is not explored: to build scenes, and to audit them. */
  constructor(server: ExploredServer, store: Store) {
    this.#server = server
    this.#store = store
    const open = () => server.parts.engine.openPool(2, { answerMs: null, transactionMs: null })
    this.#pools = { A: open(), B: open() }
  }

  async open(): Promise<void> {
    for (const name of sceneNames) {
      await this.#server.restore(null)
      const history = new History(async () => await this.#server.rows())
      const verbs = await buildScene(name, history.recording(this.#store))
      this.#scenes.set(name, { verbs, history })
      await this.#server.keep(name)
    }
  }

  /** Each verb of a scene beside each other, and beside itself. */
  pairs(): Pair[] {
    return [...this.#scenes].flatMap(([scene, { verbs }]) => {
      const names = Object.keys(verbs)
      return names.flatMap((A, index) => names.slice(index).map((B) => ({ scene, A, B })))
    })
  }

  /** Plays the chosen ones of a pair's schedules, up to the first whose outcome no serial order has. */
  async explore(
    pair: Pair,
    choose: (schedules: readonly Schedule[]) => readonly Schedule[],
  ): Promise<Explored> {
    const { serial, schedules } = await this.#expected(pair)
    const right = new Set(serial.map((outcome) => JSON.stringify(outcome)))
    let played = 0
    for (const schedule of choose(schedules)) {
      const told: string[] = []
      const outcome = await this.#play(pair, schedule, told)
      played += 1
      if (right.has(JSON.stringify(outcome))) continue
      if (serial.some((order) => isAllowed(outcome, order, pair))) continue
      if (!(await this.#isPassingOver(pair, outcome))) {
        const fault = this.#report(pair, schedule, told, outcome, serial)
        return { played, of: schedules.length, fault }
      }
      right.add(JSON.stringify(outcome))
    }
    return { played, of: schedules.length, fault: null }
  }

  async close(): Promise<void> {
    await Promise.all([this.#pools.A.close(), this.#pools.B.close()])
  }

  async #expected(pair: Pair): Promise<Expected> {
    const steps = { A: 0, B: 0 }
    const inOrder = await this.#serial(pair, ['A', 'B'], [], steps)
    const reversed = await this.#serial(pair, ['B', 'A'], [], steps)
    return { serial: [inOrder, reversed], schedules: schedulesOf(steps, pair) }
  }

  async #play(pair: Pair, schedule: Schedule, told: string[]): Promise<Outcome> {
    await this.#server.restore(pair.scene)
    const threads = { A: this.#thread('A', told), B: this.#thread('B', told) }
    for (const thread of [threads.A, threads.B]) thread.start(this.#verbOf(pair, thread.name))
    try {
      await play(threads, schedule, this.#server.waits)
    } catch (error) {
      await Promise.all([threads.A.toItsEnd(), threads.B.toItsEnd()])
      throw new Error(`${nameOf(pair, schedule)}\n${told.join('\n')}`, { cause: error })
    }
    return await this.#outcome({ A: threads.A, B: threads.B })
  }

  async #serial(
    pair: Pair,
    order: readonly Name[],
    held: readonly string[],
    steps: Record<Name, number>,
  ): Promise<Outcome> {
    await this.#server.restore(pair.scene)
    const history = new History(async () => await this.#server.rows(), this.#scenes.get(pair.scene)?.history)
    const threads: Partial<Record<Name, Thread>> = {}
    for (const name of order) {
      const thread = this.#thread(name, [])
      threads[name] = thread
      const verb = this.#verbOf(pair, name)
      const run = async () =>
        await alone(thread, (store) => verb(history.recording(store)), this.#server.waits)
      await (held.length > 0 && passesOver(pair[name]) ? this.#server.holding(held, run) : run())
      steps[name] = Math.max(steps[name], thread.steps)
    }
    history.check()
    const { unaccounted, doubled, findings } = await this.#store.ticks.auditLedger({})
    assert.deepEqual({ unaccounted, doubled, findings }, { unaccounted: 0, doubled: 0, findings: [] })
    return await this.#outcome(threads as Record<Name, Thread>)
  }

  /** A claim does not wait for what another holds: the same again, with some of the rows held by a third. */
  async #isPassingOver(pair: Pair, seen: Outcome): Promise<boolean> {
    if (!passesOver(pair.A) && !passesOver(pair.B)) return false
    await this.#server.restore(pair.scene)
    const ready = (await this.#server.rows())['job_executions']?.filter(isClaimable) ?? []
    for (const held of subsetsOf(ready.map(({ id }) => String(id)))) {
      for (const order of [
        ['A', 'B'],
        ['B', 'A'],
      ] as const) {
        const outcome = await this.#serial(pair, order, held, { A: 0, B: 0 })
        if (JSON.stringify(outcome) === JSON.stringify(seen)) return true
      }
    }
    return false
  }

  #thread(name: Name, told: string[]): Thread {
    return new Thread(name, this.#server.parts, this.#pools[name], told)
  }

  #verbOf(pair: Pair, me: Name): (store: Store) => Promise<unknown> {
    const verb = this.#scenes.get(pair.scene)?.verbs[pair[me]]
    if (verb === undefined) throw new Error(`The scene ${pair.scene} has no verb "${pair[me]}".`)
    return (store) => verb(store, me)
  }

  #report(
    pair: Pair,
    schedule: Schedule,
    told: readonly string[],
    seen: Outcome,
    serial: readonly Outcome[],
  ): string {
    const name = nameOf(pair, schedule)
    return [
      `No serial order of the two has this outcome: ${name}`,
      ...told.map((line) => `  ${line.slice(0, 160)}`),
      `A (${pair.A}) was told ${seen.replies['A']?.slice(0, 400)}`,
      `B (${pair.B}) was told ${seen.replies['B']?.slice(0, 400)}`,
      ...serial.flatMap((outcome, index) => [
        `beside ${index === 0 ? 'A, then B' : 'B, then A'}:`,
        ...differences(seen, outcome).map((line) => `  ${line}`),
      ]),
      `Again, this one alone: EVERTICK_EXPLORE='${name}' npx vitest run test/servers/${this.#server.parts.dialect}-explorer.test.ts`,
    ].join('\n')
  }

  async #outcome({ A, B }: Readonly<Record<Name, Thread>>): Promise<Outcome> {
    const replies = { A: replyText(A.reply), B: replyText(B.reply) }
    return outcomeOf(replies, await this.#server.rows())
  }
}

function isClaimable({ state }: Row): boolean {
  return state === 'pending' || state === 'retrying'
}

/** Claims pass over rows that another transaction holds: SKIP LOCKED. */
function passesOver(verb: string): boolean {
  return /^claim (one|all|woken|into the reserve)$/.test(verb)
}

function subsetsOf(ids: readonly string[]): string[][] {
  const subsets = ids.reduce<string[][]>((all, id) => [...all, ...all.map((some) => [...some, id])], [[]])
  return subsets.filter(({ length }) => length > 0)
}
