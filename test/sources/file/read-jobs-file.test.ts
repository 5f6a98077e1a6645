/** Jobs from YAML and JSON: whatever form the file has, and where each thing in it stands. */
import { expect, test } from 'vitest'
import { readJobsFile } from '../../../src/sources/file/read-jobs-file.ts'

const valuesOf = (text: string) => readJobsFile(text).jobs.map(({ value }) => value)
const troublesOf = (text: string) => readJobsFile(text).troubles

test.each([
  ['a list under jobs', 'jobs:\n  - name: a\n  - name: b\n'],
  ['a list', '- name: a\n- name: b\n'],
  ['a document for each job', 'name: a\n---\nname: b\n'],
  ['documents of either kind', 'jobs: [{ name: a }]\n---\n- name: b\n'],
  ['JSON', '{ "jobs": [{ "name": "a" }, { "name": "b" }] }'],
  [
    'JSON with tabs and a schema',
    '{\n\t"$schema": "x",\n\t"jobs": [\n\t\t{ "name": "a" },\n\t\t{ "name": "b" }\n\t]\n}\n',
  ],
])('%s', (_form, text) => {
  expect(readJobsFile(text)).toMatchObject({
    jobs: [{ value: { name: 'a' } }, { value: { name: 'b' } }],
    troubles: [],
  })
})

test('anchors and merges are followed; what only holds anchors begins with x-', () => {
  const text = 'x-usual: &usual { retry: { attempts: 9 } }\njobs:\n  - name: a\n    <<: *usual\n'
  expect(valuesOf(text)).toEqual([{ name: 'a', retry: { attempts: 9 } }])
  expect(troublesOf(text.replaceAll('x-usual', 'usual'))).toMatchObject([{ line: 1, column: 1 }])
})

test('a field is found by its line and column, also where its name has dots, or it is not written', () => {
  const [job] = readJobsFile(
    'jobs:\n  - name: a\n    handler:\n      type: http\n      headers:\n        x.y: z\n    tags: [one, two]\n',
  ).jobs
  expect(job?.at('')).toEqual({ line: 2, column: 5 })
  expect(job?.at('handler.type')).toEqual({ line: 4, column: 7 })
  expect(job?.at('handler.headers.x.y')).toEqual({ line: 6, column: 9 })
  expect(job?.at('tags.1')).toEqual({ line: 7, column: 17 })
  expect(job?.at('handler.body')).toEqual({ line: 3, column: 5 })
  expect(job?.at('timeout')).toEqual({ line: 2, column: 5 })
})

test('text stays text: instants, and words that YAML once took for true', () => {
  expect(valuesOf('- name: a\n  input: { at: 2027-01-01T00:00:00Z, on: yes, n: 7, none: null }\n')).toEqual([
    { name: 'a', input: { at: '2027-01-01T00:00:00Z', on: 'yes', n: 7, none: null } },
  ])
})

test.each([
  ['nothing', '', 1, 1],
  ['only comments', '# jobs\n', 1, 1],
  ['jobs without a list', 'jobs:\n', 1, 6],
  ['a word', 'jobs', 1, 1],
  ['another word beside it', 'jobs: []\nnothing: 1\n', 2, 1],
  ['a key twice', '- name: a\n  name: b\n', 2, 3],
  ['what JSON does not have', '- name: a\n  input: { x: .nan }\n', 2, 15],
  ['bytes', '- name: a\n  input: !!binary aGk=\n', 2, 19],
  ['an unknown tag', '- name: a\n  input: !js x\n', 2, 10],
  ['a list that does not end', '{ "jobs": [{ "name": "a" }\n', 2, 1],
  ['an alias to nothing', '- name: a\n  input: *nowhere\n', 1, 3],
])('%s is said with its place', (_what, text, line, column) => {
  expect(troublesOf(text)).toMatchObject([{ line, column }])
  expect(valuesOf(text)).toEqual([])
})

test('none at all is a list, too', () => {
  expect(readJobsFile('jobs: []\n')).toEqual({ jobs: [], troubles: [] })
})

test('a cron without quotes is said once, with what to do', () => {
  const [trouble, ...more] = troublesOf('- name: a\n  schedule:\n    cron: */5 * * * *\n')
  expect(trouble).toMatchObject({ line: 3, next: expect.stringContaining('quotes') as string })
  expect(more).toEqual([])
})

test('a misspelt jobs is recognized', () => {
  expect(troublesOf('job:\n  - name: a\n')).toMatchObject([{ next: 'Did you mean "jobs"?' }])
})

test('aliases that grow without end are refused', () => {
  const rows = Array.from({ length: 12 }, (_, n) => {
    const before = n === 0 ? 'x' : `*a${n - 1}`
    return `- &a${n} [${Array.from({ length: 9 }, () => before).join(', ')}]\n`
  })
  expect(troublesOf(rows.join('')).length).toBeGreaterThan(0)
})
