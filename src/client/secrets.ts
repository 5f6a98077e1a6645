/** `client.secrets`. */
import type { Call, CallOptions } from './call.ts'
import { proofTimeout } from './cluster.ts'

export function secretCalls(call: Call) {
  return {
    list: async (options: CallOptions = {}) => (await call('GET /secrets', options)).secrets,
    set: (name: string, value: string, options: CallOptions = {}) =>
      call('POST /secrets', { body: { name, value }, ...options }),
    delete: (name: string, { force = false, ...options }: CallOptions & { readonly force?: boolean } = {}) =>
      call('DELETE /secrets/{name}', { params: { name }, query: { force }, ...options }),
    /** Seals every secret anew under the newest key. */
    rotate: (options: CallOptions = {}) =>
      call('POST /secrets/rotate', { timeout: proofTimeout, ...options }),
  }
}
