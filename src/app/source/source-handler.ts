/** `@source`: what a worker does for a job that makes jobs. Its input may ask for a dry run: `{ "dryRun": true }`. */
import { EvertickError } from '../../core/error.ts'
import { sourceKey } from '../../core/job/handler.ts'
import type { JobSpec } from '../../core/job/job.ts'
import { isRecord } from '../../core/unknown-value.ts'
import type { Handler, JobContext, RunningAttempt } from '../../engine/worker/handler.ts'
import { failedBy } from '../../engine/worker/outcome-signal.ts'
import type { AppContext } from '../app-context.ts'
import { Executions } from '../execution/executions.ts'
import { openedAddress, openedValues } from '../vault/opened-values.ts'
import { summaryWords, syncFromUrl } from './sync-from-url.ts'

interface SourceParts {
  readonly allowPrivateHosts: readonly string[]
}

export function sourceHandler(parts: SourceParts, app: AppContext): Handler {
  return {
    name: sourceKey,
    parse: (input) => input,
    run: (context, spec, attempt) => sync(context, spec, attempt, { ...parts, app }),
  }
}

async function sync(
  context: JobContext,
  { handler, timeoutMs }: JobSpec,
  attempt: RunningAttempt,
  { allowPrivateHosts, app }: SourceParts & { readonly app: AppContext },
): Promise<unknown> {
  if (handler.type !== 'source') throw new Error(`A handler of type ${handler.type} was claimed as a source.`)
  const { job, log, signal, input } = context
  const headers = await openedValues(handler.headers, job, 'headers', app)
  const url = await openedAddress(handler.url, app)
  attempt.hide([...headers.secrets, ...url.secrets])
  const timeout = timeoutMs === null ? {} : { timeoutMs }
  const completed = await new Executions(app).list({ job, state: 'completed', limit: 1 })
  try {
    const summary = await syncFromUrl(app, {
      source: job,
      handler,
      request: { url: url.value, headers: headers.value, allowPrivateHosts, signal, ...timeout },
      last: completed.executions[0]?.result,
      dryRun: isRecord(input) && input['dryRun'] === true,
    })
    log.info(summaryWords(summary))
    if (summary.heldBecause !== null) log.warn(`Nothing was paused: ${summary.heldBecause}.`)
    for (const { index, scheduleId, why } of summary.invalid)
      log.warn(`Entry ${index} (${scheduleId ?? 'without a name'}) was passed over: ${why}`)
    return summary
  } catch (error) {
    // A refused address stays refused: another try cannot help.
    if (error instanceof EvertickError && error.code === 'outbound_refused') return failedBy(error)
    throw error
  }
}
