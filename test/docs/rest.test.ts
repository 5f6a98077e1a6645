/** rest.md says what the API does: its routes, bodies and statuses are compared with the code. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../scripts/run-command.ts'
import { type ErrorCode, EvertickError, errorKinds } from '../../src/core/error.ts'
import { problemOf } from '../../src/http/problem.ts'
import { routeRows, schemaRows, tags } from './described-routes.ts'
import { readPage, tableAfter } from './markdown.ts'

const page = readPage('docs/reference/rest.md')

test.each(tags)('rest.md lists every route of %s: role, what it takes, what it answers with', (tag) => {
  expect(tableAfter(page, `## ${tag}`)).toEqual(routeRows(tag))
})

test('rest.md lists every body with its members', () => {
  expect(tableAfter(page, '## Bodies')).toEqual(schemaRows())
})

test('the statuses of problems stand in rest.md and errors.md', () => {
  const ofKind = new Map(
    tableAfter(readPage('docs/reference/errors.md'), '## Kinds').map((row) => [row[0], row[3]]),
  )
  const ofCode = new Map(tableAfter(page, '## Problems').map(([code, status]) => [code, status]))
  const documented = Object.entries(errorKinds).map(([code, kind]) => [
    code,
    ofCode.get(code) ?? ofKind.get(kind),
  ])
  const answered = Object.keys(errorKinds).map((code) => [
    code,
    String(problemOf(new EvertickError(code as ErrorCode, 'Something.')).status),
  ])
  expect(documented).toEqual(answered)
})

test('api.md lists every variable that the API heeds', () => {
  const files = ['environment.ts', 'oidc-config.ts']
  const source = files.map((file) => readFileSync(join(root, 'src/app/config', file), 'utf8')).join('')
  const named = [
    ...source.matchAll(/(?:text|needed|secretFrom|isOn)\(\s*(?:environment, |text, )?'(EVERTICK_\w+)'[,)]/g),
  ]
    .map(([, name = '']) => name)
    // Of every node, with or without an API.
    .filter((name) => !/_(?:DATABASE|REDIS)_URL$/.test(name))
  const secrets = named.filter((name) => name.includes('SECRET')).map((name) => `${name}_FILE`)
  const rows = tableAfter(readPage('docs/operations/api.md'), '## Settings').map(([name = '']) => name)
  expect(named.length).toBeGreaterThan(6)
  expect(rows.toSorted()).toEqual([...named, ...secrets].toSorted())
})
