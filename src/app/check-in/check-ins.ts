/** Check-ins of jobs that run elsewhere: the token by which they come, and what is answered. */
import { createHash, randomBytes } from 'node:crypto'
import type { CheckInWord } from '../../core/check-in/check-in.ts'
import { cutText } from '../../core/cut-text.ts'
import { EvertickError } from '../../core/error.ts'
import type { Job } from '../../core/job/job.ts'
import { withoutSecretShapes } from '../../core/job/secret-text.ts'
import type { CheckedIn } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { type ActorOptions, changeContext } from '../change-context.ts'

export interface CheckInOptions {
  /** @default 'ok' */
  readonly word?: CheckInWord
  /** Kept as a line of the log of its execution, up to 10,000 characters. @default none */
  readonly note?: string
}

export interface CheckInAnswer {
  /** Whether a tick has it now. */
  readonly counted: boolean
  readonly job: string
  /** Of which tick; null where of none. */
  readonly scheduledFor: Date | null
  readonly sentence: string
}

export interface CheckInAddress {
  /** Shown once: the database has only its hash. */
  readonly token: string
  /** Below the address of a node with the role `api`. */
  readonly path: string
}

const tokenBytes = 24
const longestNote = 10_000

export async function rotateCheckIn(app: AppContext, job: Job, by: ActorOptions): Promise<CheckInAddress> {
  if (job.spec.handler.type !== 'check_in') {
    throw new EvertickError('invalid_option', `Job "${job.name}" runs here: it waits for no check-ins.`, {
      field: 'job',
      next: "Give it the handler { type: 'check_in', within: '30m' } if its work is done elsewhere.",
    })
  }
  const token = randomBytes(tokenBytes).toString('base64url')
  await app.store.checkIns.putCheckInToken(job.name, hashOf(token), changeContext(app, by))
  return { token, path: `/ping/${token}` }
}

export async function checkIn(
  app: AppContext,
  token: string,
  { word = 'ok', note = '' }: CheckInOptions,
): Promise<CheckInAnswer> {
  const now = app.clock.now()
  const kept =
    note === '' ? null : cutText(withoutSecretShapes(note).toWellFormed().replaceAll('\0', ''), longestNote)
  const request = { hash: hashOf(token), id: app.newId(now), word, note: kept, now }
  const done = await app.store.checkIns.checkIn(request)
  if (done === null) {
    throw new EvertickError('check_in_not_found', 'No job has this address for its check-ins.', {
      next: 'Make a new one with `evertick jobs rotate-check-in`; the one before stops working.',
    })
  }
  if (done.kind === 'counted') app.enqueued()
  const tickAt = 'tickAt' in done ? done.tickAt : null
  return {
    counted: done.kind === 'counted',
    job: done.job,
    scheduledFor: tickAt === null ? null : new Date(tickAt),
    sentence: sentenceOf(done, word),
  }
}

const verbs = { start: 'has begun', ok: 'is done', failed: 'has failed' } as const

function sentenceOf(done: CheckedIn, word: CheckInWord): string {
  const at = (instant: number) => new Date(instant).toISOString()
  switch (done.kind) {
    case 'counted':
      return `OK: the run of ${at(done.tickAt)} ${verbs[word]}.`
    case 'again':
      return `OK: the run of ${at(done.tickAt)} had checked in before.`
    case 'too_late':
      return `Too late: nobody waits for the run of ${at(done.tickAt)} any more.`
    case 'not_due':
      return `Not counted: no run is due now${done.nextAt === null ? '' : `; the next is at ${at(done.nextAt)}`}.`
    case 'inactive':
      return `Not counted: the job is ${done.state}.`
    case 'unused':
      return 'Not counted: the job waits for no check-ins any more.'
  }
}

/** Long and random: nothing needs slowing down. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
