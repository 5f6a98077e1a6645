/**
 * Two threads, each a verb on a store of its own, that stand still before every statement. One is let go at a time, for
 * one statement, so that a schedule decides the order in which a server sees them, and nothing else does.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { processHost } from '../../src/store/host.ts'
import { isInsert, type ScriptContext, type Step } from '../../src/store/sql/runtime/script.ts'
import { ServerDriver } from '../../src/store/sql/runtime/server-driver.ts'
import type { Session, SessionPool } from '../../src/store/sql/runtime/server-session.ts'
import { createSqlStore } from '../../src/store/sql/sql-store.ts'
import type { Store } from '../../src/store/store.ts'
import { scriptContext } from '../store/builders.ts'
import type { ServerParts } from '../store/races/gate.ts'

export type Name = 'A' | 'B'

/** The first goes so many steps, then the other so many, then the first to its end, then the other to its end. */
export interface Schedule {
  readonly first: Name
  readonly steps: number
  readonly otherSteps: number
}

/** Whether the server keeps this connection waiting for a row that another transaction holds. */
export type Waits = (connectionId: number) => Promise<boolean>

/** Far more than two verbs have, each run again ten times. */
const mostSteps = 600
const lookEveryMs = 3
const mostLooks = 5_000
/** Who lost to the other runs again at once: the schedule says who comes first, not a nap. */
const host = { ...processHost, sleep: async () => {}, random: () => 0 }

/** What became of a call: its answer, or the error that it threw. */
export type Reply = { readonly answer: unknown } | { readonly error: unknown }

export class Thread {
  readonly name: Name
  readonly store: Store
  steps = 0
  reply: Reply | null = null
  connectionId = 0
  readonly #told: string[]
  #go: (() => void) | null = null
  #isFree = false
  #still = Promise.withResolvers<void>()

  constructor(name: Name, parts: ServerParts, pool: SessionPool, told: string[]) {
    this.name = name
    this.#told = told
    let context: ScriptContext = scriptContext(name)
    const engine = {
      ...parts.engine,
      openPool: () => ({
        acquire: async () => {
          // A script that is run again makes the same ids again.
          context = scriptContext(name)
          return this.#gated(await pool.acquire())
        },
        close: async () => {},
      }),
    }
    const driver = new ServerDriver(engine, host, { pulse: 1, work: 1, handlers: 1 })
    const given = { newId: (now: number) => context.newId(now), tzVersion: context.tzVersion }
    this.store = createSqlStore(parts.dialect, driver, parts.hot(), given)
  }

  get isStanding(): boolean {
    return this.#go !== null
  }

  get isGoing(): boolean {
    return this.#go === null && this.reply === null
  }

  start(verb: (store: Store) => Promise<unknown>): void {
    void this.#run(verb)
  }

  /** Resolves once it stands before its next statement, or has ended. */
  async still(): Promise<void> {
    await this.#still.promise
  }

  /** Lets one statement go. */
  letGo(): void {
    const go = this.#go
    this.#go = null
    this.#still = Promise.withResolvers()
    go?.()
  }

  /** Lets all go, and waits for the end: a transaction left open would hold its rows for the next run. */
  async toItsEnd(): Promise<void> {
    this.#isFree = true
    this.letGo()
    while (this.reply === null) await this.still()
  }

  async #run(verb: (store: Store) => Promise<unknown>): Promise<void> {
    try {
      this.reply = { answer: await verb(this.store) }
    } catch (error) {
      this.reply = { error }
    }
    this.#still.resolve()
  }

  async #step<T>(session: Session, text: string, run: () => Promise<T>): Promise<T> {
    if (this.#isFree) return await run()
    await new Promise<void>((resolve) => {
      this.#go = resolve
      this.#still.resolve()
    })
    this.steps += 1
    this.connectionId = connectionIdOf(session)
    this.#told.push(`${this.name}  ${text}`)
    return await run()
  }

  #gated(session: Session): Session {
    return {
      client: session.client,
      run: async (step) => await this.#step(session, textOf(step), async () => await session.run(step)),
      query: async (text, params) =>
        await this.#step(session, text, async () => await session.query(text, params)),
      // Not a step: nothing is read or held before the first statement of a READ COMMITTED transaction.
      begin: async (kind) => await session.begin(kind),
      commit: async () => await this.#step(session, 'COMMIT', async () => await session.commit()),
      rollback: async () => await this.#step(session, 'ROLLBACK', async () => await session.rollback()),
      release: (broken) => session.release(broken),
    }
  }
}

/** One verb from its begin to its end, with nobody beside it. */
export async function alone(
  thread: Thread,
  verb: (store: Store) => Promise<unknown>,
  waits: Waits,
): Promise<void> {
  thread.start(verb)
  for (let taken = 0; taken < mostSteps && thread.reply === null; taken += 1) {
    await settle([thread], waits)
    thread.letGo()
  }
  await settle([thread], waits)
}

/** Plays a schedule to its end. A thread that waits for the other gives its turn away. */
export async function play(
  threads: Readonly<Record<Name, Thread>>,
  schedule: Schedule,
  waits: Waits,
): Promise<void> {
  const first = threads[schedule.first]
  const other = threads[schedule.first === 'A' ? 'B' : 'A']
  const both = [first, other]
  await settle(both, waits)
  const turns: readonly (readonly [Thread, number])[] = [
    [first, schedule.steps],
    [other, schedule.otherSteps],
  ]
  for (const [thread, steps] of turns) {
    for (let taken = 0; taken < steps && thread.isStanding; taken += 1) await step(thread)
  }
  for (let taken = 0; taken < mostSteps && both.some(({ reply }) => reply === null); taken += 1) {
    await step(first.isStanding ? first : other)
  }

  async function step(thread: Thread): Promise<void> {
    thread.letGo()
    await settle(both, waits)
  }
}

/** Waits until each thread stands, has ended, or waits for the other; one of them can go on, or both have ended. */
async function settle(threads: readonly Thread[], waits: Waits): Promise<void> {
  for (let looks = 0; looks < mostLooks; looks += 1) {
    const still = Promise.all(threads.filter(({ isGoing }) => isGoing).map((thread) => thread.still()))
    await Promise.race([still, sleep(lookEveryMs)])
    const going = threads.filter(({ isGoing }) => isGoing)
    if (going.length === 0) return
    // Where both wait for each other, the server ends one of them; and nobody waits long for one that has ended.
    if (!threads.some(({ isStanding }) => isStanding)) continue
    const waiting = await Promise.all(going.map(({ connectionId }) => waits(connectionId)))
    if (waiting.every((isWaiting, index) => isWaiting && going[index]?.isGoing)) return
  }
  throw new Error('A statement neither ended nor waited for the other thread.')
}

function textOf(step: Step): string {
  if (isInsert(step)) return `INSERT INTO @${step.into} (${step.rows.length} rows)`
  return step.text.replaceAll(/\s+/g, ' ').trim()
}

function connectionIdOf({ client }: Session): number {
  const { processID, threadId } = client as { processID?: number; threadId?: number }
  return processID ?? threadId ?? 0
}
