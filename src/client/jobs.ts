/** `client.jobs` and `client.executions`: the library's names, the REST bodies. */
import type { Call, CallOptions, Requests } from './call.ts'
import type { Answer, Body, Execution, ListedJob, Query } from './contract.ts'
import { everyOf } from './pages.ts'
import { type BulkProgress, followed } from './progress.ts'

/** What `all` pages by itself. */
type Unpaged<Q> = Omit<Q, 'limit' | 'cursor'>

export interface BulkCallOptions extends CallOptions {
  /** Told at the first, at the last and at every hundredth part. With it, `timeout` is how long none of them may come. */
  readonly onProgress?: (progress: BulkProgress) => void
}

export function jobCalls(requests: Requests) {
  const { call } = requests
  return {
    list: (query: Query<'GET /jobs'> = {}, options: CallOptions = {}) =>
      call('GET /jobs', { query, ...options }),
    /** Every job that matches, page by page. */
    all: (query: Unpaged<Query<'GET /jobs'>> = {}, options: CallOptions = {}) =>
      everyOf<ListedJob, string, { jobs: ListedJob[]; nextCursor: string | null }>(
        (place) => call('GET /jobs', { query: { ...query, ...place }, ...options }),
        ({ jobs }) => jobs,
      ),
    get: (id: string, options: CallOptions = {}) => call('GET /jobs/{id}', { params: { id }, ...options }),
    create: (body: Body<'POST /jobs'>, options: CallOptions = {}) => call('POST /jobs', { body, ...options }),
    update: (id: string, body: Body<'PATCH /jobs/{id}'>, options: CallOptions = {}) =>
      call('PATCH /jobs/{id}', { params: { id }, body, ...options }),
    delete: (id: string, options: CallOptions = {}) =>
      call('DELETE /jobs/{id}', { params: { id }, ...options }),
    pause: (id: string, body: Body<'POST /jobs/{id}/pause'> = {}, options: CallOptions = {}) =>
      call('POST /jobs/{id}/pause', { params: { id }, body, ...options }),
    resume: (id: string, body: Body<'POST /jobs/{id}/resume'> = {}, options: CallOptions = {}) =>
      call('POST /jobs/{id}/resume', { params: { id }, body, ...options }),
    cancel: (id: string, options: CallOptions = {}) =>
      call('POST /jobs/{id}/cancel', { params: { id }, ...options }),
    retry: (id: string, options: CallOptions = {}) =>
      call('POST /jobs/{id}/retry', { params: { id }, ...options }),
    rotateCheckIn: (id: string, options: CallOptions = {}) =>
      call('POST /jobs/{id}/rotate-check-in', { params: { id }, ...options }),
    trigger: (id: string, body: Body<'POST /jobs/{id}/trigger'> = {}, options: CallOptions = {}) =>
      call('POST /jobs/{id}/trigger', { params: { id }, body, ...options }),
    backfill: (id: string, body: Body<'POST /jobs/{id}/backfill'>, options: CallOptions = {}) =>
      call('POST /jobs/{id}/backfill', { params: { id }, body, ...options }),
    explain: (id: string, query: Query<'GET /jobs/{id}/ticks'> = {}, options: CallOptions = {}) =>
      call('GET /jobs/{id}/ticks', { params: { id }, query, ...options }),
    /** Why the job is not running, in one sentence with the next step. */
    why: (id: string, options: CallOptions = {}) =>
      call('GET /jobs/{id}/why', { params: { id }, ...options }),
    /** The newest due ticks, newest last. */
    ticks: async (id: string, query: Query<'GET /jobs/{id}/ticks/newest'> = {}, options: CallOptions = {}) =>
      (await call('GET /jobs/{id}/ticks/newest', { params: { id }, query, ...options })).ticks,
    upcoming: async (id: string, query: Query<'GET /jobs/{id}/upcoming'> = {}, options: CallOptions = {}) =>
      (await call('GET /jobs/{id}/upcoming', { params: { id }, query, ...options })).upcoming,
    revisions: async (id: string, options: CallOptions = {}) =>
      (await call('GET /jobs/{id}/revisions', { params: { id }, ...options })).revisions,
    stats: (id: string, options: CallOptions = {}) =>
      call('GET /jobs/{id}/stats', { params: { id }, ...options }),
    /** What its newest runs used, newest first. */
    usage: async (id: string, query: Query<'GET /jobs/{id}/usage'> = {}, options: CallOptions = {}) =>
      (await call('GET /jobs/{id}/usage', { params: { id }, query, ...options })).runs,
    executions: (id: string, query: Query<'GET /jobs/{id}/executions'> = {}, options: CallOptions = {}) =>
      call('GET /jobs/{id}/executions', { params: { id }, query, ...options }),
    bulk: async (
      body: Body<'POST /jobs/bulk'>,
      { onProgress, ...options }: BulkCallOptions = {},
    ): Promise<Answer<'POST /jobs/bulk'>> =>
      onProgress === undefined
        ? await call('POST /jobs/bulk', { body, ...options })
        : await followed(requests, 'POST /jobs/bulk', { body, ...options }, onProgress),
    convert: (body: Body<'POST /jobs/convert'> = {}, options: CallOptions = {}) =>
      call('POST /jobs/convert', { body, ...options }),
    resetCursor: (id: string, options: CallOptions = {}) =>
      call('POST /jobs/{id}/reset-cursor', { params: { id }, ...options }),
    /** Brings the jobs of one owner to a list of them. */
    apply: (body: Body<'POST /jobs/apply'>, options: CallOptions = {}) =>
      call('POST /jobs/apply', { body, ...options }),
    /** Jobs as a list that can be applied, a page of them. */
    export: (query: Query<'GET /export/jobs'> = {}, options: CallOptions = {}) =>
      call('GET /export/jobs', { query, ...options }),
    /** The jobs that sync others from an API. */
    sources: (query: Query<'GET /sources'> = {}, options: CallOptions = {}) =>
      call('GET /sources', { query, ...options }),
    exportCrontab: (query: Query<'GET /export/crontab'> = {}, options: CallOptions = {}) =>
      call('GET /export/crontab', { query, ...options }),
  }
}

