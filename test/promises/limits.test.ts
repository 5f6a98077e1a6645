/** Limits through the whole stack: what is promised of them, on a manual clock. */
import { expect, it } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { ManualClock } from '../../src/testing/index.ts'
import { at, lasting, openNode, secondsOf, statesOf, t0 } from './support.ts'

it('never more than two calls per customer run at once, and other customers go on', async () => {
  const clock = new ManualClock(t0)
  const open = new Map<string, number>()
  const most = new Map<string, number>()
  const call = defineJob<{ customer: string }>({
    name: 'call',
    limits: [{ by: 'input.customer', concurrency: 2 }],
    async run({ input: { customer } }) {
      const now = (open.get(customer) ?? 0) + 1
      open.set(customer, now)
      most.set(customer, Math.max(now, most.get(customer) ?? 0))
      await clock.sleep(10_000)
      open.set(customer, (open.get(customer) ?? 0) - 1)
    },
  })
  const node = await openNode({ clock, jobs: [call], queues: { default: { concurrency: 10 } } })
  for (const customer of ['acme', 'acme', 'acme', 'acme', 'acme', 'bolt'])
    await node.evertick.enqueue(call, { customer })
  await node.advance('5s')
  expect(open).toEqual(
    new Map([
      ['acme', 2],
      ['bolt', 1],
    ]),
  )
  await node.advance('1m')
  expect(statesOf(await node.executions(call))).toEqual({ completed: 6 })
  expect(most).toEqual(
    new Map([
      ['acme', 2],
      ['bolt', 1],
    ]),
  )
  expect(await node.evertick.audit()).toMatchObject({ ok: true, miscounted: 0 })
})

it('a rate lets so many start within its span, and they all run in the end', async () => {
  const mail = defineJob({ name: 'mail', limits: ['smtp'], run: () => {} })
  const node = await openNode({
    jobs: [mail],
    limits: { smtp: { rate: { count: 2, per: '10s' } } },
  })
  await node.advance('1s')
  for (let count = 0; count < 6; count += 1) await node.evertick.enqueue(mail)
  await node.advance('1m')
  const started = (await node.executions(mail)).map(({ startedAt }) => secondsOf(startedAt))
  expect(started).toEqual([1, 1, 11, 11, 21, 21])
})

it('why says which limit, which key, and who holds it', async () => {
  const clock = new ManualClock(t0)
  const call = defineJob<{ customer: string }>({
    name: 'call',
    limits: [{ by: 'input.customer', concurrency: 1 }],
    run: lasting(clock, 60_000),
  })
  const node = await openNode({ clock, jobs: [call], nodeId: 'n1' })
  const first = await node.evertick.enqueue(call, { customer: 'acme' })
  const second = await node.evertick.enqueue(call, { customer: 'acme' })
  await node.advance('1s')
  expect(await node.evertick.executions.get(second.id)).toMatchObject({
    state: 'blocked',
    waits: { reason: 'limit' },
  })
  const { reason, sentence } = await node.evertick.why(second.id)
  expect(reason).toBe('limit')
  expect(sentence).toContain('input.customer "acme"')
  expect(sentence).toContain(`call ${first.id} on n1`)
})

it('a shared limit is changed while jobs run, and code that stays the same does not undo it', async () => {
  const clock = new ManualClock(t0)
  const call = defineJob({ name: 'call', limits: ['api'], run: lasting(clock, 100_000) })
  const limits = { api: { concurrency: 1 } } as const
  const node = await openNode({ clock, jobs: [call], limits })
  for (let count = 0; count < 4; count += 1) await node.evertick.enqueue(call)
  await node.advance('1s')
  expect(await node.evertick.limits.list()).toMatchObject([
    { name: 'api', concurrency: 1, running: 1, waiting: 3, jobs: ['call'], changedBy: 'code' },
  ])
  await node.evertick.limits.set('api', { concurrency: 3, actor: 'ann' })
  await node.advance('1s')
  expect(statesOf(await node.executions(call))).toEqual({ running: 3, blocked: 1 })
  const { entries } = await node.evertick.auditLog.list({ action: 'limit.set' })
  expect(entries).toMatchObject([
    { actor: 'ann', subject: 'api', before: { concurrency: 1 }, after: { concurrency: 3 } },
    { actor: 'code', subject: 'api' },
  ])
})

it("one tenant's thousand does not keep another's one waiting", async () => {
  const clock = new ManualClock(t0)
  const order: string[] = []
  const work = defineJob<{ tenant: string }>({
    name: 'work',
    fairBy: 'input.tenant',
    async run({ input: { tenant } }) {
      order.push(tenant)
      await clock.sleep(1_000)
    },
  })
  const node = await openNode({ clock, jobs: [work], queues: { default: { concurrency: 2 } } })
  const items = Array.from({ length: 1_000 }, () => ({ job: 'work', input: { tenant: 'big' } }))
  await node.evertick.enqueueMany(items)
  await node.advance('10s')
  const before = order.length
  await node.evertick.enqueue(work, { tenant: 'small' })
  await node.advance('2s')
  expect(order.slice(before, before + 4)).toContain('small')
})

it('ticks of a job wait for its limit as enqueues do, and count as under way', async () => {
  const clock = new ManualClock(t0)
  const report = defineJob({
    name: 'report',
    schedule: { every: '10s', anchor: at(0) },
    limits: ['database'],
    run: () => {},
  })
  const other = defineJob({ name: 'other', limits: ['database'], run: lasting(clock, 35_000) })
  const node = await openNode({ clock, jobs: [report, other], limits: { database: { concurrency: 1 } } })
  await node.evertick.enqueue(other)
  await node.advance('50s')
  const accounts = (await node.ticks(report)).map(({ account, reason }) => reason ?? account)
  // The tick of 10 s waits for the limit: it is under way, and costs those of 20 s and 30 s.
  expect(accounts).toEqual(['fired', 'overlap', 'overlap', 'fired', 'fired'])
})
