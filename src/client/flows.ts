/** `client.flows` and `client.batches`. */
import type { Call, CallOptions } from './call.ts'
import type { Answer, Body, Query } from './contract.ts'
import { everyOf } from './pages.ts'

type FlowsPage = Answer<'GET /flows'>
type BatchesPage = Answer<'GET /batches'>
export type Flow = FlowsPage['flows'][number]
export type FlowDetail = Answer<'GET /flows/{id}'>
export type Batch = Answer<'GET /batches/{id}'>

export function flowCalls(call: Call) {
  return {
    list: (query: Query<'GET /flows'> = {}, options: CallOptions = {}) =>
      call('GET /flows', { query, ...options }),
    /** Every flow that matches, newest first, page by page. */
    all: (query: Omit<Query<'GET /flows'>, 'limit' | 'cursor'> = {}, options: CallOptions = {}) =>
      everyOf<Flow, string, FlowsPage>(
        (place) => call('GET /flows', { query: { ...query, ...place }, ...options }),
        ({ flows }) => flows,
      ),
    create: (body: Body<'POST /flows'>, options: CallOptions = {}) =>
      call('POST /flows', { body, ...options }),
    get: (id: string, options: CallOptions = {}) => call('GET /flows/{id}', { params: { id }, ...options }),
    cancel: (id: string, options: CallOptions = {}) =>
      call('POST /flows/{id}/cancel', { params: { id }, ...options }),
    retry: (id: string, body: Body<'POST /flows/{id}/retry'> = {}, options: CallOptions = {}) =>
      call('POST /flows/{id}/retry', { params: { id }, body, ...options }),
  }
}

export function batchCalls(call: Call) {
  return {
    list: (query: Query<'GET /batches'> = {}, options: CallOptions = {}) =>
      call('GET /batches', { query, ...options }),
    /** Every batch, newest first, page by page. */
    all: (options: CallOptions = {}) =>
      everyOf<Batch, string, BatchesPage>(
        (query) => call('GET /batches', { query, ...options }),
        ({ batches }) => batches,
      ),
    create: (body: Body<'POST /batches'>, options: CallOptions = {}) =>
      call('POST /batches', { body, ...options }),
    get: (id: string, options: CallOptions = {}) => call('GET /batches/{id}', { params: { id }, ...options }),
  }
}
