/** `client.reports`: pictures of the whole, for whoever watches. */
import type { Call, CallOptions } from './call.ts'
import type { Body, Query } from './contract.ts'

export function reportCalls(call: Call) {
  return {
    /** Overall health, current problems, and what happened while there was no leader. */
    overview: (options: CallOptions = {}) => call('GET /overview', options),
    activity: (query: Query<'GET /activity'>, options: CallOptions = {}) =>
      call('GET /activity', { query, ...options }),
    forecast: (query: Query<'GET /forecast'>, options: CallOptions = {}) =>
      call('GET /forecast', { query, ...options }),
    timeline: (query: Query<'GET /timeline'>, options: CallOptions = {}) =>
      call('GET /timeline', { query, ...options }),
    heatmap: (id: string, query: Query<'GET /jobs/{id}/heatmap'>, options: CallOptions = {}) =>
      call('GET /jobs/{id}/heatmap', { params: { id }, query, ...options }),
    /** What a schedule means, before there is a job of it. */
    preview: (body: Body<'POST /schedules/preview'>, options: CallOptions = {}) =>
      call('POST /schedules/preview', { body, ...options }),
    tags: async (query: Query<'GET /tags'> = {}, options: CallOptions = {}) =>
      (await call('GET /tags', { query, ...options })).tags,
  }
}
