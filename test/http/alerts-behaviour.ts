/** The part of the behaviour of every route that is about alerts and their rules. */
import { expect, test } from 'vitest'
import { contextOf } from '../../src/app/app-context.ts'
import { watchOnce } from '../store/watch-by-hand.ts'
import type { ApiUnderTest } from './api-under-test.ts'
import type { Asking } from './asking.ts'

export function testAlerts(asked: () => { readonly api: ApiUnderTest; readonly ask: Asking['ask'] }): void {
  test('a rule is written, and what it finds is listed, taken on and snoozed, with who and when', async () => {
    const { api, ask } = asked()
    /** As the watchman of the node does in a moment. */
    const look = async () => {
      const { store, clock } = contextOf(api.node.evertick)
      const leader = await store.cluster.currentLeader()
      if (leader === null) throw new Error('nobody leads')
      await watchOnce(store, leader, clock.now())
    }
    const handler = { type: 'function', name: 'nobody-has-it' }
    await ask('POST', '/jobs', { name: 'nobodys', handler, schedule: { every: '1h' } })
    const rule = await ask('POST', '/alerts/rules', {
      name: 'orphans',
      kind: 'no_runner',
      severity: 'critical',
      jobs: { names: ['nobody*'] },
    })
    expect(rule.json).toMatchObject({ name: 'orphans', builtIn: false, changedBy: 'token:admin', for: '0ms' })
    const { rules } = (await ask('GET', '/alerts/rules')).json as { rules: { name: string }[] }
    expect(rules.map(({ name }) => name)).toEqual([
      'failing',
      'late',
      'leader-gap',
      'missed',
      'no-runner',
      'orphans',
    ])
    await look()
    const listed = await ask('GET', '/alerts?state=open&rule=orphans&job=nobodys')
    const { alerts } = listed.json as { alerts: { id: string }[] }
    expect(alerts).toMatchObject([
      { rule: 'orphans', name: 'nobodys', state: 'open', sentence: 'Nobody can run nobodys.' },
    ])
    const path = `/alerts/${alerts[0]?.id ?? ''}`
    const acked = await api.send('POST', `/api/v1${path}/ack`, {
      token: api.tokens.operator,
      json: { note: 'a deploy is under way' },
    })
    expect(acked.json).toMatchObject({ state: 'acknowledged', acknowledgedBy: 'token:operator' })
    await ask('POST', `${path}/ack`)
    const snoozed = await ask('POST', `${path}/snooze`, { until: '2h' })
    expect(snoozed.json).toMatchObject({ state: 'snoozed', snoozedBy: 'token:admin', acknowledgedAt: null })
    expect((await ask('GET', path)).json).toEqual(snoozed.json)
    expect((await ask('GET', '/alerts/count')).json).toMatchObject({ snoozed: 1 })
    const log = (await ask('GET', '/audit-log?subject=nobodys&action=alert.ack')).json
    expect(log.entries).toMatchObject([{ actor: 'token:admin' }, { actor: 'token:operator' }])
    expect((await ask('DELETE', '/alerts/rules/orphans')).status).toBe(204)
    await look()
    expect((await ask('GET', path)).json).toMatchObject({ state: 'resolved' })
    expect(await ask('POST', `${path}/ack`)).toMatchObject({ status: 409 })
    await ask('DELETE', '/jobs/nobodys')
  })

  test('a viewer reads, an operator answers, and only an administrator writes rules', async () => {
    const { api } = asked()
    const as = async (role: 'viewer' | 'operator', method: string, path: string, json: unknown) =>
      (await api.send(method, `/api/v1${path}`, { token: api.tokens[role], json })).status
    expect(await as('viewer', 'POST', '/alerts/none/ack', {})).toBe(403)
    expect(await as('operator', 'POST', '/alerts/none/ack', {})).toBe(404)
    expect(await as('operator', 'POST', '/alerts/rules', { name: 'late', enabled: false })).toBe(403)
    expect(await as('operator', 'DELETE', '/alerts/rules/late', undefined)).toBe(403)
  })
}
