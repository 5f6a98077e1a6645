/** While a node leads, the audit log is sealed by itself, a look after the entries were seen first. */
import { expect, onTestFinished, test } from 'vitest'
import { openTestNode } from '../../src/testing/index.ts'

test('what was changed is sealed at the second look, and a second leader goes on from there', async () => {
  const node = await openTestNode()
  onTestFinished(() => node.stop())
  const { auditLog, queues, leader } = node.evertick
  await queues.pause('mail')
  expect(await auditLog.verify()).toMatchObject({ sealed: 0, unsealed: 1 })
  await node.advance('6h')
  expect(await auditLog.verify()).toMatchObject({ sealed: 0, unsealed: 1 })
  await node.advance('6h')
  const first = await auditLog.verify()
  expect(first).toMatchObject({ ok: true, sealed: 1, unsealed: 0 })
  await leader.stepDown()
  await node.advance('1d')
  const second = await auditLog.verify({ head: first.head ?? '' })
  expect(second).toMatchObject({ ok: true, contains: true, sealed: 2, unsealed: 0 })
})

test('a node that does not lead seals nothing', async () => {
  const node = await openTestNode({ roles: ['worker'] })
  onTestFinished(() => node.stop())
  await node.evertick.queues.pause('mail')
  await node.advance('1d')
  expect(await node.evertick.auditLog.verify()).toMatchObject({ sealed: 0, unsealed: 1 })
})

test('entries go by retention once they are sealed, and the rest is still proved', async () => {
  const node = await openTestNode({ auditLog: { retention: '2d' } })
  onTestFinished(() => node.stop())
  const { auditLog, queues } = node.evertick
  await queues.pause('old')
  await node.advance('1d')
  await queues.pause('new')
  await node.advance('40h')
  const { entries } = await auditLog.list()
  expect(entries.map(({ action, subject }) => [action, subject])).toEqual([
    ['audit_log.prune', 'audit_log'],
    ['queue.pause', 'new'],
  ])
  expect(await auditLog.verify()).toMatchObject({ ok: true, entries: 2 })
})

test('a retention of less than a day is refused', async () => {
  await expect(openTestNode({ auditLog: { retention: '1h' } })).rejects.toMatchObject({
    code: 'invalid_config',
    field: 'auditLog.retention',
  })
})
