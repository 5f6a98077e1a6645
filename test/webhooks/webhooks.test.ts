/** Webhooks: who is told of what, as Standard Webhooks 1.0 has it, and what an answer does. */
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { openTestNode, type TestNode, type TestNodeOptions } from '../../src/testing/index.ts'
import { answers, openReceiver, type Receiver } from './receiver.ts'

const jobs = [
  defineJob({ name: 'etl-orders', tags: ['nightly'], run: () => ({ rows: 'of the result' }) }),
  defineJob({
    name: 'report',
    retry: { attempts: 1 },
    run: () => {
      throw new Error('no paper\nat line 3')
    },
  }),
]

async function nodeFor(receivers: readonly Receiver[], options: TestNodeOptions = {}): Promise<TestNode> {
  const allowPrivateHosts = receivers.map(({ host }) => host)
  const node = await openTestNode({ jobs, allowPrivateHosts, ...options })
  onTestFinished(() => node.stop())
  return node
}

async function subscribed(
  node: TestNode,
  { url }: Receiver,
  options: {
    events?: readonly string[]
    jobs?: string[]
    tags?: string[]
    include?: ['result']
    link?: string
  } = {},
) {
  const created = await node.evertick.webhooks.create({ name: 'ops', url, events: ['*'], ...options })
  await node.settle()
  return { ...created, secret: created.secret ?? '' }
}

const noSignature = 'No matching signature found'

const typesOf = ({ received }: Receiver) => received.map(({ type }) => type)

test('a message says what happened and of what, not what it was given or has returned', async () => {
  const receiver = await openReceiver()
  const node = await nodeFor([receiver])
  await subscribed(node, receiver, { link: 'https://evertick.example.com/' })
  const { id } = await node.evertick.enqueue('etl-orders', { card: 'canary' })
  await node.settle()
  const { jobId } = await node.evertick.executions.get(id)
  expect(receiver.received).toMatchObject([
    {
      type: 'execution.completed',
      data: {
        job: 'etl-orders',
        jobId,
        tags: ['nightly'],
        executionId: id,
        cause: 'enqueue',
        attempt: 1,
        url: `https://evertick.example.com/executions/${id}`,
      },
      headers: { 'content-type': 'application/json' },
    },
  ])
  expect(receiver.received[0]?.body).not.toContain('canary')
  expect(receiver.received[0]?.body).not.toContain('of the result')
})

test('a failure is told with the first line of its error', async () => {
  const receiver = await openReceiver()
  const node = await nodeFor([receiver])
  await subscribed(node, receiver, { events: ['execution.failed'] })
  await node.evertick.enqueue('report')
  await node.evertick.enqueue('etl-orders')
  await node.settle()
  expect(receiver.received).toMatchObject([
    { type: 'execution.failed', data: { job: 'report', error: { name: 'Error', message: 'no paper' } } },
  ])
})

test('a result is told where it is asked for', async () => {
  const receiver = await openReceiver()
  const node = await nodeFor([receiver])
  await subscribed(node, receiver, { include: ['result'] })
  await node.evertick.enqueue('etl-orders')
  await node.settle()
  expect(receiver.received).toMatchObject([{ data: { result: { rows: 'of the result' } } }])
})

test.each([
  [{ jobs: ['etl-*'] }, ['etl-orders']],
  [{ jobs: ['report'] }, ['report']],
  [{ tags: ['nightly'] }, ['etl-orders']],
  [{ tags: ['weekly'] }, []],
  [{ jobs: ['*e*'], events: ['execution.*'] }, ['etl-orders', 'report']],
])('with %j it hears of %j', async (filter, heard) => {
  const receiver = await openReceiver()
  const node = await nodeFor([receiver])
  await subscribed(node, receiver, filter)
  await node.evertick.enqueue('etl-orders')
  await node.evertick.enqueue('report')
  await node.settle()
  expect(receiver.received.map(({ data }) => String(data['job'])).toSorted()).toEqual(heard)
})

test('a receiver verifies it with the library of the standard, and an altered message fails', async () => {
  const receiver = await openReceiver()
  // The library compares with the time of the host.
  const node = await nodeFor([receiver], { start: new Date() })
  const { secret } = await subscribed(node, receiver)
  await node.evertick.enqueue('etl-orders')
  await node.settle()
  const [message] = receiver.received
  const headers = message?.headers as Record<string, string>
  const verified = new Webhook(secret).verify(message?.body ?? '', headers)
  expect(verified).toMatchObject({ type: 'execution.completed', data: { job: 'etl-orders' } })
  expect(() => new Webhook(secret).verify(`${message?.body} `, headers)).toThrow(noSignature)
  expect(() =>
    new Webhook(secret).verify(message?.body ?? '', { ...headers, 'webhook-id': 'other' }),
  ).toThrow(noSignature)
})

