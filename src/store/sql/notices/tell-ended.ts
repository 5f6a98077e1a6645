/** Tells of executions that have ended, or wait for another try, by whatever hand. */
import { webhookKey } from '../../../core/job/handler.ts'
import type { NoticeType } from '../../../core/notice/notice.ts'
import type { Heard } from '../../store.ts'
import { errorFrom, number, optionalNumber, optionalText, text } from '../runtime/rows.ts'
import { type Row, rows, type Script } from '../runtime/script.ts'
import type { Ended } from '../work/make-final.ts'
import { heardNow } from './audience.ts'
import { instantText, type Notice, writeNotices } from './tell.ts'

/** What the chain of a job steps aside for comes back as a retry, too. */
const typeOf: Readonly<Partial<Record<Ended['state'], NoticeType>>> = {
  completed: 'execution.completed',
  failed: 'execution.failed',
  cancelled: 'execution.cancelled',
  retrying: 'execution.retrying',
  blocked: 'execution.retrying',
}

/** A message must stay small, and a reader wants the first line. */
const longestError = 500

/** A webhook is not told of its own deliveries, or it would never be done. */
const endedText = `
  SELECT id, job_id, cause, tick_at, scheduled_for, attempt, max_attempts, created_at, started_at, finished_at,
    ready_at, leased_by, cancel_reason, error
  FROM @job_executions WHERE id IN ?* AND handler <> ?`

/** `heard`: as a node knows it, whose ends cost nothing while nobody listens; left out, the database is asked. */
export function* tellEnded(ended: readonly Ended[], heard?: Heard): Script<void> {
  const tellable = ended.filter(({ state }) => typeOf[state] !== undefined)
  if (tellable.length === 0) return
  const types = new Set<NoticeType>(heard ?? (yield* heardNow()))
  const told = new Map<string, { readonly type: NoticeType; readonly at: number }>()
  for (const { id, state, at } of tellable) {
    const type = typeOf[state]
    if (type !== undefined && types.has(type)) told.set(id, { type, at })
  }
  if (told.size === 0) return
  const executions = yield* rows(endedText, [...told.keys()], webhookKey)
  yield* writeNotices(
    executions.flatMap((execution) => {
      const fact = told.get(text(execution.id))
      return fact === undefined || !isFact(fact.type, execution) ? [] : [noticeOf(execution, fact)]
    }),
  )
}

/** What rests or snoozes has no error; what was only given back has no holder. */
function isFact(type: NoticeType, { error, leased_by }: Row): boolean {
  return type !== 'execution.retrying' || (error !== null && leased_by !== null)
}

function noticeOf(execution: Row, { type, at }: { readonly type: NoticeType; readonly at: number }): Notice {
  const id = text(execution.id)
  const body = {
    executionId: id,
    cause: text(execution.cause),
    scheduledFor: instantText(optionalNumber(execution.scheduled_for)),
    attempt: number(execution.attempt),
    maxAttempts: number(execution.max_attempts),
    startedAt: instantText(optionalNumber(execution.started_at)),
    ...(type === 'execution.retrying'
      ? { nextAttemptAt: instantText(optionalNumber(execution.ready_at)) }
      : { finishedAt: instantText(optionalNumber(execution.finished_at)) }),
    ...(type === 'execution.cancelled' ? { reason: optionalText(execution.cancel_reason) } : {}),
    ...(type === 'execution.completed' ? {} : { error: firstLine(execution) }),
  }
  return { type, at, jobId: text(execution.job_id), subject: id, body }
}

function firstLine({ error }: Row): { name: string; message: string } | null {
  const kept = errorFrom(error)
  if (kept === null) return null
  const [line = ''] = kept.message.split('\n', 1)
  return { name: kept.name, message: line.slice(0, longestError).toWellFormed() }
}
