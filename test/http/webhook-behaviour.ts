/** The part of the behaviour of every route that is about webhooks. Their address is private, and so refused. */
import { expect, test } from 'vitest'
import { openApiUnderTest } from './api-under-test.ts'
import { asking } from './asking.ts'

/** On a node of its own, which leads: its routes are the same. */
export function testWebhooks(reachedOf: (reached: ReadonlySet<string>) => void): void {
  test('a webhook is made, tested, told, resent to, changed, paused and deleted', async () => {
    const api = await openApiUnderTest()
    const { ask, reached } = asking(api)
    const url = 'http://127.0.0.1:9/hook'
    const made = await ask('POST', '/webhooks', { name: 'ops', url, events: ['execution.completed'] })
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({ name: 'ops', url, secret: expect.stringMatching(/^whsec_/) as string })
    const shown = await ask('GET', '/webhooks/ops')
    expect(shown.json).toMatchObject({ events: ['execution.completed'], isPaused: false })
    expect(shown.json).not.toHaveProperty('secret')
    expect((await ask('GET', '/webhooks')).json).toMatchObject({ webhooks: [{ name: 'ops' }] })
    expect((await ask('POST', '/webhooks', { name: 'ops', url, events: ['*'] })).json).toMatchObject({
      status: 409,
      code: 'webhook_exists',
    })
    expect((await ask('POST', '/webhooks/ops/test')).json).toMatchObject({ ok: false, status: null })
    await api.node.settle()
    await ask('POST', '/executions', { job: 'greet' })
    await api.node.settle()
    const { deliveries } = (await ask('GET', '/webhooks/ops/deliveries?state=failed')).json as {
      deliveries: { id: string; type: string }[]
    }
    expect(deliveries).toMatchObject([{ type: 'execution.completed' }])
    const delivery = deliveries[0]?.id
    expect((await ask('POST', '/webhooks/ops/resend', { delivery })).json).toEqual({ resent: 1 })
    expect((await ask('POST', '/webhooks/ops/resend', {})).json).toMatchObject({ status: 400 })
    expect((await ask('POST', '/webhooks/ops/rotate', { keep: '1h' })).json).toMatchObject({
      secret: expect.stringMatching(/^whsec_/) as string,
    })
    const changed = await ask('PATCH', '/webhooks/ops', { events: ['job.*'], tags: ['nightly'] })
    expect(changed.json).toMatchObject({ events: ['job.*'], tags: ['nightly'], url })
    const paused = await ask('POST', '/webhooks/ops/pause', { reason: 'moving' })
    expect(paused.json).toMatchObject({ isPaused: true, pausedReason: 'moving', pausedBy: 'token:admin' })
    expect((await ask('POST', '/webhooks/ops/resume')).json).toMatchObject({ isPaused: false })
    expect((await ask('DELETE', '/webhooks/ops')).status).toBe(204)
    expect((await ask('GET', '/webhooks/ops')).json).toMatchObject({ status: 404, code: 'webhook_not_found' })
    reachedOf(reached)
  })
}
