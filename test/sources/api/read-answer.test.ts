/** What is made of an API's answer before anything is written: entries, doubts, a plan. */
import { expect, test } from 'vitest'
import { planSync } from '../../../src/sources/api/plan-sync.ts'
import { parseAnswer, readAnswer } from '../../../src/sources/api/schedule-answer.ts'
import { readEntries } from '../../../src/sources/api/schedule-entry.ts'

test('an answer is a list, or holds one', () => {
  expect(readAnswer([1, 2])).toEqual({ entries: [1, 2], doubt: null })
  for (const key of ['schedules', 'items', 'data', 'results']) {
    expect(readAnswer({ [key]: [1], total: 1, next: null })).toEqual({ entries: [1], doubt: null })
  }
})

test.each([
  [{ schedules: [1], total: 2 }, 'the answer holds 1 of 2 schedules'],
  [{ schedules: [1], next: '/page/2' }, '"next" in the answer says that there is more'],
  [{ items: [1], next_cursor: 'abc' }, '"next_cursor" in the answer says that there is more'],
])('%j may not be all there is', (answer, doubt) => {
  expect(readAnswer(answer).doubt).toBe(doubt)
})

test.each([null, undefined, 'schedules', 7, true, {}, { schedules: {} }, { error: 'busy' }])(
  '%j is no answer',
  (answer) => {
    expect(() => readAnswer(answer)).toThrow(expect.objectContaining({ code: 'invalid_answer' }))
  },
)

test('text that is cut off at any byte is no answer', () => {
  const whole = JSON.stringify({ schedules: [{ id: 1, domain: 'a', cron: '* * * * *' }] })
  for (let length = 0; length < whole.length; length += 1) {
    expect(() => parseAnswer(whole.slice(0, length))).toThrow(
      expect.objectContaining({ code: 'invalid_answer' }),
    )
  }
  expect(readAnswer(parseAnswer(whole)).entries).toHaveLength(1)
})

test('an entry is read in either spelling', () => {
  const read = readEntries([
    {
      schedule_id: 7,
      domain: 'a.example',
      domain_config_id: 12,
      cron_expression: '0 * * * *',
      time_zone: 'Europe/Madrid',
      profile: 'deep',
      enabled: false,
      metadata: { a: 1 },
      something_else: true,
    },
    { scheduleId: 'b', domain: 'b.example', domainConfigId: 'x', every: '1h' },
    { id: 'c', domain: 'c.example', frequency: 'daily' },
  ])
  expect(read.invalid).toEqual([])
  expect(read.entries).toEqual([
    {
      index: 0,
      scheduleId: '7',
      domain: 'a.example',
      domainConfigId: '12',
      profile: 'deep',
      cron: '0 * * * *',
      every: null,
      frequency: null,
      timezone: 'Europe/Madrid',
      enabled: false,
      metadata: { a: 1 },
    },
    expect.objectContaining({ index: 1, scheduleId: 'b', domainConfigId: 'x', every: '1h', enabled: true }),
    expect.objectContaining({ index: 2, scheduleId: 'c', frequency: 'daily' }),
  ])
})

test('a bad entry is reported, and stops no other', () => {
  const good = { id: 'good', domain: 'a' }
  const { entries, invalid } = readEntries([
    null,
    'text',
    [],
    {},
    { id: 'no-domain' },
    { id: 'odd', domain: { name: 'x' } },
    { id: 'flag', domain: 'a', enabled: 'yes' },
    { id: 'meta', domain: 'a', metadata: [1] },
    { id: 'every', domain: 'a', every: true },
    good,
    good,
  ])
  expect(entries.map(({ scheduleId }) => scheduleId)).toEqual(['good'])
  expect(invalid.map(({ index, scheduleId, why }) => `${index} ${scheduleId} ${why}`)).toEqual([
    '0 null it is not an object',
    '1 null it is not an object',
    '2 null it is not an object',
    '3 null it has no schedule_id',
    '4 no-domain it has no domain',
    '5 odd its domain is not a string',
    '6 flag its enabled is neither true nor false',
    '7 meta its metadata is not an object',
    '8 every its every is not a duration',
    '10 good it is listed twice',
  ])
})

const known = (...names: string[]) => names.map((name) => ({ name, hash: name, removed: false }))
const listed = (...names: string[]) => new Map(names.map((name) => [name, name]))
const nothing = { unreadable: new Set<string>(), doubt: null }

test('the plan tells new, changed, same and missing apart', () => {
  const plan = planSync({
    ...nothing,
    known: [...known('same', 'gone'), { name: 'changed', hash: 'old', removed: false }],
    listed: new Map([...listed('same', 'new'), ['changed', 'other']]),
  })
  expect(plan).toEqual({
    added: ['new'],
    modified: ['changed'],
    unchanged: ['same'],
    removed: ['gone'],
    held: [],
    heldBecause: null,
  })
})

test.each([
  ['an empty answer', { known: known('a'), listed: listed() }, 'the answer is empty'],
  [
    'fewer than half',
    { known: known('a', 'b', 'c'), listed: listed('a') },
    '2 schedules are missing at once, and at most 1 may go',
  ],
  ['a doubt', { known: known('a', 'b', 'c'), listed: listed('a', 'b'), doubt: 'cut off' }, 'cut off'],
  [
    'more than maxRemovals',
    { known: known('a', 'b', 'c'), listed: listed('a', 'b'), maxRemovals: 0 },
    '1 schedules are missing at once, and at most 0 may go',
  ],
])('%s removes nothing, and says so', (_what, evidence, because) => {
  const plan = planSync({ ...nothing, ...evidence })
  expect(plan.removed).toEqual([])
  expect(plan.held.length).toBeGreaterThan(0)
  expect(plan.heldBecause).toBe(because)
})

test('maxRemovals may also allow more than half, but never all of it by an empty answer', () => {
  const evidence = { ...nothing, known: known('a', 'b', 'c'), maxRemovals: 100 }
  expect(planSync({ ...evidence, listed: listed('a') }).removed).toEqual(['b', 'c'])
  expect(planSync({ ...evidence, listed: listed() }).held).toEqual(['a', 'b', 'c'])
})

test('what is there but cannot be read is not missing, and what was removed is not missed again', () => {
  const plan = planSync({
    known: [...known('a', 'b', 'c', 'bad'), { name: 'long-gone', hash: 'removed', removed: true }],
    listed: listed('a', 'b', 'c'),
    unreadable: new Set(['bad']),
    doubt: null,
  })
  expect(plan).toMatchObject({ removed: [], held: [], heldBecause: null })
})

test('what was removed and comes back is a change', () => {
  const plan = planSync({
    ...nothing,
    known: [{ name: 'back', hash: 'removed', removed: true }],
    listed: listed('back'),
  })
  expect(plan.modified).toEqual(['back'])
})
