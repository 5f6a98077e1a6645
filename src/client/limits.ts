/** `client.limits`. */
import type { Call, CallOptions } from './call.ts'
import type { Body } from './contract.ts'

export function limitCalls(call: Call) {
  return {
    list: async (options: CallOptions = {}) => (await call('GET /limits', options)).limits,
    set: (name: string, numbers: Omit<Body<'POST /limits'>, 'name'>, options: CallOptions = {}) =>
      call('POST /limits', { body: { name, ...numbers }, ...options }),
    delete: (name: string, options: CallOptions = {}) =>
      call('DELETE /limits/{name}', { params: { name }, ...options }),
  }
}
