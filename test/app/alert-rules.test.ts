/** Rules as people write them: checked at once, and shown as they were written. */
import { describe, expect, onTestFinished, test } from 'vitest'
import type { RuleOptions } from '../../src/index.ts'
import { openTestNode } from '../../src/testing/index.ts'

async function openRules() {
  const node = await openTestNode({ timezone: 'Europe/Madrid' })
  onTestFinished(() => node.stop())
  return node.evertick.alerts.rules
}

test('a rule is shown as it was written, with the defaults of its kind', async () => {
  const rules = await openRules()
  const written = {
    name: 'backups',
    kind: 'silent',
    severity: 'critical',
    params: { within: '25h' },
    jobs: { names: ['backup-*'], tags: ['nightly'] },
    for: '5m',
    repeat: '6h',
    quiet: { from: '22:00', to: '07:30' },
    action: { pause: 'until resumed' },
  } as const satisfies RuleOptions
  expect(await rules.put(written, { actor: 'ann' })).toMatchObject({
    ...written,
    enabled: true,
    params: { within: '1d1h', of: 'success' },
    quiet: { from: '22:00', to: '07:30', timezone: 'Europe/Madrid' },
    builtIn: false,
    changedBy: 'ann',
  })
})

test('what is left out stays as it is; null takes it away; another kind begins with its own parameters', async () => {
  const rules = await openRules()
  await rules.put({
    name: 'own',
    kind: 'failing',
    params: { runs: 5 },
    repeat: '1h',
    action: { pause: '30m' },
  })
  expect(await rules.put({ name: 'own', enabled: false })).toMatchObject({
    enabled: false,
    params: { runs: 5 },
    repeat: '1h',
    action: { pause: '30m' },
  })
  expect(await rules.put({ name: 'own', repeat: null, action: null })).toMatchObject({
    repeat: null,
    action: null,
  })
  expect(await rules.put({ name: 'own', kind: 'late' })).toMatchObject({ params: { over: '5m' } })
})

test('a built-in rule can be changed and switched off, and deleting that brings it back', async () => {
  const rules = await openRules()
  expect(await rules.get('late')).toMatchObject({ builtIn: true, enabled: true, changedBy: null })
  expect(await rules.put({ name: 'late', enabled: false })).toMatchObject({ builtIn: true, enabled: false })
  await rules.delete('late')
  expect(await rules.get('late')).toMatchObject({ enabled: true, changedBy: null })
  await expect(rules.delete('late')).rejects.toMatchObject({ code: 'invalid_option', field: 'name' })
  await expect(rules.delete('own')).rejects.toMatchObject({ code: 'alert_rule_not_found' })
})

describe('what cannot be meant is refused by name', () => {
  const refused: readonly (readonly [string, object, string])[] = [
    ['a new rule without a kind', { name: 'own' }, 'kind'],
    ['an unknown kind', { name: 'own', kind: 'faling' }, 'kind'],
    ['a name with a colon', { name: 'a:b', kind: 'late' }, 'name'],
    ['an unknown option', { name: 'own', kind: 'late', severty: 'info' }, 'severty'],
    ['a parameter of another kind', { name: 'own', kind: 'late', params: { runs: 3 } }, 'runs'],
    ['a parameter out of bounds', { name: 'own', kind: 'failing', params: { runs: 0 } }, 'runs'],
    ['a duration that is none', { name: 'own', kind: 'late', params: { over: 'soon' } }, 'params.over'],
    ['jobs of a rule about queues', { name: 'own', kind: 'queue_depth', jobs: { names: ['a'] } }, 'jobs'],
    ['a pause of the cluster', { name: 'own', kind: 'leader_gap', action: { pause: '1h' } }, 'action'],
    [
      'no time of the day',
      { name: 'own', kind: 'late', quiet: { from: '25:00', to: '07:00' } },
      'quiet.from',
    ],
    [
      'quiet hours without an hour',
      { name: 'own', kind: 'late', quiet: { from: '07:00', to: '07:00' } },
      'quiet.to',
    ],
    [
      'no zone',
      { name: 'own', kind: 'late', quiet: { from: '01:00', to: '07:00', timezone: 'Mars' } },
      'quiet.timezone',
    ],
    ['a repeat within a minute', { name: 'own', kind: 'late', repeat: '10s' }, 'repeat'],
  ]
  test.each(refused)('%s', async (_, options, field) => {
    const rules = await openRules()
    await expect(rules.put(options as RuleOptions)).rejects.toMatchObject({ field })
    expect(await rules.list()).toHaveLength(5)
  })
})
