/** What a worker does for a tick whose work is done elsewhere: it waits, in no slot, for what is said of it. */
import { type CheckIn, checkInWait } from '../../core/check-in/check-in.ts'
import { type CheckInHandler, checkInKey } from '../../core/job/handler.ts'
import type { JobSpec } from '../../core/job/job.ts'
import { formatDuration } from '../../core/schedule/duration.ts'
import { clockText } from '../../core/schedule/timezone.ts'
import type { Clock } from '../../engine/clock.ts'
import type { Handler, JobContext } from '../../engine/worker/handler.ts'
import { OutcomeSignal } from '../../engine/worker/outcome-signal.ts'
import type { Store } from '../../store/store.ts'

interface CheckInParts {
  readonly store: Store
  readonly clock: Clock
}

export function checkInHandler(parts: CheckInParts): Handler {
  return { name: checkInKey, parse: (input) => input, run: (context, spec) => awaited(context, spec, parts) }
}

async function awaited(context: JobContext, spec: JobSpec, { store, clock }: CheckInParts): Promise<unknown> {
  const { handler } = spec
  if (handler.type !== 'check_in')
    throw new Error(`A handler of type ${handler.type} was claimed as a check-in.`)
  const tickAt = context.scheduledFor.getTime()
  const before = await store.checkIns.findCheckIn(context.job, tickAt)
  if (before !== null && before.endedAt !== null) return outcomeOf(context, before)
  if (context.cause === 'manual' || context.cause === 'enqueue') return nothingToRun()
  // Also where the time is over already: a check-in that was in time may be on its way, and the wait decides.
  const timeout = Math.max(1, tickAt + handler.withinMs - clock.now())
  const answer = await context.waitFor(checkInWait, { timeout })
  const said = await store.checkIns.findCheckIn(context.job, tickAt)
  if (answer.outcome === 'timeout') return missing(spec, handler, tickAt, said)
  if (said !== null && said.endedAt !== null) return outcomeOf(context, said)
  // A person has answered for it.
  return { checkedInAt: new Date(clock.now()).toISOString(), by: answer.by }
}

function outcomeOf({ log }: JobContext, { startedAt, endedAt, outcome, note }: CheckIn): unknown {
  if (note !== null) log[outcome === 'failed' ? 'error' : 'info'](note)
  if (outcome === 'failed') {
    const [line = ''] = (note ?? '').split('\n', 1)
    return failed(
      'CheckInFailed',
      `It reported a failure${line === '' ? '.' : `: ${line}`}`,
      'check_in_failed',
    )
  }
  const tookMs = startedAt === null || endedAt === null ? null : endedAt - startedAt
  return { checkedInAt: new Date(endedAt ?? 0).toISOString(), tookMs }
}

function missing(
  { schedule }: JobSpec,
  { withinMs }: CheckInHandler,
  tickAt: number,
  said: CheckIn | null,
): unknown {
  const zone = schedule?.kind === 'cron' ? schedule.timezone : 'UTC'
  const startedAt = said?.startedAt ?? null
  const begun = startedAt === null ? '' : ` It said at ${clockText(startedAt, zone)} that it began.`
  const words = `No check-in came within ${formatDuration(withinMs)} of ${clockText(tickAt, zone)}.${begun}`
  return failed('NoCheckIn', words, 'no_check_in')
}

/** Final: another attempt would wait for the same. */
function failed(name: string, message: string, code: string): OutcomeSignal {
  return new OutcomeSignal(message, { kind: 'fail', error: { name, message, code } })
}

function nothingToRun(): OutcomeSignal {
  const why = 'This job runs elsewhere: only its ticks wait for check-ins, and there is nothing to run here.'
  return failed('NothingToRun', why, 'nothing_to_run')
}
