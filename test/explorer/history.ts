/** What was asked, answered and written, call by call, as the rules of the simulation read it. */
import type { StepRecord, StepWithin, Store, Trigger } from '../../src/store/store.ts'
import { wrapVerbs } from '../../src/store/wrap-store.ts'
import type { Change } from '../simulation/check/change-log.ts'
import { Checker } from '../simulation/check/checker.ts'
import type { Row, Tables } from './server.ts'

interface Call {
  readonly verb: string
  readonly args: readonly unknown[]
  /** Whose call it was, where a worker or a leader makes it. */
  readonly caller: string | null
  readonly reply: PromiseSettledResult<unknown>
  readonly changes: readonly Change[]
}

/** The rules' names of the tables, and the key of each, in the order in which scripts write: moved cursors last. */
const watched = [
  { name: 'jobs', table: 'job', key: ['id'], only: 'made' },
  { name: 'queues', table: 'queue', key: ['name'] },
  { name: 'locks', table: 'lock', key: ['name'] },
  { name: 'scheduler_leader_log', table: 'term', key: ['id'] },
  { name: 'job_executions', table: 'execution', key: ['id'] },
  { name: 'attempts', table: 'attempt', key: ['seq'] },
  { name: 'steps', table: 'step', key: ['execution_id', 'name'] },
  { name: 'reserves', table: 'reserve', key: ['node_id', 'queue'] },
  { name: 'tick_ranges', table: 'range', key: ['id'] },
  { name: 'jobs', table: 'job', key: ['id'], only: 'changed' },
] as const

/** Nobody's clock counts in a scene, and nobody has died in it. */
const surroundings = {
  now: 0,
  workerLeaseMs: 0,
  leaderLeaseMs: 0,
  wrongClocks: true,
  member: () => undefined,
  isCut: () => false,
}
const healthy = {
  fate: 'alive',
  stopping: false,
  steppingDown: false,
  troubledAt: 0,
  clock: { now: () => 0 },
} as const

export class History {
  readonly #read: () => Promise<Tables>
  readonly #calls: Call[]
  #tables: Tables

  constructor(read: () => Promise<Tables>, after: History | null = null) {
    this.#read = read
    this.#calls = after === null ? [] : [...after.#calls]
    this.#tables = after === null ? {} : after.#tables
  }

  /** The same store, whose every call is written down. */
  recording(store: Store): Store {
    return wrapVerbs(store, async ({ verb, args, run }) => {
      const [reply] = await Promise.allSettled([run()])
      await this.#note({ verb, args, reply })
      if (reply.status === 'rejected') throw reply.reason
      return reply.value
    })
  }

  /** Throws the first rule that does not hold. */
  check(): void {
    let writer: string | null = null
    const checker = new Checker({
      ...surroundings,
      get writer() {
        return writer === null ? null : { ...healthy, nodeId: writer }
      },
    })
    for (const { verb, args, caller, reply, changes } of this.#calls) {
      writer = caller
      if (verb === 'triggerJob' && (args[1] as Trigger).force) checker.lanes.force(String(args[0]))
      for (const { id, name, kind } of memosOf(verb, args))
        if (kind === 'step') checker.steps.runs({ executionId: id }, name, caller ?? '')
      checker.committed(changes)
      if (reply.status === 'fulfilled') checker.calls.answered(verb, args, reply.value)
      else checker.calls.failed(reply.reason)
    }
  }

  async #note(call: Pick<Call, 'verb' | 'args' | 'reply'>): Promise<void> {
    const tables = await this.#read()
    const caller = callerOf(call.args, this.#tables['job_executions'] ?? [])
    this.#calls.push({ ...call, caller, changes: changesBetween(this.#tables, tables) })
    this.#tables = tables
  }
}

function changesBetween(before: Tables, after: Tables): Change[] {
  return watched.flatMap(({ name, table, key, ...rest }) => {
    const byKey = (rows: Tables[string] = []) =>
      new Map(rows.map((row) => [key.map((column) => row[column]).join(' '), row]))
    const [was, is] = [byKey(before[name]), byKey(after[name])]
    const changes = [...new Set([...was.keys(), ...is.keys()])]
      .map((id) => ({ table, writer: '', before: was.get(id) ?? null, after: is.get(id) ?? null }))
      .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after))
    const only = 'only' in rest ? rest.only : null
    return changes.filter(
      ({ before }) => only === null || (only === 'made') === (before === null),
    ) as Change[]
  })
}

/** What is to be remembered: its function has run. */
function memosOf(verb: string, [first]: readonly unknown[]): readonly StepRecord[] {
  if (verb === 'recordSteps') return first as readonly StepRecord[]
  return verb === 'stepWithin' ? [(first as StepWithin<unknown>).record(null)] : []
}

/** As the call itself says, or who holds the execution that it names a claim of. */
function callerOf(args: readonly unknown[], executions: readonly Row[]): string | null {
  const requests = args.map((arg) => (arg ?? {}) as Readonly<Record<string, unknown>>)
  const named = requests
    .flatMap(({ nodeId, holder }) => [nodeId, holder])
    .find((one) => typeof one === 'string')
  if (named !== undefined) return named
  const [first, request = {}] = [args[0], requests[0]]
  const claims = [first, request['claims'], request['claim']].flat() as (
    | { id?: string; fence?: number }
    | undefined
  )[]
  const claimed = claims.find((claim) => claim?.fence !== undefined)
  return (executions.find(({ id }) => id === claimed?.id)?.['leased_by'] as string | undefined) ?? null
}
