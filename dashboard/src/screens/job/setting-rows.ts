/** The policies of a job as sentences, one a row; what is not set is not said. */
import type { Job } from '../../../../src/client/index.ts'
import { counted } from '../../words/accounts.ts'
import { durationWords } from '../../words/times.ts'
import { catchUpSentence, overlapSentences } from './job-words.ts'

export interface SettingRow {
  readonly label: string
  readonly text: string
}

/** As a revision keeps them: durations are milliseconds there. */
interface Options {
  readonly maxConcurrent?: number
  readonly retry?: {
    readonly attempts: number
    readonly base: number
    readonly factor: number
    readonly max: number
    readonly jitter: number
  }
  readonly onCrash?: 'retry' | 'fail'
  readonly timeout?: number
  readonly startDeadline?: number
  readonly jitter?: number
  readonly startAt?: string
  readonly endAt?: string
  readonly maxRuns?: number
  readonly retention?: { readonly executions: number; readonly age: number }
}

export function settingRows(job: Job, given: Readonly<Record<string, unknown>>): SettingRow[] {
  const {
    maxConcurrent,
    retry,
    onCrash,
    timeout,
    startDeadline,
    jitter,
    startAt,
    endAt,
    maxRuns,
    retention,
  }: Options = given
  const rows: readonly (readonly [string, string | null])[] = [
    ['Missed ticks', catchUpSentence(job.catchUp)],
    [
      'Overlap',
      overlapSentences[job.overlap] +
        ((maxConcurrent ?? 1) > 1 ? ` ${maxConcurrent} may go on together.` : ''),
    ],
    ['Retries', retry === undefined ? null : retrySentence(retry)],
    [
      'A crash',
      onCrash === 'fail'
        ? 'A run whose worker is lost has failed: it runs at most once.'
        : 'A run whose worker is lost is tried again.',
    ],
    [
      'Timeout',
      timeout === undefined
        ? 'None: a run may take as long as it takes.'
        : `An attempt is stopped after ${durationWords(timeout)}.`,
    ],
    [
      'Start deadline',
      startDeadline === undefined
        ? null
        : `What has not started within ${durationWords(startDeadline)} is cancelled.`,
    ],
    [
      'Jitter',
      jitter === undefined || jitter === 0 ? null : `Ticks start up to ${durationWords(jitter)} later.`,
    ],
    ['Queue', `${job.queue}, priority ${job.priority}${job.priority === 0 ? '' : ' (larger goes first)'}.`],
    ['Begins', startAt === undefined ? null : `No tick before ${startAt}.`],
    ['Ends', endAt === undefined ? null : `No tick from ${endAt} on.`],
    ['Most runs', maxRuns === undefined ? null : `It ends after ${counted(maxRuns, 'run')}.`],
    [
      'Kept',
      retention === undefined
        ? null
        : `The newest ${counted(retention.executions, 'execution')}, for ${durationWords(retention.age)}.`,
    ],
  ]
  return rows.flatMap(([label, text]) => (text === null ? [] : [{ label, text }]))
}

function retrySentence({ attempts, base, factor, max, jitter }: NonNullable<Options['retry']>): string {
  if (attempts === 1) return 'It is tried once.'
  const grows =
    factor === 1
      ? `every ${durationWords(base)}`
      : `after ${durationWords(base)}, then ${factor} times as long each time, at most ${durationWords(max)}`
  return `It is tried up to ${counted(attempts, 'time')}: again ${grows}.${jitter > 0 ? ` ${Math.round(jitter * 100)} % of the pause is random.` : ''}`
}