test('while a rotation lasts, both secrets verify; then only the new one', async () => {
  const receiver = await openReceiver()
  const node = await nodeFor([receiver], { start: new Date() })
  const { secret } = await subscribed(node, receiver)
  const { secret: next } = await node.evertick.webhooks.rotate('ops', { keep: '4m' })
  const verify = (key: string) => {
    const last = receiver.received.at(-1)
    return () => new Webhook(key).verify(last?.body ?? '', last?.headers as Record<string, string>)
  }
  await node.evertick.enqueue('etl-orders')
  await node.settle()
  expect(verify(secret)).not.toThrow()
  expect(verify(next)).not.toThrow()
  await node.advance('4m')
  await node.evertick.enqueue('etl-orders')
  await node.settle()
  expect(receiver.received).toHaveLength(2)
  expect(verify(secret)).toThrow(noSignature)
  expect(verify(next)).not.toThrow()
})

test('what fails is tried again under the same id, eight times over about a day', async () => {
  const receiver = await openReceiver(answers(500))
  const node = await nodeFor([receiver])
  await subscribed(node, receiver)
  const { id } = await node.evertick.enqueue('etl-orders')
  await node.advance('23h')
  expect(receiver.received.length).toBe(8)
  expect(new Set(receiver.received.map((message) => message.id)).size).toBe(1)
  const { deliveries } = await node.evertick.webhooks.deliveries('ops')
  expect(deliveries).toMatchObject([
    { state: 'failed', attempt: 8, status: 500, type: 'execution.completed' },
  ])
  expect(receiver.received[0]?.data['executionId']).toBe(id)
})

test('410 pauses the webhook, with the reason, in the audit log; nothing more is told', async () => {
  const receiver = await openReceiver(answers(410))
  const node = await nodeFor([receiver])
  await subscribed(node, receiver)
  await node.evertick.enqueue('etl-orders')
  await node.settle()
  await node.evertick.enqueue('etl-orders')
  await node.advance('1h')
  expect(receiver.received).toHaveLength(1)
  expect(await node.evertick.webhooks.get('ops')).toMatchObject({
    isPaused: true,
    pausedBy: 'evertick',
    pausedReason: 'it answered 410 Gone',
    lastDelivery: { state: 'failed', status: 410 },
  })
  const { entries } = await node.evertick.auditLog.list({ action: 'job.pause' })
  expect(entries).toMatchObject([{ actor: 'evertick', after: { reason: 'it answered 410 Gone' } }])
})

test.each([429, 503])('%i says when to come again', async (status) => {
  const receiver = await openReceiver((response, times) => {
    if (times === 1) answers(status, { 'retry-after': '600' })(response, times)
    else answers(200)(response, times)
  })
  const node = await nodeFor([receiver])
  await subscribed(node, receiver)
  await node.evertick.enqueue('etl-orders')
  await node.advance('9m 59s')
  expect(receiver.received).toHaveLength(1)
  await node.advance('2s')
  expect(receiver.received).toHaveLength(2)
})

test('a redirect is not followed, and an address in a private network is not called unless it is allowed', async () => {
  const elsewhere = await openReceiver()
  const redirecting = await openReceiver(answers(302, { location: elsewhere.url }))
  const node = await nodeFor([redirecting])
  await node.evertick.webhooks.create({ name: 'private', url: elsewhere.url, events: ['*'] })
  await subscribed(node, redirecting)
  await node.evertick.enqueue('etl-orders')
  await node.advance('10s')
  expect(elsewhere.received).toEqual([])
  const { deliveries } = await node.evertick.webhooks.deliveries('private')
  expect(deliveries).toMatchObject([{ state: 'failed', attempt: 1, status: null }])
  expect(await node.evertick.webhooks.deliveries('ops')).toMatchObject({
    deliveries: [{ state: 'retrying', status: 302 }],
  })
})

test('a paused webhook is told of nothing, and what was under way waits until it is resumed', async () => {
  let status = 500
  const receiver = await openReceiver((response) => answers(status)(response, 0))
  const node = await nodeFor([receiver])
  await subscribed(node, receiver)
  await node.evertick.enqueue('etl-orders')
  await node.settle()
  await node.evertick.webhooks.pause('ops', { reason: 'moving' })
  await node.evertick.enqueue('report')
  await node.advance('2h')
  expect(receiver.received).toHaveLength(1)
  status = 200
  await node.evertick.webhooks.resume('ops')
  await node.advance('10m')
  expect(receiver.received).toHaveLength(2)
  expect(typesOf(receiver)).toEqual(['execution.completed', 'execution.completed'])
})

test('a delivery, or all that have failed since an instant, are sent again under their ids', async () => {
  let status = 400
  const receiver = await openReceiver((response) => answers(status)(response, 0))
  const node = await nodeFor([receiver])
  const since = new Date(node.clock.now())
  await node.evertick.webhooks.create({
    name: 'ops',
    url: receiver.url,
    events: ['*'],
    retry: { attempts: 1 },
  })
  await node.settle()
  for (let made = 0; made < 3; made += 1) {
    await node.evertick.enqueue('etl-orders')
    await node.advance('10s')
  }
  const { deliveries } = await node.evertick.webhooks.deliveries('ops', { state: 'failed' })
  expect(deliveries).toHaveLength(3)
  status = 200
  const [newest] = deliveries
  expect(await node.evertick.webhooks.resend('ops', { delivery: newest?.id ?? '' })).toEqual({ resent: 1 })
  await node.advance('1m')
  expect(receiver.received.at(-1)?.id).toBe(newest?.messageId)
  expect(await node.evertick.webhooks.resend('ops', { since })).toEqual({ resent: 2 })
  await node.advance('1m')
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(3)
  expect(receiver.received).toHaveLength(6)
  expect(await node.evertick.webhooks.resend('ops', { since })).toEqual({ resent: 0 })
})

