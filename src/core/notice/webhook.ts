/**
 * A webhook is a job, and each of its executions a delivery: it has attempts, a history and a lease like any other. Its
 * name begins with what no name of a user's job can begin with, so that the two never meet.
 */
import { isJobName } from '../job/job-name.ts'

const prefix = '@webhook/'
/** Names from here on, and before there, are webhooks': every other name that begins so sorts elsewhere. */
export const webhookNames = { from: prefix, before: '@webhook0' } as const

/** No worker needs to be told to serve it, and no slot of others' work goes to it. */
export const webhookQueue = '@webhooks'

/** With its prefix it is no longer than any name of a job. */
const longestName = 100

export function isWebhookName(name: string): boolean {
  return isJobName(name) && name.length <= longestName
}

export function jobOfWebhook(name: string): string {
  return `${prefix}${name}`
}

export function isWebhookJob(job: string): boolean {
  return job.startsWith(prefix)
}

/** As people know it: a webhook is a job of another name. */
export function shownJobName(job: string): string {
  const webhook = webhookOfJob(job)
  return webhook === null ? job : `webhook ${webhook}`
}

/** Null where the job is none. */
export function webhookOfJob(job: string): string | null {
  return isWebhookJob(job) ? job.slice(prefix.length) : null
}
