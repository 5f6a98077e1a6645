/** Orders and effects for nodes that die: what was acknowledged, what a witness outside the database saw, what must hold. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Evertick } from '../../src/index.ts'
import type { Child } from '../process/child.ts'
import { effect, order } from '../process/kill-jobs.ts'
import {
  expectAttemptsWithinLimits,
  expectQuiet,
  expectTermsApart,
  type Row,
  type Scene,
} from '../process/scene.ts'
import { until } from '../process/until.ts'

export class OrderWork {
  readonly orders: { readonly number: number; readonly id: string }[] = []
  readonly effects: string[] = []
  readonly #scene: Scene
  readonly #evertick: Evertick
  readonly #file: string
  readonly #stopping = new AbortController()
  readonly #done: Promise<void>

  private constructor(scene: Scene, evertick: Evertick) {
    this.#scene = scene
    this.#evertick = evertick
    this.#file = join(scene.folder, 'effects')
    this.#done = this.#produce()
  }

  /** Enqueues without a pause until `finish`; the producer is never killed. */
  static async begin(scene: Scene): Promise<OrderWork> {
    const evertick = await scene.producer({ jobs: [order, effect] })
    scene.door.exec('CREATE TABLE orders (number INTEGER NOT NULL, execution_id TEXT NOT NULL)')
    return new OrderWork(scene, evertick)
  }

  /** A node that does the work, and may be told at which line to die. */
  node(env: Readonly<Record<string, string>> = {}): Child {
    return this.#scene.start('kill-node.ts', { effects: this.#file }, env)
  }

  /** The witness: a line for each effect, `executionId attempt`, that no database can take back. */
  witnessed(): string[] {
    return (existsSync(this.#file) ? readFileSync(this.#file, 'utf8').split('\n') : []).slice(0, -1)
  }

  /** The node that is left works everything off and stops. */
  async finish(last: Child): Promise<void> {
    await last.heard('elected')
    this.#stopping.abort()
    await this.#done
    await this.#scene.settled()
    const now = Date.now()
    const behind = 'evertick_jobs WHERE next_due_at IS NOT NULL AND accounted_until <= ?'
    await until('the cursors to pass the end of the work', () => this.#scene.count(behind, now) === 0)
    last.send('SIGTERM')
    expectGraceful(await last.exited)
  }

  /** Every tick accounted once, every order once, nothing lost. */
  async expectWhole(): Promise<{ readonly ticks: number; readonly terms: number }> {
    const audit = await this.#evertick.audit()
    const terms = expectTermsApart(this.#scene)
    expectAttemptsWithinLimits(this.#scene)
    expectQuiet(this.#scene.children)
    const done = this.#scene.rows(`SELECT id FROM evertick_job_executions WHERE state = 'completed'`)
    expectNothingLost(this, {
      audit,
      completed: new Set(done.map(({ id }) => id)),
      written: this.#scene.rows('SELECT number, execution_id AS id FROM orders ORDER BY number'),
    })
    return { ticks: audit.ticks, terms }
  }

  async #produce(): Promise<void> {
    for (let number = 0; !this.#stopping.signal.aborted; number += 1) {
      this.orders.push({ number, id: (await this.#evertick.enqueue(order, { number })).id })
      if (number % 3 === 0) this.effects.push((await this.#evertick.enqueue(effect, { number })).id)
      await delay(5)
    }
  }
}

function expectGraceful(exit: Awaited<Child['exited']>): void {
  expect(exit).toEqual({ code: 0, signal: null })
}

interface Left {
  readonly audit: object
  readonly completed: ReadonlySet<unknown>
  readonly written: readonly Row[]
}

function expectNothingLost(work: OrderWork, { audit, completed, written }: Left): void {
  expect(audit).toMatchObject({ ok: true, unaccounted: 0, doubled: 0, findings: [], jobs: 5 })
  const acknowledged = [...work.orders.map(({ id }) => id), ...work.effects]
  expect(acknowledged.filter((id) => !completed.has(id))).toEqual([])
  expect(written).toEqual(work.orders)
  // Outside the database it is at least once: once per counted attempt at most.
  const witnessed = work.witnessed()
  expect(new Set(witnessed).size).toBe(witnessed.length)
  const touched = new Set(witnessed.map((line) => line.split(' ')[0]))
  expect(work.effects.filter((id) => !touched.has(id))).toEqual([])
}
