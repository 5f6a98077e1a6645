/** What the compiler refuses of a route. Nothing here runs: `npm run types` compiles it. */
import { z } from 'zod'
import { endpoint } from '../../src/http/endpoint.ts'

const route = { method: 'get', path: '/x', tag: 'X', summary: 'x', answers: null } as const
const run = async () => null

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
