/** What the tests of promises share: nodes that are stopped when their test ends, database files, and short words. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import { parseDuration } from '../../src/core/schedule/duration.ts'
import type { Duration, ExecutionView, ExplainedTickView, JobContext, Logger } from '../../src/index.ts'
import { ManualClock, openTestNode, type TestNode, type TestNodeOptions } from '../../src/testing/index.ts'

/** When every test begins. */
export const t0 = Date.parse('2026-01-01T00:00:00Z')

/** An instant as seconds since the test began. */
export const secondsOf = (instant: Date | null): number | null =>
  instant === null ? null : (instant.getTime() - t0) / 1000

export const at = (seconds: number): Date => new Date(t0 + seconds * 1000)

export const quiet: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** Of two nodes that share it: each sees within a second what the other has written. */
export class SharedClock extends ManualClock {
  override readonly longestSleepMs = 120_000
}

/** Opens a node that ends with its test. */
export async function openNode(options: TestNodeOptions = {}): Promise<TestNode> {
  const node = await openTestNode({ logger: quiet, ...options })
  onTestFinished(() => node.stop())
  return node
}

/** Stops a node, lets time pass with nobody there, and opens it again. */
export async function afterOutage(
  node: TestNode,
  duration: Duration,
  options: TestNodeOptions & { readonly database: string },
): Promise<TestNode> {
  await node.stop()
  node.clock.moveTo(node.clock.now() + parseDuration(duration, 'duration'))
  return await openNode({ ...options, clock: node.clock })
}

/** Lets time pass for several nodes that share a clock. */
export async function pass(
  nodes: readonly TestNode[],
  clock: ManualClock,
  duration: Duration,
): Promise<void> {
  const settle = async () => {
    for (const node of nodes) await node.settle()
  }
  const until = clock.now() + parseDuration(duration, 'duration')
  await settle()
  for (let next = clock.nextTimerAt(); next !== null && next <= until; next = clock.nextTimerAt()) {
    clock.moveTo(next)
    await settle()
  }
  clock.moveTo(until)
  await settle()
}

export interface DatabaseFile {
  /** For `database`. */
  readonly url: string
  readonly path: string
  /** Reads or writes behind Evertick's back. */
  sql(text: string, ...params: SQLInputValue[]): Record<string, unknown>[]
  /** Before the test ends, where one test needs many. */
  remove(): void
}

/** A database file of this test alone; in memory where the machine allows, since every commit is synced. */
export function databaseFile(): DatabaseFile {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'evertick-promises-'))
  const path = join(folder, 'evertick.db')
  const remove = () => rmSync(folder, { recursive: true, force: true })
  onTestFinished(remove)
  return {
    remove,
    url: `sqlite:${path}`,
    path,
    sql(text, ...params) {
      const client = new DatabaseSync(path)
      try {
        client.exec('PRAGMA busy_timeout = 5000')
        return client.prepare(text).all(...params)
      } finally {
        client.close()
      }
    },
  }
}

/** How many ticks have which account: `{ fired: 3, 'skipped: paused': 6 }`. */
export function tally(ticks: readonly ExplainedTickView[]): Record<string, number> {
  return countBy(ticks, ({ account, reason }) => (account === 'skipped' ? `skipped: ${reason}` : account))
}

/** How many executions are in which state: `{ completed: 3, 'cancelled: superseded': 12 }`. */
export function statesOf(executions: readonly ExecutionView[]): Record<string, number> {
  return countBy(executions, ({ state, cancelReason }) =>
    state === 'cancelled' ? `cancelled: ${cancelReason}` : state,
  )
}

export function countBy<T>(items: readonly T[], key: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const item of items) counts[key(item)] = (counts[key(item)] ?? 0) + 1
  return counts
}

/** A handler that takes this long and heeds its signal. */
export function lasting(clock: ManualClock, durationMs: number): (context: JobContext) => Promise<void> {
  return async ({ signal }) => {
    await clock.sleep(durationMs, signal)
    signal.throwIfAborted()
  }
}
