/** What the compiler knows of the client: the very schemas of the routes. Nothing here runs: `npm run types` compiles it. */
import { type Answer, createClient, type RouteName } from '../../src/client/index.ts'

const client = createClient({ url: 'http://127.0.0.1:8060' })

export async function names(): Promise<void> {
  const job = await client.jobs.get('a')
  job.nextRunAt satisfies string | null
  job.state satisfies 'active' | 'paused' | 'disabled' | 'completed' | 'cancelled' | 'error'
  // @ts-expect-error what comes is text, not a Date
  job.createdAt satisfies Date
  // @ts-expect-error a job has no such field
  void job.nextRun
  await client.jobs.create({ name: 'a', schedule: { cron: '* * * * *' }, retry: { attempts: 2 } })
  // @ts-expect-error a job has a name
  await client.jobs.create({ schedule: { cron: '* * * * *' } })
  // @ts-expect-error a slip in a field of the body
  await client.jobs.create({ name: 'a', scedule: { cron: '* * * * *' } })
  // @ts-expect-error a slip in a nested field
  await client.jobs.create({ name: 'a', retry: { attemps: 2 } })
  // @ts-expect-error there is no such policy
  await client.jobs.resume('a', { catchUp: 'some' })
  // @ts-expect-error a limit is a number
  await client.jobs.list({ limit: 'ten' })
  await client.jobs.explain('a')
  // @ts-expect-error an instant is text
  await client.jobs.explain('a', { from: 5 })
}

export async function routes(): Promise<void> {
  const paused = await client.call('POST /jobs/{id}/pause', { params: { id: 'a' }, body: { reason: 'b' } })
  paused.isPaused satisfies boolean
  ;(await client.call('GET /metrics')) satisfies string
  ;(await client.call('DELETE /jobs/{id}', { params: { id: 'a' } })) satisfies undefined
  // @ts-expect-error there is no such route
  await client.call('GET /job')
  // @ts-expect-error it does not take this method
  await client.call('DELETE /jobs')
  // @ts-expect-error the path has a hole
  await client.call('GET /jobs/{id}')
  // @ts-expect-error the hole has a name
  await client.call('GET /jobs/{id}', { params: { name: 'a' } })
  // @ts-expect-error the route takes no body
  await client.call('GET /leader', { body: {} })
  // @ts-expect-error the route takes no query
  await client.call('GET /leader', { query: { limit: 1 } })
  // @ts-expect-error its query has no such key
  await client.call('GET /jobs', { query: { filtr: 'a' } })
}

'GET /jobs' satisfies RouteName
// @ts-expect-error every name is one of a route: none is just text
'GET /anything' satisfies RouteName

export function answers(answer: Answer<'GET /jobs/{id}/stats'>): void {
  answer.p95Ms satisfies number | null
}
