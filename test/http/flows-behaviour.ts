/** The part of the behaviour of every route that is about flows and batches. */
import { expect, test } from 'vitest'
import { defineJob } from '../../src/index.ts'
import type { ApiUnderTest } from './api-under-test.ts'
import type { Asking } from './asking.ts'

export function testFlows(asked: () => { readonly api: ApiUnderTest; readonly ask: Asking['ask'] }): void {
  const link = defineJob<{ fails?: boolean }>({
    name: 'link',
    retry: { attempts: 1 },
    run: async (ctx) => {
      if (ctx.input?.fails === true) throw new Error('no')
      return Object.keys(ctx.parents)
    },
  })

  test('a flow is made once per key, shown with its steps, retried and cancelled, by who asks', async () => {
    const { api, ask } = asked()
    await api.node.evertick.define(link)
    await ask('POST', '/queues/default/pause')
    const body = {
      name: 'nightly',
      steps: {
        fetch: { job: 'link', input: { fails: true } },
        parse: { job: 'link', after: ['fetch'], options: { priority: 5 } },
      },
    }
    const key = { 'Idempotency-Key': 'nightly-1' }
    const send = async () =>
      await api.send('POST', '/api/v1/flows', { token: api.tokens.operator, json: body, headers: key })
    const made = await send()
    expect(made.status).toBe(201)
    const id = String(made.json.id)
    expect((await send()).json).toEqual(made.json)
    const waiting = (
      await ask('GET', `/executions/${(made.json.executions as Record<string, string>)['parse']}`)
    ).json
    expect(waiting).toMatchObject({
      state: 'blocked',
      flowId: id,
      flowStep: 'parse',
      priority: 5,
      enqueuedBy: 'token:operator',
      waits: { reason: 'dependency', sentence: 'It waits for the step "fetch" of its flow.' },
    })
    await ask('POST', '/queues/default/resume')
    await api.node.settle()
    expect((await ask('GET', `/flows/${id}`)).json).toMatchObject({
      name: 'nightly',
      state: 'failed',
      counts: { total: 2, completed: 0, failed: 1, cancelled: 1 },
      steps: [
        { name: 'fetch', job: 'link', state: 'failed', after: [], onFailure: 'cancel', retries: 0 },
        { name: 'parse', state: 'cancelled', after: ['fetch'], startedAt: null },
      ],
      actions: ['retry'],
    })
    expect((await ask('GET', '/flows?state=failed&name=nightly')).json.flows).toMatchObject([{ id }])
    expect((await ask('GET', `/executions?filter=flow:${id}`)).json.executions).toHaveLength(2)
    await ask('POST', '/queues/default/pause')
    const again = await ask('POST', `/flows/${id}/retry`, { from: 'fetch' })
    expect(again).toMatchObject({ status: 202, json: { state: 'running', actions: ['cancel'] } })
    expect((await ask('POST', `/flows/${id}/retry`, { from: 'fetch' })).status).toBe(409)
    expect((await ask('POST', `/flows/${id}/cancel`)).json).toMatchObject({ state: 'cancelled' })
    await ask('POST', '/queues/default/resume')
    const log = (await ask('GET', `/audit-log?subject=${id}`)).json
    expect(log.entries).toMatchObject([
      { action: 'flow.cancel' },
      { action: 'flow.retry', actor: 'token:admin' },
    ])
    const circle = { a: { job: 'link', after: ['b'] }, b: { job: 'link', after: ['a'] } }
    expect((await ask('POST', '/flows', { steps: circle })).json).toMatchObject({ code: 'invalid_option' })
    const plain = { steps: { only: { job: 'link' } } }
    expect((await ask('POST', '/flows', plain)).status).toBe(201)
    expect((await ask('GET', '/flows/nobody')).json).toMatchObject({ code: 'flow_not_found' })
  })

  test('a batch is made once per key, counts its executions, and is followed', async () => {
    const { api, ask } = asked()
    await ask('POST', '/queues/default/pause')
    const body = {
      name: 'thumbnails',
      items: [
        { job: 'link', input: {} },
        { job: 'link', input: { fails: true } },
      ],
      onDone: { job: 'link', input: {} },
    }
    const key = { 'Idempotency-Key': 'thumbnails-1' }
    const send = async () =>
      await api.send('POST', '/api/v1/batches', { token: api.tokens.operator, json: body, headers: key })
    const made = await send()
    expect(made).toMatchObject({ status: 201, json: { counts: { total: 2, completed: 0 }, doneAt: null } })
    const id = String(made.json.id)
    expect((await send()).json).toMatchObject({ id })
    const follows = `/executions/${String(made.json.onDoneId)}`
    expect((await ask('GET', `${follows}/why`)).json).toMatchObject({
      reason: 'dependency',
      sentence: 'It waits for its batch: 2 of 2 have not ended.',
    })
    await ask('POST', '/queues/default/resume')
    await api.node.settle()
    const done = (await ask('GET', `/batches/${id}`)).json
    expect(done).toMatchObject({ name: 'thumbnails', counts: { completed: 1, failed: 1, cancelled: 0 } })
    expect(done.doneAt).not.toBeNull()
    expect((await ask('GET', follows)).json).toMatchObject({ state: 'completed' })
    expect((await ask('GET', '/batches?limit=1')).json.batches).toMatchObject([{ id }])
    expect((await ask('POST', '/batches', { items: [] })).json).toMatchObject({
      counts: { total: 0 },
      onDoneId: null,
    })
    expect((await ask('GET', `/executions?filter=batch:${id}%20state:failed`)).json.executions).toHaveLength(
      1,
    )
    expect((await ask('GET', '/batches/nobody')).json).toMatchObject({ code: 'batch_not_found' })
    await ask('DELETE', '/jobs/link')
  })
}
