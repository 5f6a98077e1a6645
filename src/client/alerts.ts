/** `client.alerts`. */
import type { Call, CallOptions } from './call.ts'
import type { Answer, Body, Query } from './contract.ts'
import { everyOf } from './pages.ts'

type AlertsPage = Answer<'GET /alerts'>
export type Alert = AlertsPage['alerts'][number]
export type AlertRule = Answer<'GET /alerts/rules'>['rules'][number]

export function alertCalls(call: Call) {
  return {
    list: (query: Query<'GET /alerts'> = {}, options: CallOptions = {}) =>
      call('GET /alerts', { query, ...options }),
    /** Every alert that matches, newest first, page by page. */
    all: (query: Omit<Query<'GET /alerts'>, 'limit' | 'cursor'> = {}, options: CallOptions = {}) =>
      everyOf<Alert, string, AlertsPage>(
        (place) => call('GET /alerts', { query: { ...query, ...place }, ...options }),
        ({ alerts }) => alerts,
      ),
    count: (options: CallOptions = {}) => call('GET /alerts/count', options),
    get: (id: string, options: CallOptions = {}) => call('GET /alerts/{id}', { params: { id }, ...options }),
    ack: (id: string, body: Body<'POST /alerts/{id}/ack'> = {}, options: CallOptions = {}) =>
      call('POST /alerts/{id}/ack', { params: { id }, body, ...options }),
    snooze: (id: string, body: Body<'POST /alerts/{id}/snooze'>, options: CallOptions = {}) =>
      call('POST /alerts/{id}/snooze', { params: { id }, body, ...options }),
    rules: {
      list: async (options: CallOptions = {}) => (await call('GET /alerts/rules', options)).rules,
      put: (body: Body<'POST /alerts/rules'>, options: CallOptions = {}) =>
        call('POST /alerts/rules', { body, ...options }),
      delete: (name: string, options: CallOptions = {}) =>
        call('DELETE /alerts/rules/{name}', { params: { name }, ...options }),
    },
  }
}
