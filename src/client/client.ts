/** A server's API under the library's names. It is `fetch` and nothing else: it runs in browsers, too. */
import { type ErrorCode, EvertickError } from '../core/error.ts'
import { nothingNamed } from '../core/nothing-named.ts'
import { alertCalls } from './alerts.ts'
import { type CallOptions, type ClientOptions, Requests } from './call.ts'
import { clusterCalls, proofTimeout } from './cluster.ts'
import type { Body } from './contract.ts'
import { type EventsOptions, liveEvents } from './events.ts'
import { executionCalls, jobCalls } from './jobs.ts'
import { reportCalls } from './reports.ts'
import { secretCalls } from './secrets.ts'
import { webhookCalls } from './webhooks.ts'

export type Client = ReturnType<typeof createClient>

export function createClient(options: ClientOptions) {
  const requests = new Requests(options)
  const { call } = requests
  const jobs = jobCalls(requests)
  const executions = executionCalls(call)
  return {
    /** Any route by its name: `call('POST /jobs/{id}/pause', { params: { id }, body: { reason } })`. */
    call,
    jobs,
    executions,
    ...clusterCalls(call),
    alerts: alertCalls(call),
    reports: reportCalls(call),
    secrets: secretCalls(call),
    webhooks: webhookCalls(call),
    enqueue: (
      job: string,
      input?: unknown,
      given: Omit<Body<'POST /executions'>, 'job' | 'input'> & CallOptions = {},
    ) => {
      const { signal, timeout, headers, idempotencyKey, ...body } = given
      const around = Object.entries({ signal, timeout, headers, idempotencyKey })
      const kept = Object.fromEntries(around.filter(([, value]) => value !== undefined)) as CallOptions
      return call('POST /executions', {
        body: { job, ...(input === undefined ? {} : { input }), ...body },
        ...kept,
      })
    },
    /** Why a job, by name or id, or else an execution does not run. */
    why: async (reference: string, given: CallOptions = {}) => {
      const unless = (code: ErrorCode) => (error: unknown) => {
        if (error instanceof EvertickError && error.code === code) return null
        throw error
      }
      const job = await jobs.why(reference, given).catch(unless('job_not_found'))
      if (job !== null) return job
      const execution = await executions.why(reference, given).catch(unless('execution_not_found'))
      if (execution !== null) return execution
      throw nothingNamed(reference)
    },
    /** The proof that every due tick is accounted for exactly once. */
    audit: (given: CallOptions = {}) => call('GET /audit', { timeout: proofTimeout, ...given }),
    metrics: (given: CallOptions = {}) => call('GET /scheduler/metrics', given),
    /** Whether the node and its database answer. */
    health: (given: CallOptions = {}) => call('GET /health', given),
    /** What changes, on any node, while it changes. */
    events: (given: EventsOptions = {}) => liveEvents(requests, given),
  }
}
