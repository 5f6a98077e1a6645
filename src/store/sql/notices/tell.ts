/**
 * The outbox: what is to be told outside is written in the transaction of the fact itself, so that whatever has happened is
 * told, and what was rolled back is not. The teller takes it from here. Nothing is written where nobody would hear of it.
 */
import type { NoticeType } from '../../../core/notice/notice.ts'
import { insertAll, type Script } from '../runtime/script.ts'
import { heardNow } from './audience.ts'

/** A fact, as it is told. */
export interface Notice {
  readonly type: NoticeType
  readonly at: number
  /** The job that it is about; null where it is about none. */
  readonly jobId: string | null
  /** What it is about: the id of an execution, the name of a job or of a node. */
  readonly subject: string
  /** Thin: names, ids and words. It becomes the `data` of the message, to which the teller adds the job. */
  readonly body: Readonly<Record<string, unknown>>
  /** The id of the one webhook's job that it is for. @default all that hear of it */
  readonly to?: string
}

/** Where the body of a notice says that it is for one webhook. No message has it. */
export const onlyTo = '@to'

const columns = { type: 'text', at: 'number', job_id: 'uuid', subject: 'text', body: 'text' } as const

/** As JSON has instants, which whoever receives it knows. */
export function instantText(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

/** Writes what somebody hears of. Whoever may have nothing to tell asks before: a look costs a statement. */
export function* tell(notices: readonly Notice[]): Script<void> {
  if (notices.length === 0) return
  const heard = new Set<string>(yield* heardNow())
  yield* writeNotices(notices.filter(({ type }) => heard.has(type)))
}

/** The same for a caller that knows who hears. */
export function* writeNotices(notices: readonly Notice[]): Script<void> {
  yield* insertAll(
    'notices',
    columns,
    notices.map(({ type, at, jobId, subject, body, to }) => ({
      type,
      at,
      job_id: jobId,
      subject,
      body: JSON.stringify(to === undefined ? body : { ...body, [onlyTo]: to }),
    })),
  )
}
