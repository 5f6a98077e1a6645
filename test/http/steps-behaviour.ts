/** The part of the behaviour of every route that is about steps, and signals that answer waits. */
import { expect, test } from 'vitest'
import type { ApiUnderTest } from './api-under-test.ts'
import type { Asking } from './asking.ts'
import { order } from './order-job.ts'

export function testSteps(asked: () => { readonly api: ApiUnderTest; readonly ask: Asking['ask'] }): void {
  /** An execution that waits to be approved. */
  async function waiting(): Promise<string> {
    const { api, ask } = asked()
    await api.node.evertick.define(order)
    const id = String((await ask('POST', '/executions', { job: 'order' })).json.id)
    await api.node.advance('1s')
    return id
  }

  test('a wait is seen and answered, once per id, and the audit log says by whom', async () => {
    const { api, ask } = asked()
    const id = await waiting()
    const path = `/executions/${id}`
    expect((await ask('GET', path)).json).toMatchObject({
      state: 'waiting',
      readyAt: '9999-12-31T23:59:59.999Z',
      waits: { reason: 'waiting', sentence: 'It waits for the signal "approve".' },
      steps: [
        { name: 'charge', kind: 'step', outcome: 'done', result: { charged: 7 }, tries: 1 },
        { name: 'cool off', kind: 'sleep', outcome: 'slept' },
        { name: 'approve', kind: 'wait', outcome: 'open', finishedAt: null, by: null },
      ],
    })
    expect((await ask('GET', '/executions?filter=state:waiting')).json.executions).toMatchObject([{ id }])
    expect((await ask('GET', '/jobs/order')).json.lastExecution).toMatchObject({ id, state: 'waiting' })
    const signal = { name: 'approve', payload: { ok: true }, id: 'order-7' }
    const sent = async () =>
      await api.send('POST', `/api/v1${path}/signals`, { token: api.tokens.operator, json: signal })
    expect((await sent()).json).toEqual({ executionId: id, taken: true })
    expect((await sent()).json).toEqual({ executionId: id, taken: false })
    await api.node.settle()
    const done = (await ask('GET', path)).json
    expect(done).toMatchObject({
      state: 'completed',
      result: { outcome: 'signal', payload: { ok: true }, by: 'token:operator' },
    })
    const [, , approve] = done.steps as { by: string; outcome: string; result: unknown }[]
    expect(approve).toMatchObject({ outcome: 'signalled', by: 'token:operator', result: { ok: true } })
    expect((await ask('GET', `/audit-log?subject=${id}`)).json.entries).toMatchObject([
      { action: 'execution.signal', actor: 'token:operator', after: { name: 'approve', signal: 'order-7' } },
    ])
    const late = await ask('POST', `${path}/signals`, { name: 'approve' })
    expect([late.status, late.json.code]).toEqual([409, 'invalid_transition'])
  })

  test('a signal whose reply was lost is sent again under its key, and is one', async () => {
    const { api, ask } = asked()
    const id = await waiting()
    const headers = { 'idempotency-key': 'signal' }
    const sent = async () => await ask('POST', `/executions/${id}/signals`, { name: 'approve' }, headers)
    expect((await sent()).json).toEqual({ executionId: id, taken: true })
    const again = await sent()
    expect([again.json.taken, again.headers.get('idempotent-replayed')]).toEqual([true, 'true'])
    expect((await ask('GET', `/audit-log?subject=${id}`)).json.entries).toHaveLength(1)
    await api.node.settle()
  })

  test('a retry begins at the step that it names, and keeps what was done before it', async () => {
    const { api, ask } = asked()
    const id = await waiting()
    await ask('POST', `/executions/${id}/signals`, { name: 'approve', payload: 1 })
    await api.node.settle()
    const wrong = await ask('POST', `/executions/${id}/retry`, { fromStep: 'pack' })
    expect([wrong.status, wrong.json.field]).toEqual([400, 'fromStep'])
    const { status, json } = await ask('POST', `/executions/${id}/retry`, { fromStep: 'approve' })
    expect([status, json.retryOf]).toEqual([202, id])
    await api.node.settle()
    expect((await ask('GET', `/executions/${String(json.id)}`)).json).toMatchObject({
      state: 'waiting',
      steps: [
        { name: 'charge', outcome: 'done' },
        { name: 'cool off' },
        { name: 'approve', outcome: 'open' },
      ],
    })
    await ask('POST', `/executions/${String(json.id)}/cancel`)
  })
}
