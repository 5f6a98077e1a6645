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
  {
    because:
      'An event holds nothing of what runs. What it has followed meanwhile ends before its begin: at the claim that is under way, or at the next.',
    between: [/^events? for/, /^(claim|expire|try again|release|start)/],
    blur: withoutFollowed,
    holds: (seen, serial) =>
      followedIn(seen).every((row) => {
        const { id, state, cancel_reason } = parsed(row)
        const isOpen = state === 'pending' || state === 'retrying'
        const isEnded = state === 'cancelled' && cancel_reason === 'replaced'
        return (
          isOpen || isEnded || followedIn(serial).some((other) => parsed(other)['id'] === id && other === row)
        )
      }),
  },
  {
    because:
      'A claim passes over what another holds, and a share that is free at that moment is for whoever is first: never more than there are.',
    between: [/^claim \w+, limited$/, /./],
    blur: () => ({ replies: {}, rows: {} }),
    holds: (seen) => isLevel(seen) && !Object.values(seen.replies).some((reply) => reply.startsWith('error')),
  },
]

/** Whoever runs has a share of each of its keys, and nobody else has one. How many there may be is a rule of its own. */
function isLevel({ rows }: Outcome): boolean {
  const running = executionsOf(rows)
    .map(parsed)
    .filter(({ state }) => state === 'running')
  const due = running.flatMap(({ id, limit_keys: keys }) =>
    (JSON.parse(typeof keys === 'string' ? keys : '[]') as [string, string][]).map(
      ([key]) => `${key} ${String(id)}`,
    ),
  )
  const held = (rows['limit_leases'] ?? [])
    .map(parsed)
    .map(({ limit_key, execution_id }) => `${String(limit_key)} ${String(execution_id)}`)
  return JSON.stringify(due.toSorted()) === JSON.stringify(held.toSorted())
}

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

/** Executions whose key another has followed. */
function followedIn({ rows }: Outcome): string[] {
  const keys = (rows['unique_keys'] ?? []).map(parsed)
  const followed = new Set(keys.filter((key) => key['followed_by'] !== '').map((key) => key['execution_id']))
  return executionsOf(rows).filter((row) => followed.has(parsed(row)['id']))
}

function withoutFollowed(outcome: Outcome, me: Name): Outcome {
  const followed = followedIn(outcome)
  const ids = new Set(followed.map((row) => parsed(row)['id']))
  const other = me === 'A' ? 'B' : 'A'
  const reply = outcome.replies[other] ?? ''
  const isList = reply.startsWith('[')
  const told = isList ? (JSON.parse(reply) as (Row | string)[]).filter((one) => !ids.has(idOf(one))) : reply
  return {
    replies: { ...outcome.replies, [other]: isList ? JSON.stringify(told) : reply },
    rows: {
      ...outcome.rows,
      job_executions: executionsOf(outcome.rows).filter((row) => !followed.includes(row)),
    },
  }
}

function idOf(one: Row | string): unknown {
  return typeof one === 'string' ? one : one['id']
}
