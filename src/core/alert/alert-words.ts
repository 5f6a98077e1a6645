/** What an alert says, in a sentence: the same in a message, on the command line, in the log and in the dashboard. */

import { shownJobName, webhookOfJob } from '../notice/webhook.ts'
import { formatDuration } from '../schedule/duration.ts'
import { shellWord } from '../shell-word.ts'
import type { Alert } from './alert.ts'
import { type AlertKind, alertKinds } from './alert-kinds.ts'

type Said = Pick<Alert, 'kind' | 'name' | 'value'>

/** `at`: the instant at which it is said; what has gone on since is told as a time. */
export function alertSentence({ kind, name: subject, value }: Said, at: number): string {
  const name = shownJobName(subject)
  const count = (value ?? 0).toLocaleString('en')
  const ago = formatDuration(Math.max(0, Math.floor((at - (value ?? at)) / 1_000) * 1_000))
  switch (kind) {
    case 'failing':
      return value === 1 ? `${name} failed.` : `${name} failed ${count} times in a row.`
    case 'success_rate':
      return `Only ${Math.floor((value ?? 0) / 10)} % of the runs of ${name} succeeded.`
    case 'late':
      return `${name} is late: a tick is due and has not started.`
    case 'missed':
      return `${value === 1 ? '1 tick' : `${count} ticks`} of ${name} came due while nobody led, and ${value === 1 ? 'was' : 'were'} skipped.`
    case 'silent':
      return value === null ? `No success of ${name} is on record.` : `${name} has been silent for ${ago}.`
    case 'waiting':
      return `An execution of ${name} has been waiting for ${ago}.`
    case 'expired_leases':
      return `${value === 1 ? 'A lease' : `${count} leases`} of ${name} ran out.`
    case 'leader_gap':
      return `Nobody led for ${formatDuration(Math.floor((value ?? 0) / 1_000) * 1_000)}.`
    case 'cursor_lag':
      return `The leader is ${ago} behind with its accounts.`
    case 'queue_depth':
      return `${count} executions wait in the queue ${name}.`
    case 'queue_age':
      return `An execution in the queue ${name} has been waiting for ${ago}.`
    case 'no_runner':
      return `Nobody can run ${name}.`
  }
}

/** What to do about it. */
export function alertNext(kind: AlertKind, name: string): string {
  const subject = shellWord(name)
  const webhook = webhookOfJob(name)
  switch (kind) {
    case 'failing':
    case 'success_rate':
      if (webhook !== null)
        return `See what its receiver answered: \`evertick webhooks deliveries ${shellWord(webhook)} --state failed\`.`
      return `Read the errors: \`evertick executions list --job ${subject} --state failed\`.`
    case 'missed':
      return `See what became of each tick: \`evertick explain ${subject} --from 24h\`.`
    case 'late':
    case 'silent':
    case 'waiting':
    case 'no_runner':
      return `See why: \`evertick why ${subject}\`.`
    case 'expired_leases':
      return 'See which workers hold leases, and what ran out: `evertick leases list`.'
    case 'leader_gap':
      return 'See the terms, and what was missed between them: `evertick leader terms`.'
    case 'cursor_lag':
      return 'See who leads, and how it does: `evertick doctor`.'
    case 'queue_depth':
    case 'queue_age':
      return 'Start more workers, or see who holds it up: `evertick queues list`.'
  }
}

/** "Failing", or of a kind that this version does not know, its word. */
export function kindTitle(kind: AlertKind): string {
  return alertKinds[kind].title
}
