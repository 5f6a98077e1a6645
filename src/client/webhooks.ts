/** `client.webhooks`. */
import type { Call, CallOptions } from './call.ts'
import type { Answer, Body, Query } from './contract.ts'
import { everyOf } from './pages.ts'

type DeliveriesQuery = Query<'GET /webhooks/{name}/deliveries'>
type DeliveriesPage = Answer<'GET /webhooks/{name}/deliveries'>

export function webhookCalls(call: Call) {
  return {
    list: async (options: CallOptions = {}) => (await call('GET /webhooks', options)).webhooks,
    get: (name: string, options: CallOptions = {}) =>
      call('GET /webhooks/{name}', { params: { name }, ...options }),
    create: (body: Body<'POST /webhooks'>, options: CallOptions = {}) =>
      call('POST /webhooks', { body, ...options }),
    update: (name: string, body: Body<'PATCH /webhooks/{name}'>, options: CallOptions = {}) =>
      call('PATCH /webhooks/{name}', { params: { name }, body, ...options }),
    delete: (name: string, options: CallOptions = {}) =>
      call('DELETE /webhooks/{name}', { params: { name }, ...options }),
    pause: (name: string, body: Body<'POST /webhooks/{name}/pause'> = {}, options: CallOptions = {}) =>
      call('POST /webhooks/{name}/pause', { params: { name }, body, ...options }),
    resume: (name: string, options: CallOptions = {}) =>
      call('POST /webhooks/{name}/resume', { params: { name }, ...options }),
    /** Sends a `ping` now, and says what came back. */
    test: (name: string, options: CallOptions = {}) =>
      call('POST /webhooks/{name}/test', { params: { name }, ...options }),
    rotate: (name: string, body: Body<'POST /webhooks/{name}/rotate'> = {}, options: CallOptions = {}) =>
      call('POST /webhooks/{name}/rotate', { params: { name }, body, ...options }),
    deliveries: (name: string, query: DeliveriesQuery = {}, options: CallOptions = {}) =>
      call('GET /webhooks/{name}/deliveries', { params: { name }, query, ...options }),
    /** Every delivery that matches, newest first, page by page. */
    allDeliveries: (
      name: string,
      query: Omit<DeliveriesQuery, 'limit' | 'cursor'> = {},
      options: CallOptions = {},
    ) =>
      everyOf<DeliveriesPage['deliveries'][number], string, DeliveriesPage>(
        (place) =>
          call('GET /webhooks/{name}/deliveries', {
            params: { name },
            query: { ...query, ...place },
            ...options,
          }),
        ({ deliveries }) => deliveries,
      ),
    resend: (name: string, body: Body<'POST /webhooks/{name}/resend'>, options: CallOptions = {}) =>
      call('POST /webhooks/{name}/resend', { params: { name }, body, ...options }),
  }
}
