/** Names of people: text from outside, which is shown everywhere. */
import { expect, test } from 'vitest'
import { actorName, hasSubject, isSubject, namedSubject, plainName } from '../../../src/core/access/person.ts'

test.each([
  ['Ana', 'Ana'],
  ['  Ana   María  ', 'Ana María'],
  ['Ana\tMaría\nLópez', 'Ana María López'],
  ["O'Brien, Seán (ops)", "O'Brien, Seán (ops)"],
  ['李小龍', '李小龍'],
  ['نور', 'نور'],
  ['می\u200cخواهم', 'می\u200cخواهم'],
  ['👩‍🚀 Ana', '👩‍🚀 Ana'],
  ['A\u0301na', 'Ána'],
  ['Ana <u-bob>', 'Ana u-bob'],
  ['token:deploy', 'token deploy'],
  ['\u202eana\u202c', 'ana'],
  ['\u2066Ana\u2069', 'Ana'],
  ['A\u200bn\u2060a\ufeff', 'Ana'],
  ['Ana\u0000\u0007\u009b', 'Ana'],
  ['\u{e0041}\u{e0042}Ana', 'Ana'],
  ['', ''],
  ['<>::', ''],
  ['\u200d\u200d', ''],
  ['…!?', ''],
])('the name %j is %j', (given, plain) => {
  expect(plainName(given)).toBe(plain)
  expect(plainName(plain)).toBe(plain)
})

test('a long name is cut at a whole letter, and every actor fits a column of 255', () => {
  expect(plainName('x'.repeat(1_000))).toBe(`${'x'.repeat(43)}…`)
  expect(plainName(`${'x'.repeat(42)}👩👩`)).toBe(`${'x'.repeat(42)}…`)
  const longest = namedSubject({ name: 'x'.repeat(1_000) }, 's'.repeat(200))
  expect(`session:${longest}`.length).toBe(255)
})

test('a person without a name is called by the address, else by the subject', () => {
  expect(namedSubject({ name: 'Ana', email: 'ana@example.com' }, 'u-1')).toBe('Ana <u-1>')
  expect(namedSubject({ name: '\u202e', email: 'ana@example.com' }, 'u-1')).toBe('ana@example.com <u-1>')
  expect(namedSubject({ name: ['Ana'], email: 7 }, 'u-1')).toBe('u-1')
})

test.each([
  ['session:Ana <u-1>', 'Ana', true],
  ['session:Ana María <auth0|12:3>', 'Ana María', true],
  ['session:ana', 'ana', false],
  ['session:u-1', 'u-1', false],
  ['user:u-1', 'u-1', false],
  ['user:Ana <u-1>', 'Ana', false],
  ['cli:root', 'root', false],
  ['cli', 'cli', false],
  ['token:deploy', 'token:deploy', false],
  ['token:Ana <u-1>', 'token:Ana <u-1>', false],
  ['evertick', 'evertick', false],
  ['file:jobs.yaml', 'file:jobs.yaml', false],
  ['session:<u-1>', '<u-1>', false],
])('%s is called %s', (actor, name, signedIn) => {
  expect([actorName(actor), hasSubject(actor)]).toEqual([name, signedIn])
})

test('a subject is short, and no letter of it steers what stands around it', () => {
  for (const good of ['u-1', 'auth0|12', '00u1abc', 'ana@example.com', 'S-1-5-21 x', 'x'.repeat(200)])
    expect([good, isSubject(good)]).toEqual([good, true])
  for (const bad of ['', 'x'.repeat(201), 'a<b', 'a>b', 'a\nb', 'a\u202eb', 'a\u0000', 7, null, undefined])
    expect([bad, isSubject(bad)]).toEqual([bad, false])
})
