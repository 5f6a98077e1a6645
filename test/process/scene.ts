/** A folder of its own with one database file, looked at behind Evertick's back, and what must hold at every end. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { expect } from 'vitest'
import { Evertick, type EvertickOptions } from '../../src/index.ts'
import { Child, endChildren } from './child.ts'
import { until } from './until.ts'

export type Row = Record<string, number | string | null>

export class Scene {
  readonly folder = mkdtempSync(join(tmpdir(), 'evertick-process-'))
  readonly file = join(this.folder, 'evertick.db')
  readonly url = `sqlite:${this.file}`
  readonly children: Child[] = []
  #evertick: Evertick | null = null
  #door: DatabaseSync | null = null

  start(script: string, config: object = {}, env: Readonly<Record<string, string>> = {}): Child {
    const child = new Child(script, { database: this.url, folder: this.folder, ...config }, env)
    this.children.push(child)
    return child
  }

  /** A producer on the same file: opened, never started. */
  async producer(options: Omit<EvertickOptions, 'database'>): Promise<Evertick> {
    this.#evertick = await Evertick.open({ database: this.url, ...options })
    return this.#evertick
  }

  get door(): DatabaseSync {
    if (this.#door === null) {
      this.#door = new DatabaseSync(this.file)
      this.#door.exec('PRAGMA busy_timeout = 10000')
    }
    return this.#door
  }

  rows(text: string, ...params: SQLInputValue[]): Row[] {
    return this.door.prepare(text).all(...params) as Row[]
  }

  count(text: string, ...params: SQLInputValue[]): number {
    const [row] = this.rows(`SELECT count(*) AS n FROM ${text}`, ...params)
    return Number(row?.n)
  }

  /** Stops a process for sure outside a transaction: one that is stopped in the middle of its commit locks the file. */
  async freeze(child: Child): Promise<void> {
    this.door.exec('BEGIN IMMEDIATE')
    try {
      await child.freeze()
    } finally {
      this.door.exec('ROLLBACK')
    }
  }

  async settled(): Promise<void> {
    const unfinished = `evertick_job_executions WHERE cause = 'enqueue' AND state IN ('pending', 'running', 'retrying')`
    // As long as it gets fewer, it goes on: how fast is the bench's affair.
    for (;;) {
      const left = this.count(unfinished)
      if (left === 0) return
      await until(`the ${left} left of what was enqueued`, () => this.count(unfinished) < left)
    }
  }

  async close(): Promise<void> {
    await endChildren()
    this.#door?.close()
    await this.#evertick?.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A lease that ran out and a lead that is waited for are worth a warning; whatever else a node has to say is a fault. */
export function expectQuiet(
  children: readonly Child[],
  allowed = /^(?:Lease of .* expired; it was held by |Waiting for the lead, held by |Taking the lead from )/,
): void {
  const loud = children.flatMap((child) => [
    ...child.all('warning'),
    ...child.all('error'),
    ...child.all('text'),
  ])
  expect(loud.filter(({ message }) => typeof message !== 'string' || !allowed.test(message))).toEqual([])
  expect(children.map((child) => child.stderr).filter((text) => text !== '')).toEqual([])
}

/** By the leader log alone: nobody began a term before the one before it had ended, or was last heard of. */
export function expectTermsApart(scene: Scene): number {
  const terms = scene.rows('SELECT * FROM scheduler_leader_log ORDER BY id')
  expectNoOverlap(terms)
  return terms.length
}

/** The rows of any engine's leader log, by their ids. */
export function expectNoOverlap(terms: readonly Row[]): void {
  const overlaps = terms.filter((term, index) => {
    const before = terms[index - 1]
    if (before === undefined) return false
    return instant(term.start_time) < instant(before.stop_time ?? before.last_heartbeat)
  })
  expect(overlaps).toEqual([])
}

/** Of the leader log, in milliseconds. */
export function instant(written: unknown): number {
  return Date.parse(`${String(written).replace(' ', 'T')}Z`)
}

/** Every end of an attempt is one row or the execution itself: no more tries than allowed, none twice. */
export const brokenLimits = [
  'SELECT id, attempt, max_attempts FROM @job_executions WHERE attempt > max_attempts',
  `SELECT execution_id, attempt FROM @attempts WHERE outcome IN ('crashed', 'error', 'failed')
   GROUP BY execution_id, attempt HAVING count(*) > 1`,
]

export function expectAttemptsWithinLimits(scene: Scene): void {
  for (const text of brokenLimits) expect(scene.rows(text.replaceAll('@', 'evertick_'))).toEqual([])
}
