/** All rows that say when something is due, and what has run there, as far as our history holds it. */
import type { AppContext } from '../../app/app-context.ts'
import { contextOf } from '../../app/app-context.ts'
import type { Evertick } from '../../evertick.ts'
import type { ForeignRow } from '../../store/foreign.ts'
import { type JobOfRow, type JobResult, lookAtJob, refusePastSwitch, writeJob } from './adopted-job.ts'
import { type AdoptOptions, type AdoptReport, eachPage, refuseMissingTable, Tally } from './adoption.ts'
import { Unreadable } from './cells.ts'
import { adoptHistory } from './history.ts'

export interface AdoptJobs extends AdoptOptions {
  /** From when on Evertick fires: the instant at which the old scheduler stops. null: not yet; the jobs are held. */
  readonly startAt: Date | null
  /** The table of what has run; null: none. */
  readonly history: string | null
}

export interface AdoptedJobs extends AdoptReport {
  readonly startAt: Date | null
  /** How many rows of what has run were read. */
  readonly historyRows: number
  readonly jobs: readonly AdoptedJob[]
}

export interface AdoptedJob {
  readonly row: string
  readonly job: string
  readonly result: JobResult
  /** Paused by the import, until the switch. */
  readonly held: boolean
  /** In words: when it is due, and what differs here. */
  readonly says: string
}

export interface JobRows {
  /** As marks name it. */
  readonly kind: string
  /** Its id tells rows apart, and what has run names it. */
  readonly keys: readonly string[]
  /** null: nothing is to be done about it, for this reason. */
  readonly jobOf: (row: ForeignRow, app: AppContext) => (JobOfRow & { readonly says: string }) | Over
  /** By which its history names it, beside its id. */
  readonly alsoKnownAs: (row: ForeignRow) => string | null
}

/** A row that is over there. */
export interface Over {
  readonly over: string
}

/** What is written at the same time shares its commit. */
const atOnce = 50

export async function adoptJobs(evertick: Evertick, rows: JobRows, options: AdoptJobs): Promise<AdoptedJobs> {
  const app = contextOf(evertick)
  const { table, startAt, dryRun, actor } = options
  refusePastSwitch(app, startAt)
  await refuseMissingTable(options)
  if (options.history !== null) await refuseMissingTable({ ...options, table: options.history })
  const tally = new Tally()
  const jobs: AdoptedJob[] = []
  /** Under its own id and under that of its row. */
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const read = (row: ForeignRow) => ({ made: rows.jobOf(row, app), alias: rows.alsoKnownAs(row) })
  const phase = dryRun ? 'checking' : 'importing'
  const take = async (made: JobOfRow & { readonly says: string }, alias: string | null): Promise<void> => {
    try {
      if (taken.has(made.name)) throw twice(made.name)
      taken.add(made.name)
      const { result, held } = await lookAtJob(evertick, made, options)
      if (!dryRun && result !== 'unchanged') await writeJob(evertick, made, options, { actor })
      for (const known of [made.id, alias]) if (known !== null) names.set(known, made.name)
      jobs.push({ row: made.id, job: made.name, result, held, says: made.says })
    } catch (error) {
      tally.leaveFor(made.id, error)
    }
  }
  const total = await eachPage(options, { keys: rows.keys, read, left: tally, phase }, async (page) => {
    for (let from = 0; from < page.length; from += atOnce) {
      await Promise.all(
        page.slice(from, from + atOnce).map(async ({ made, alias }) => {
          if ('over' in made) tally.add(made.over, 'nothing: it is over')
          else await take(made, alias)
        }),
      )
      await app.rest()
    }
  })
  const history =
    options.history === null
      ? 0
      : await adoptHistory(app, rows.kind, names, tally, { ...options, table: options.history })
  return {
    table,
    dryRun,
    startAt,
    rows: total,
    historyRows: history,
    jobs,
    groups: tally.groups,
    left: tally.left,
  }
}

function twice(name: string): Unreadable {
  return new Unreadable(`another row is named ${name}, too`, 'Rename one of them there, and import again.')
}
