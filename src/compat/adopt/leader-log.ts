/**
 * Terms of somebody's own `scheduler_leader_log`. They keep what they say, and get ids below zero: those are older than every
 * term of ours, are no fence, and say which row each was. Nobody leads by the log, so none of them is taken for a leader.
 */
import { contextOf } from '../../app/app-context.ts'
import type { Evertick } from '../../evertick.ts'
import type { ForeignRow } from '../../store/foreign.ts'
import type { AdoptedTerm } from '../../store/store.ts'
import { type AdoptOptions, type AdoptReport, eachPage, refuseMissingTable, Tally } from './adoption.ts'
import { flagIn, instantIn, numberIn, textIn, Unreadable } from './cells.ts'

/** Its id there, counted from here: in the order of that log, and the same at every import. */
const firstId = -2_000_000_000

export async function adoptLeaderLog(evertick: Evertick, options: AdoptOptions): Promise<AdoptReport> {
  const app = contextOf(evertick)
  const { table, dryRun } = options
  await refuseMissingTable(options)
  const tally = new Tally()
  const phase = dryRun ? 'checking' : 'importing'
  const rows = await eachPage(options, { keys: ['id'], read: termOf, left: tally, phase }, async (terms) => {
    const known = new Set(await app.store.compat.knownTerms(terms.map(({ id }) => id)))
    if (!dryRun) await app.store.compat.adoptTerms(terms)
    for (const term of terms) {
      tally.add(statusOf(term), known.has(term.id) ? 'nothing: it was imported before' : 'a term of the past')
    }
    await app.rest()
  })
  return { table, dryRun, rows, groups: tally.groups, left: tally.left }
}

function termOf(row: ForeignRow): AdoptedTerm {
  const id = numberIn(row, 'id')
  const startedAt = instantIn(row, 'start_time')
  const instance = textIn(row, 'leader_instance')
  if (id === null || !Number.isSafeInteger(id) || id < 1 || id > -firstId - 1)
    throw new Unreadable('its id is no whole number from 1 on')
  if (startedAt === null) throw new Unreadable('it has no start_time')
  if (instance === null) throw new Unreadable('it has no leader_instance')
  const createdAt = instantIn(row, 'created_at') ?? startedAt
  return {
    id: firstId + id,
    leader_instance: instance.slice(0, 255),
    start_time: startedAt,
    stop_time: instantIn(row, 'stop_time'),
    last_heartbeat: instantIn(row, 'last_heartbeat'),
    handled_missed_tasks: flagIn(row, 'handled_missed_tasks') ?? false,
    created_at: createdAt,
    updated_at: instantIn(row, 'updated_at') ?? createdAt,
  }
}

function statusOf({ stop_time, last_heartbeat }: AdoptedTerm): string {
  if (stop_time !== null) return 'stopped'
  return last_heartbeat === null ? 'no stop, no heartbeat' : 'no stop'
}