export function executionCalls(call: Call) {
  return {
    list: (query: Query<'GET /executions'> = {}, options: CallOptions = {}) =>
      call('GET /executions', { query, ...options }),
    /** Every execution that matches, newest first, page by page. */
    all: (query: Unpaged<Query<'GET /executions'>> = {}, options: CallOptions = {}) =>
      everyOf<Execution, string, { executions: Execution[]; nextCursor: string | null }>(
        (place) => call('GET /executions', { query: { ...query, ...place }, ...options }),
        ({ executions }) => executions,
      ),
    get: (id: string, options: CallOptions = {}) =>
      call('GET /executions/{id}', { params: { id }, ...options }),
    cancel: (id: string, options: CallOptions = {}) =>
      call('POST /executions/{id}/cancel', { params: { id }, ...options }),
    retry: (id: string, body: Body<'POST /executions/{id}/retry'> = {}, options: CallOptions = {}) =>
      call('POST /executions/{id}/retry', { params: { id }, body, ...options }),
    /** Answers a wait. */
    signal: (id: string, body: Body<'POST /executions/{id}/signals'>, options: CallOptions = {}) =>
      call('POST /executions/{id}/signals', { params: { id }, body, ...options }),
    /** What it waits for, or how it ended. */
    why: (id: string, options: CallOptions = {}) =>
      call('GET /executions/{id}/why', { params: { id }, ...options }),
    logs: async (id: string, options: CallOptions = {}) =>
      (await call('GET /executions/{id}/logs', { params: { id }, ...options })).logs,
  }
}
