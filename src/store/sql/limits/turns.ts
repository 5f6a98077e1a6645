/** Queues in which keys take turns: who gets which turn, and what the claim has come to. */

import { never } from '../../../core/execution/step.ts'
import { noTurns, type Turns } from '../../../core/execution/turns.ts'
import { number, text } from '../runtime/rows.ts'
import { insertRow, type Row, row, rows, run, type Script } from '../runtime/script.ts'
import { turnsList } from './carried-keys.ts'

export interface OfAKey {
  readonly fairKey: string
  readonly queue: string
  readonly priority: number
}

/**
 * A turn beyond the last one that was claimed, and beyond those that its key has waiting. Nobody is held for it: two who make
 * executions of one key at the same moment may give out one turn twice, and then that key has two in that round.
 */
export function* nextTurns(joining: readonly OfAKey[]): Script<number[]> {
  const lastOf = new Map<string, number>()
  const given: number[] = []
  for (const { fairKey, queue, priority } of joining) {
    const last = lastOf.get(fairKey) ?? (yield* lastTurn(fairKey, queue, priority))
    lastOf.set(fairKey, last + 1)
    given.push(last + 1)
  }
  return given
}

function* lastTurn(fairKey: string, queue: string, priority: number): Script<number> {
  const claimed = yield* row('SELECT turn FROM @fair_turns WHERE queue = ? AND priority = ?', queue, priority)
  const waiting = yield* row(
    'SELECT max(turn) AS turn FROM @live_executions WHERE fair_key = ? AND turn > 0 AND waits_for IS NOT NULL',
    fairKey,
  )
  return Math.max(number(claimed?.turn ?? 0), number(waiting?.turn ?? 0))
}

interface NewRow {
  readonly fair_key: string | null
  readonly queue: string | null
  readonly priority: number | null
  readonly ready_at: number | null
  readonly created_at: number | null
  readonly waits_for: string | null
}

/** What is made ready gets its turn at once: else a key with much work would be in front of it. Others get theirs when they are. */
export function* withTurns<Made extends NewRow>(made: readonly Made[]): Script<Made[]> {
  const ready = made.filter(
    ({ fair_key, waits_for, ready_at, created_at }) =>
      fair_key !== null && waits_for === null && number(ready_at) <= number(created_at),
  )
  const turns = yield* nextTurns(ready.map(keyOf))
  const turnOf = new Map(ready.map((row, index) => [row, turns[index] ?? 0]))
  return made.map((row) => {
    const turn = turnOf.get(row)
    if (turn === undefined) return row
    const list = turnsList(text(row.queue))
    return { ...row, waits_for: 'turn', wait_key: list, wait_ready_at: row.ready_at, ready_at: never, turn }
  })
}

function keyOf({ fair_key, queue, priority }: Pick<NewRow, 'fair_key' | 'queue' | 'priority'>): OfAKey {
  return { fairKey: text(fair_key), queue: text(queue), priority: number(priority) }
}

/** Those that are ready and have no turn yet go into the list of their queue, from which the claim takes them. */
export function* joinTurns(ready: readonly Row[]): Script<void> {
  const turns = yield* nextTurns(
    ready.map(({ fair_key, queue, priority }) => ({
      fairKey: text(fair_key),
      queue: text(queue),
      priority: number(priority),
    })),
  )
  for (const [index, { seq, queue }] of ready.entries()) {
    yield* run(
      `UPDATE @live_executions SET wait_ready_at = ready_at, ready_at = ${never}, waits_for = 'turn', wait_key = ?, turn = ?
       WHERE seq = ?`,
      turnsList(text(queue)),
      turns[index] ?? 0,
      number(seq),
    )
  }
}

/** Held: two claims of one queue do not serve one turn twice. */
export function* holdTurns(queue: string): Script<Map<number, Turns>> {
  const held = yield* rows(
    'SELECT priority, turn, others FROM @fair_turns WHERE queue = ? ORDER BY priority FOR UPDATE',
    queue,
  )
  return new Map(
    held.map(({ priority, turn, others }) => [
      number(priority),
      { turn: number(turn), others: number(others) },
    ]),
  )
}

export function* writeTurns(
  queue: string,
  before: ReadonlyMap<number, Turns>,
  after: ReadonlyMap<number, Turns>,
): Script<void> {
  for (const [priority, { turn, others }] of after) {
    const was = before.get(priority) ?? noTurns
    if (was.turn === turn && was.others === others) continue
    if (before.has(priority)) {
      const text = 'UPDATE @fair_turns SET turn = ?, others = ? WHERE queue = ? AND priority = ?'
      yield* run(text, turn, others, queue, priority)
    } else yield* insertRow('fair_turns', { queue, priority, turn, others })
  }
}
