/** `client.leader`, `.leases`, `.locks`, `.queues`, `.nodes`, `.auditLog`, `.tokens` and `.session`. */
import type { Call, CallOptions } from './call.ts'
import type { Answer, Body, Query } from './contract.ts'
import { everyOf } from './pages.ts'

/** How long a proof of many rows may take. */
export const proofTimeout = '10m'

type AuditLogPage = Answer<'GET /audit-log'>

export function clusterCalls(call: Call) {
  return {
    leader: {
      current: async (options: CallOptions = {}) => (await call('GET /leader', options)).leader,
      terms: async (query: Query<'GET /leader/terms'> = {}, options: CallOptions = {}) =>
        (await call('GET /leader/terms', { query, ...options })).terms,
      stepDown: async (options: CallOptions = {}) =>
        (await call('POST /leader/step-down', options)).steppedDown,
    },
    leases: {
      active: async (options: CallOptions = {}) => (await call('GET /leases', options)).active,
      expired: async (options: CallOptions = {}) => (await call('GET /leases', options)).expired,
      resetExpired: async (options: CallOptions = {}) =>
        (await call('POST /leases/reset-expired', options)).reset,
      acquire: async (body: Body<'POST /leases/acquire'>, options: CallOptions = {}) =>
        (await call('POST /leases/acquire', { body, ...options })).leases,
      extend: (body: Body<'POST /leases/extend'>, options: CallOptions = {}) =>
        call('POST /leases/extend', { body, ...options }),
      release: (body: Body<'POST /leases/release'>, options: CallOptions = {}) =>
        call('POST /leases/release', { body, ...options }),
    },
    locks: {
      list: async (options: CallOptions = {}) => (await call('GET /locks', options)).locks,
      release: (name: string, options: CallOptions = {}) =>
        call('DELETE /locks/{name}', { params: { name }, ...options }),
    },
    queues: {
      list: async (options: CallOptions = {}) => (await call('GET /queues', options)).queues,
      pause: (name: string, body: Body<'POST /queues/{name}/pause'> = {}, options: CallOptions = {}) =>
        call('POST /queues/{name}/pause', { params: { name }, body, ...options }),
      resume: (name: string, options: CallOptions = {}) =>
        call('POST /queues/{name}/resume', { params: { name }, ...options }),
    },
    nodes: {
      list: async (options: CallOptions = {}) => (await call('GET /nodes', options)).nodes,
      /** The handlers that some node has. */
      handlers: async (options: CallOptions = {}) => (await call('GET /nodes', options)).handlers,
    },
    auditLog: {
      list: (query: Query<'GET /audit-log'> = {}, options: CallOptions = {}) =>
        call('GET /audit-log', { query, ...options }),
      /** Every entry that matches, newest first, page by page. */
      all: (query: Omit<Query<'GET /audit-log'>, 'limit' | 'cursor'> = {}, options: CallOptions = {}) =>
        everyOf<AuditLogPage['entries'][number], number, AuditLogPage>(
          (place) => call('GET /audit-log', { query: { ...query, ...place }, ...options }),
          ({ entries }) => entries,
        ),
      /** The proof that no sealed entry was changed. */
      verify: (query: Query<'GET /audit-log/verify'> = {}, options: CallOptions = {}) =>
        call('GET /audit-log/verify', { query, timeout: proofTimeout, ...options }),
    },
    tokens: {
      list: async (options: CallOptions = {}) => (await call('GET /tokens', options)).tokens,
      create: (body: Body<'POST /tokens'>, options: CallOptions = {}) =>
        call('POST /tokens', { body, ...options }),
      revoke: (id: string, options: CallOptions = {}) =>
        call('DELETE /tokens/{id}', { params: { id }, ...options }),
    },
    session: {
      /** Who is calling. */
      get: (options: CallOptions = {}) => call('GET /session', options),
      signIn: (code: string, options: CallOptions = {}) =>
        call('POST /session', { body: { code }, ...options }),
      /** Where people sign in, beside links. */
      provider: async (options: CallOptions = {}) => (await call('GET /session/provider', options)).provider,
      signOut: (options: CallOptions = {}) => call('DELETE /session', options),
    },
  }
}
