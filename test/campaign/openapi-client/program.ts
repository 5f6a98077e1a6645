/** What a stranger writes with the client that a public generator makes of our document. Ends with an error where it does not hold. */
import { deepEqual, equal, ok } from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.d.ts'

type Job = components['schemas']['Job']

const baseUrl = process.env['EVERTICK_URL'] ?? ''
const client = createClient<paths>({
  baseUrl,
  headers: { authorization: `Bearer ${process.env['EVERTICK_TOKEN']}` },
})

const made = await client.POST('/api/v1/jobs', {
  body: { name: 'generated', handler: { type: 'function', name: 'greet' }, schedule: { every: '1h' } },
})
if (made.error !== undefined) throw new Error(made.error.detail)
const job: Job = made.data
equal(job.name, 'generated')
deepEqual(job.handler, { type: 'function', name: 'greet' })

const params = { path: { id: 'generated' } }
const triggered = await client.POST('/api/v1/jobs/{id}/trigger', { params, body: { input: { to: 'you' } } })
ok(triggered.data, triggered.error?.detail)

/** Asks until it is done: what is told is what the type says. */
async function completed(): Promise<components['schemas']['Execution']> {
  for (;;) {
    const { data, error } = await client.GET('/api/v1/executions', {
      params: { query: { filter: 'job:generated', limit: 10 } },
    })
    if (error !== undefined) throw new Error(error.detail)
    const [newest] = data.executions
    ok(newest)
    if (newest.state === 'completed') return newest
    ok(newest.state !== 'failed', newest.error?.message)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
const { id, cause } = await completed()
equal(cause, 'manual')
const detail = await client.GET('/api/v1/executions/{id}', { params: { path: { id } } })
equal(detail.data?.attempts.length, 1)

// What has a default may be left out.
const pulled = await client.POST('/api/v1/leases/acquire', {
  body: { worker: 'a generated client', handlers: ['nobody has it'] },
})
deepEqual(pulled.data?.leases, [])

const missing = await client.GET('/api/v1/jobs/{id}', { params: { path: { id: 'no-such-job' } } })
equal(missing.data, undefined)
equal(missing.error?.status, 404)
equal(missing.error?.code, 'job_not_found')
// @ts-expect-error: a route that is not there does not compile.
const nowhere = await client.GET('/api/v1/nothing')
equal(nowhere.response.status, 404)
console.log('created, triggered, listed, refused: all as the types say')
