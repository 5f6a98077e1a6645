/** Executions for ticks of the past, whatever became of those. */
import { EvertickError } from '../../../core/error.ts'
import type { Instant } from '../../../core/schedule/schedule.ts'
import type { BackfillResult } from '../../../store/store.ts'
import type { AppContext } from '../../app-context.ts'
import { type ActorOptions, changeContext } from '../../change-context.ts'
import { refuseUnknown } from '../../config/call-options.ts'
import { parseSpan } from '../explain.ts'
import { sayingWhatIsLegal } from './legal-action.ts'

export interface BackfillOptions extends ActorOptions {
  readonly from: Instant
  readonly to: Instant
  /** Only count them. @default false */
  readonly dryRun?: boolean
  /** @default 1_000 */
  readonly limit?: number
  /** @default 'oldest_first' */
  readonly order?: 'oldest_first' | 'newest_first'
}

/** What a backfill made, or would make. */
export interface BackfillView extends Omit<BackfillResult, 'first' | 'last'> {
  readonly first: Date | null
  readonly last: Date | null
}

export async function backfillJob(
  app: AppContext,
  job: string,
  options: BackfillOptions,
): Promise<BackfillView> {
  refuseUnknown(options, ['from', 'to', 'dryRun', 'limit', 'order', 'actor', 'origin'], 'jobs.backfill')
  const { dryRun = false, limit = 1_000, order = 'oldest_first' } = options
  const { from, to } = parseSpan(options)
  const context = changeContext(app, options)
  if (to > context.now + 1) {
    throw new EvertickError(
      'invalid_option',
      'A backfill must end in the past: future ticks run by themselves.',
      { field: 'to', next: 'Give a `to` that is not after now.' },
    )
  }
  const result = await sayingWhatIsLegal(app, job, () =>
    app.store.executions.backfillJob(job, { from, to, order, limit, dryRun }, context),
  )
  if (!dryRun) app.enqueued()
  const date = (at: number | null) => (at === null ? null : new Date(at))
  return { ...result, first: date(result.first), last: date(result.last) }
}
