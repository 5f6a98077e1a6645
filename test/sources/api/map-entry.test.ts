/** An entry becomes a job by paths that are data; what cannot be read is no job, and its name is kept. */
import { expect, test } from 'vitest'
import { mapEntry, valueAt } from '../../../src/sources/api/map-entry.ts'

const usual = { mapping: { name: 'id', 'schedule.cron': 'cron', enabled: 'on' }, job: {}, prefix: '' }

test('fields come from their paths, over what every job of the source has', () => {
  const job = { handler: 'scan', retry: { attempts: 5, base: '1s' } }
  const mapping = { name: 'meta.id', 'schedule.cron': 'when.0', 'retry.attempts': 'tries', input: '.' }
  const entry = { meta: { id: 7 }, when: ['0 3 * * *'], tries: 2 }
  expect(mapEntry(entry, { mapping, job, prefix: 'shop-' })).toEqual({
    name: 'shop-7',
    job: {
      name: 'shop-7',
      handler: 'scan',
      retry: { base: '1s', attempts: 2 },
      schedule: { cron: '0 3 * * *' },
      input: entry,
    },
  })
  expect(job.retry.attempts).toBe(5)
})

test('what is null or missing is left out; disabled is paused', () => {
  expect(mapEntry({ id: 'a', cron: null, on: false }, usual)).toEqual({
    name: 'a',
    job: { name: 'a', paused: true },
  })
  expect(mapEntry({ id: 'a', on: true }, usual)).toEqual({ name: 'a', job: { name: 'a' } })
})

test.each([
  ['a text', 'x', null],
  ['null', null, null],
  ['no name', { cron: '* * * * *' }, null],
  ['an empty name', { id: '' }, null],
  ['a name that is none', { id: {} }, null],
  ['enabled that is neither', { id: 'a', on: 'yes' }, 'a'],
])('%s is no job', (_what, entry, name) => {
  expect(mapEntry(entry, usual)).toEqual({ name, why: expect.any(String) as string })
})

test('only what is its own is read, and no key reaches into a prototype', () => {
  expect(valueAt({}, 'constructor.name')).toBeUndefined()
  expect(valueAt([1], 'length')).toBe(1)
  const entry: unknown = JSON.parse('{ "id": "a", "x": { "polluted": true } }')
  const mapping = { name: 'id', 'input.__proto__': 'x' }
  mapEntry(entry, { mapping, job: {}, prefix: '' })
  expect(Reflect.get({}, 'polluted')).toBeUndefined()
})
