/** What the compiler refuses of a route. Nothing here runs: `npm run types` compiles it. */
import { z } from 'zod'
import { endpoint, Reply } from '../../src/http/endpoint.ts'
import { instant } from '../../src/http/schemas/named.ts'

const route = { method: 'get', path: '/x', tag: 'X', summary: 'x', answers: null } as const
const run = async () => {}

endpoint({ ...route, role: 'viewer', run })
endpoint({ ...route, role: 'public', run })
// @ts-expect-error a route without a role cannot be built
endpoint({ ...route, run })
// @ts-expect-error nobody is let in by accident
endpoint({ ...route, role: undefined, run })
// @ts-expect-error there is no such role
endpoint({ ...route, role: 'everybody', run })
// @ts-expect-error a route says what it answers
endpoint({ method: 'get', path: '/x', tag: 'X', summary: 'x', role: 'viewer', run })

endpoint({
  ...route,
  role: 'viewer',
  params: z.strictObject({ id: z.string() }),
  run: async ({ params, query }) => {
    params.id satisfies string
    // @ts-expect-error what no schema has checked is not there
    void params.name
    // @ts-expect-error a route without a query has none
    query.limit satisfies number
  },
})

const answers = z.object({ id: z.string(), at: instant, tags: z.array(z.string()) })
const json = { ...route, role: 'viewer', answers } as const
const answer = { id: 'a', at: new Date(0), tags: ['b'] as readonly string[] }
const whole = async () => answer
const part = async () => ({ id: 'a' })

endpoint({ ...json, run: whole })
endpoint({ ...json, run: whole, replay: async () => null })
endpoint({ ...json, run: async () => new Reply(answer, { status: 201 }) })
// @ts-expect-error an answer has every key of its schema
endpoint({ ...json, run: part })
// @ts-expect-error the body of a reply has them, too
endpoint({ ...json, run: async () => new Reply(await part(), {}) })
// @ts-expect-error and so has the answer to a repeated request
endpoint({ ...json, run: whole, replay: part })
// @ts-expect-error only an instant may be a Date
endpoint({ ...json, run: async () => ({ ...answer, id: new Date(0) }) })
// @ts-expect-error an instant is a Date, so that it has one spelling
endpoint({ ...json, run: async () => ({ ...answer, at: '2027-01-01' }) })

const stream = { ...json, contentType: 'text/event-stream' } as const
endpoint({ ...stream, run: async () => new ReadableStream<Uint8Array>() })
// @ts-expect-error a stream is one of bytes
endpoint({ ...stream, run: whole })