test('a test sends a ping at once, and says what came back', async () => {
  const receiver = await openReceiver()
  const broken = await openReceiver(answers(404))
  const node = await nodeFor([receiver, broken])
  await subscribed(node, receiver)
  expect(await node.evertick.webhooks.test('ops')).toMatchObject({ ok: true, status: 204, error: null })
  expect(receiver.received).toMatchObject([{ type: 'ping', data: { webhook: 'ops' } }])
  await node.evertick.webhooks.update('ops', { url: broken.url })
  const failed = await node.evertick.webhooks.test('ops')
  expect(failed).toMatchObject({ ok: false, status: 404 })
  expect(failed.error).toContain('answered 404')
})

test('its secret and its headers are shown nowhere', async () => {
  const receiver = await openReceiver(answers(500))
  const node = await nodeFor([receiver])
  const { evertick } = node
  const headers = { authorization: 'Bearer canary-of-the-header' }
  const { secret } = await evertick.webhooks.create({
    name: 'ops',
    url: receiver.url,
    events: ['*'],
    headers,
  })
  await node.settle()
  await evertick.enqueue('etl-orders')
  await node.settle()
  expect(receiver.received[0]?.headers.authorization).toBe('Bearer canary-of-the-header')
  const shown = JSON.stringify([
    await evertick.webhooks.list(),
    await evertick.webhooks.deliveries('ops'),
    await evertick.jobs.list({ filter: 'handler:@webhook' }),
    await evertick.jobs.get('@webhook/ops'),
    await evertick.jobs.revisions('@webhook/ops'),
    await evertick.auditLog.list({}),
  ])
  expect(shown).not.toContain(secret)
  expect(shown).not.toContain('canary-of-the-header')
  expect(shown).toContain('[redacted]')
})

test('headers of one address are not sent to another', async () => {
  const [first, second] = [await openReceiver(), await openReceiver()]
  const node = await nodeFor([first, second])
  const headers = { authorization: 'Bearer canary' }
  await node.evertick.webhooks.create({ name: 'ops', url: first.url, events: ['*'], headers })
  await node.evertick.webhooks.update('ops', { url: second.url })
  await node.settle()
  await node.evertick.enqueue('etl-orders')
  await node.settle()
  expect(second.received).toHaveLength(1)
  expect(second.received[0]?.headers.authorization).toBeUndefined()
})

test('webhooks are not among the jobs, unless somebody asks for their handler', async () => {
  const receiver = await openReceiver()
  const node = await nodeFor([receiver])
  await subscribed(node, receiver)
  const { jobs: own, total } = await node.evertick.jobs.list({ total: true })
  expect(own.map(({ name }) => name)).toEqual(['etl-orders', 'report'])
  expect(total).toBe(2)
  expect((await node.evertick.metrics()).jobs.total).toBe(2)
  const { jobs: asked } = await node.evertick.jobs.list({ filter: 'handler:@webhook' })
  expect(asked).toMatchObject([{ name: '@webhook/ops', handler: { type: 'webhook', url: receiver.url } }])
  await expect(node.evertick.jobs.create({ name: '@webhook/mine' })).rejects.toMatchObject({
    code: 'invalid_definition',
  })
  await expect(node.evertick.jobs.update('@webhook/ops', { handler: 'report' })).rejects.toMatchObject({
    code: 'invalid_definition',
  })
})

test.each([
  [{ events: ['execution.exploded'] }, 'events'],
  [{ events: [] }, 'events'],
  [{ url: 'ftp://example.com' }, 'url'],
  [{ url: 'https://user:password@example.com' }, 'url'],
  [{ headers: { 'webhook-id': 'mine' } }, 'handler.headers.webhook-id'],
  [{ name: '@hook' }, 'name'],
  [{ color: 'red' }, 'color'],
])('%j is refused, with the field', async (wrong, field) => {
  const node = await nodeFor([])
  const given = { name: 'ops', url: 'https://example.com/hook', events: ['*'], ...wrong }
  await expect(node.evertick.webhooks.create(given)).rejects.toMatchObject({ field })
})

test('a name is given once, and is free again once its webhook is deleted', async () => {
  const node = await nodeFor([])
  const webhook = { name: 'ops', url: 'https://example.com/hook', events: ['*'] }
  await node.evertick.webhooks.create(webhook)
  await expect(node.evertick.webhooks.create(webhook)).rejects.toMatchObject({ code: 'webhook_exists' })
  await node.evertick.webhooks.delete('ops')
  await expect(node.evertick.webhooks.get('ops')).rejects.toMatchObject({ code: 'webhook_not_found' })
  await node.evertick.webhooks.create(webhook)
})
