/** The part of the behaviour of every route that is about workers who lease their work over HTTP. */
import { expect, test } from 'vitest'
import type { Asking } from './asking.ts'

export function testPullLeases(asked: () => { readonly ask: Asking['ask'] }): void {
  test('a worker in another language leases work, keeps it, ends it, and is refused once superseded', async () => {
    const { ask } = asked()
    await ask('POST', '/jobs', {
      name: 'transcode',
      handler: { type: 'function', name: 'elsewhere' },
      queue: 'pull',
      retry: { attempts: 3, base: '0ms' },
      runNow: false,
    })
    const enqueue = async () =>
      (await ask('POST', '/executions', { job: 'transcode', input: { n: 1 } })).json.id
    const acquire = async (worker: string, handlers = ['elsewhere']) => {
      const { leases } = (
        await ask('POST', '/leases/acquire', { worker, queue: 'pull', handlers, lease: '30s', limit: 5 })
      ).json as { leases: { executionId: string; fence: number; attempt: number; input: unknown }[] }
      return leases
    }
    const id = await enqueue()
    expect(await acquire('a', ['another'])).toEqual([])
    const [lease] = await acquire('a')
    expect(lease).toMatchObject({ executionId: id, attempt: 1, input: { n: 1 } })
    expect(await acquire('b')).toEqual([])
    const held = { worker: 'a', executionId: id, fence: lease?.fence }
    expect((await ask('POST', '/leases/extend', held)).json).toMatchObject({ cancelRequested: false })
    // Longer than this worker is known to lease for would be taken for a clock's slip.
    expect((await ask('POST', '/leases/extend', { ...held, lease: '10m' })).json).toMatchObject({
      status: 400,
      field: 'lease',
    })
    expect((await ask('POST', '/leases/release', { ...held, outcome: 'error', message: 'no' })).json).toEqual(
      {
        state: 'retrying',
      },
    )
    expect((await ask('POST', '/leases/extend', held)).json.code).toBe('stale_lease')
    const [again] = await acquire('b')
    expect(again).toMatchObject({ executionId: id, attempt: 2 })
    // Some languages write a UUID in capital letters: it is the same one.
    const capital = { worker: 'b', executionId: String(id).toUpperCase(), fence: again?.fence }
    expect((await ask('POST', '/leases/extend', capital)).json).toMatchObject({ cancelRequested: false })
    const late = { ...held, outcome: 'done', result: 'late' }
    expect((await ask('POST', '/leases/release', late)).json).toMatchObject({
      status: 409,
      code: 'stale_lease',
    })
    const theirs = { worker: 'b', executionId: id, fence: again?.fence }
    await ask('POST', `/executions/${String(id)}/cancel`)
    expect((await ask('POST', '/leases/extend', theirs)).json.cancelRequested).toBe(true)
    await ask('POST', '/leases/release', { ...theirs, outcome: 'done', result: { size: 7 } })
    expect((await ask('GET', `/executions/${String(id)}`)).json).toMatchObject({
      state: 'completed',
      result: { size: 7 },
    })
  })
}
