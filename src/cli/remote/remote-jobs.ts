/** The jobs of a server, under the names of the library. */
import type { ActorOptions } from '../../app/change-context.ts'
import type { BackfillView } from '../../app/job/actions/backfill-job.ts'
import type { ExplainedTickView, ExplanationView } from '../../app/job/explain.ts'
import type { ConvertReport } from '../../app/job/legacy/convert-jobs.ts'
import type { Body, Client } from '../../client/index.ts'
import { parseInstant } from '../../core/schedule/instant.ts'
import type { Instant } from '../../core/schedule/schedule.ts'
import type { JobQuery, SystemJobs } from '../system.ts'
import { gathered, searchText } from './lists.ts'
import { executionOf, jobOf, rangeInstants, tickInstants, viewOf, viewsOf } from './views.ts'

/** The most ticks in one response. */
const mostTicks = 10_000

export function remoteJobs({ jobs }: Client): SystemJobs {
  return {
    list: async ({ limit = 100, cursor, state, tag, search, filter, ...rest }: JobQuery = {}) =>
      await gathered(limit, cursor, async (place) => {
        const page = await jobs.list({ ...rest, ...searchText({ state, tag }, search, filter), ...place })
        return { ...page, items: page.jobs }
      }).then(({ items, nextCursor }) => ({ jobs: items.map(jobOf), nextCursor })),
    get: async (job) => jobOf(await jobs.get(job)),
    create: async (job) => jobOf(await jobs.create(job as Body<'POST /jobs'>)),
    update: async (job, changes, by) => {
      const { revision } = { ...by }
      const ifMatch = revision === undefined ? {} : { ifMatch: { id: (await jobs.get(job)).id, revision } }
      return jobOf(await jobs.update(job, changes as Body<'PATCH /jobs/{id}'>, ifMatch))
    },
    delete: async (job) => await jobs.delete(job),
    pause: async (job, options) =>
      jobOf(await jobs.pause(job, withoutActor(options) as Body<'POST /jobs/{id}/pause'>)),
    resume: async (job, options) => jobOf(await jobs.resume(job, withoutActor(options))),
    cancel: async (job) => jobOf(await jobs.cancel(job)),
    resetCursor: async (job) => jobOf(await jobs.resetCursor(job)),
    retry: async (job) => executionOf(await jobs.retry(job)),
    rotateCheckIn: async (job) => await jobs.rotateCheckIn(job),
    trigger: async (job, options) => executionOf(await jobs.trigger(job, withoutActor(options))),
    backfill: async (job, { from, to, ...options }) =>
      viewOf<BackfillView>(await jobs.backfill(job, { ...withoutActor(options), ...span(from, to) }), {
        first: true,
        last: true,
      }),
    explain: async (job, { from, to, limit = 1_000 }) =>
      await explained({ jobs }, job, span(from, to), limit),
    ticks: async (job, options) => viewsOf<ExplainedTickView>(await jobs.ticks(job, options), tickInstants),
    upcoming: async (job, options) => (await jobs.upcoming(job, options)).map((at) => new Date(at)),
    revisions: async (job) => viewsOf(await jobs.revisions(job), { from: true, changedAt: true }),
    stats: async (job) => {
      const stats = await jobs.stats(job)
      return {
        ...stats,
        lastExecution: stats.lastExecution === null ? null : executionOf(stats.lastExecution),
      }
    },
    convert: async (options) => (await jobs.convert(withoutActor(options))) as ConvertReport,
  }
}

/** Without the actor: the server knows its caller by the token. */
export function withoutActor<Given extends ActorOptions>(
  given: Given | undefined,
): Omit<Given, keyof ActorOptions> {
  const { actor: _actor, origin: _origin, ...options } = { ...given } as Given
  return options
}

function span(from: Instant, to: Instant): { from: string; to: string } {
  return { from: instantText(from, 'from'), to: instantText(to, 'to') }
}

export function instantText(at: Instant, field: string): string {
  return new Date(parseInstant(at, field)).toISOString()
}

/** Ticks come in pages; every page has the ranges and the unaccounted ticks of the whole span. */
async function explained(
  { jobs }: Pick<Client, 'jobs'>,
  job: string,
  { from, to }: { from: string; to: string },
  limit: number,
): Promise<ExplanationView> {
  const first = await jobs.explain(job, { from, to, limit: Math.min(limit, mostTicks) })
  const ticks = viewsOf<ExplainedTickView>(first.ticks, tickInstants)
  let { truncated } = first
  while (truncated && ticks.length < limit) {
    const after = (ticks.at(-1)?.scheduledFor.getTime() ?? 0) + 1
    const next = { from: new Date(after).toISOString(), to, limit: Math.min(limit - ticks.length, mostTicks) }
    const page = await jobs.explain(job, next)
    ticks.push(...viewsOf<ExplainedTickView>(page.ticks, tickInstants))
    truncated = page.truncated && page.ticks.length > 0
  }
  const ranges = viewsOf<ExplanationView['ranges'][number]>(first.ranges, rangeInstants)
  return { ...first, ticks, ranges, truncated }
}
