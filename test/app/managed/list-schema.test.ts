/** The schema for editors takes what `apply` takes, refuses what it can, and has the words of every option. */
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { listSchema } from '../../../src/app/job/managed/list-schema.ts'
import { jobOptions, placedFields } from '../../../src/core/job/fields.ts'

const validate = new Ajv({ strict: false, validateFormats: false }).compile(listSchema())

test.each([
  ['one job', { name: 'a' }],
  ['a list', [{ name: 'a', schedule: { cron: '0 3 * * *', timezone: 'UTC' } }]],
  ['none', { jobs: [] }],
  ['a schema and anchors beside them', { $schema: './s.json', 'x-usual': {}, jobs: [{ name: 'a' }] }],
  [
    'a group in short, and whole',
    [
      { name: 'a', catchUp: 'all' },
      { name: 'b', catchUp: { policy: 'all', grace: '1m' } },
    ],
  ],
  ['every kind of schedule', ['1m', 60_000].map((every) => ({ name: 'a', schedule: { every } }))],
  [
    'a call',
    { name: 'a', handler: { type: 'http', url: 'https://example.com', body: [1], expect: ['2xx', 304] } },
  ],
  [
    'a command',
    { name: 'a', handler: { type: 'command', command: '/bin/ls', args: ['-a'] }, quota: { memory: '256mb' } },
  ],
  ['a function by its name', { name: 'a', handler: 'b', input: null, paused: true, tags: ['x'] }],
])('%s', (_what, value) => {
  expect([validate(value), validate.errors]).toEqual([true, null])
})

test.each([
  ['no name', {}],
  ['an option that is none', { name: 'a', scheduel: {} }],
  ['a part that is none', { name: 'a', retry: { attemps: 3 } }],
  ['a policy that is none', { name: 'a', overlap: 'skp' }],
  ['a number as text', { name: 'a', priority: 'high' }],
  ['two kinds of schedule', { name: 'a', schedule: { cron: '* * * * *', every: '1m' } }],
  ['a handler of no kind', { name: 'a', handler: { type: 'comand' } }],
  ['something else beside jobs', { jobs: [], nothing: 1 }],
])('not %s', (_what, value) => {
  expect(validate(value)).toBe(false)
})

test('every option and every part of one has its words', () => {
  const text = JSON.stringify(listSchema())
  for (const [, { line }] of jobOptions) expect(text).toContain(JSON.stringify(line).slice(1, -1))
  for (const { field } of placedFields)
    expect(text).toContain(JSON.stringify(`${field.line} Default: `).slice(1, -1))
})
