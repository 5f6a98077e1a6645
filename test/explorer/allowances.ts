/** Where two at once may leave something else than either order does, on purpose. A pair that is not named here may not. */
import { nameOf } from '../store/builders.ts'
import type { Name } from './conductor.ts'
import type { Outcome } from './outcome.ts'
import type { Row } from './server.ts'

interface Allowance {
  readonly because: string
  readonly between: readonly [RegExp, RegExp]
  /** What is left to compare, where `me` is the one that the first pattern names. */
  readonly blur: (outcome: Outcome, me: Name) => Outcome
  /** What must hold all the same. */
  readonly holds: (seen: Outcome, serial: Outcome, me: Name) => boolean
}

const allowances: readonly Allowance[] = [
  {
    because:
      'What is enqueued into a slot does not wait for a job that somebody holds: it waits to be claimed instead.',
    between: [/^enqueue into a slot$/, /./],
    blur: withoutMine,
    holds: ({ replies, rows }, _, me) => {
      const mine = executionsOf(rows)
        .filter((row) => isMine(row, me))
        .map(parsed)
      const [only] = mine
      if (only === undefined || mine.length > 1) return false
      if (replies[me] === 'null') return only['fence'] === 0
      return only['fence'] === 1 && (isJobCancelled(rows) ? only['cancel_requested_at'] !== null : true)
    },
  },
  {
    because:
      'An enqueue asks whether its job takes work, and holds no row of it: what commits after a cancel ends at its claim.',
    between: [/^enqueue(?! into)/, /^(cancel|delete)$/],
    blur: withoutMine,
    holds: ({ replies, rows }, _, me) => {
      const made = [...(replies[me] ?? '').matchAll(/"id":"([\w-]+)","created":true/g)].map(([, id]) => id)
      const mine = executionsOf(rows).filter((row) => isMine(row, me))
      return made.length === mine.length && mine.every((row) => made.includes(String(parsed(row)['id'])))
    },
  },
  {
    because:
      'Who takes something out of a reserve raises its turn before it knows that it is gone: it is opened anew, no more.',
    between: [/^(expire|cancel|delete)/, /./],
    blur: withoutTurns,
    holds: (seen, serial) => turnsOf(seen).every((turn, index) => turn >= (turnsOf(serial)[index] ?? 0)),
  },
  {
    because:
      'A node that was away for long may claim while it is cleared away: its next heartbeat tells it, and it registers anew.',
    between: [/^claim/, /^(touch|remove) node$/],
    blur: ({ replies, rows }) => ({ replies, rows: { ...rows, nodes: [], node_handlers: [], reserves: [] } }),
    holds: () => true,
  },
]

/** Whether the two are the same, but for what is allowed between these verbs. */
export function isAllowed(seen: Outcome, serial: Outcome, verbs: Readonly<Record<Name, string>>): boolean {
  return allowances.some(({ between: [one, other], blur, holds }) =>
    (['A', 'B'] as const)
      .filter((me) => one.test(verbs[me]) && other.test(verbs[me === 'A' ? 'B' : 'A']))
      .some(
        (me) =>
          JSON.stringify(blur(seen, me)) === JSON.stringify(blur(serial, me)) && holds(seen, serial, me),
      ),
  )
}

function executionsOf(rows: Outcome['rows']): readonly string[] {
  return rows['job_executions'] ?? []
}

function withoutMine({ replies, rows }: Outcome, me: Name): Outcome {
  return {
    replies: { ...replies, [me]: '' },
    rows: { ...rows, job_executions: executionsOf(rows).filter((row) => !isMine(row, me)) },
  }
}

function isJobCancelled(rows: Outcome['rows']): boolean {
  return (rows['jobs'] ?? []).some(
    (row) => parsed(row)['name'] === 'a' && parsed(row)['state'] === 'cancelled',
  )
}

/** What a verb makes is named after who runs it. */
function isMine(row: string, me: Name): boolean {
  return nameOf(String(parsed(row)['id'])).startsWith(me)
}

function turnsOf({ rows }: Outcome): number[] {
  return (rows['reserves'] ?? []).map((row) => Number(parsed(row)['turn']))
}

function withoutTurns({ replies, rows }: Outcome): Outcome {
  const reserves = (rows['reserves'] ?? []).map((row) => JSON.stringify({ ...parsed(row), turn: 0 }))
  return { replies, rows: { ...rows, reserves } }
}

function parsed(row: string): Row {
  return JSON.parse(row) as Row
}
