/** An option of a job is defined once: few files know it by name, and every place that shows options shows all of them. */
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { commandOf } from '../../dashboard/src/screens/job/actions/exported-job.ts'
import { optionDraft, optionsOf, settingsOf } from '../../dashboard/src/screens/job-form/option-draft.ts'
import { addJobFlags, optionsOfFlags } from '../../src/cli/commands/jobs/job-flags.ts'
import { type Field, jobOptions, type PlacedField, placedFields } from '../../src/core/job/fields.ts'
import {
  defaultOptions,
  shownOptions,
  storedOptions,
  tellingOptions,
  writtenOptions,
} from '../../src/core/job/options-codec.ts'
import { openapiDocument } from '../../src/http/openapi.ts'
import { Evertick, type JobOptions } from '../../src/index.ts'
import { productFilesNaming } from './product-files.ts'

/** With a column, a deadline and a reason of its own it has as much as an option can have. */
const example = /startDeadline|start_deadline|start-deadline/
const mostFiles = 8

test('an option from end to end is in at most 8 files of the product, migrations included', () => {
  expect(productFilesNaming(example).slice(mostFiles)).toEqual([])
})

/** A value that is not the default, as text that a flag takes. */
function sample(field: Field): { readonly flag: string; readonly written: unknown } {
  switch (field.is) {
    case 'duration':
      return { flag: '1h30m', written: '1h30m' }
    case 'instant':
      return { flag: '2027-01-01T00:00:00.000Z', written: '2027-01-01T00:00:00.000Z' }
    case 'bytes':
      return { flag: '256mb', written: '256mb' }
    case 'whole':
      return { flag: '7', written: 7 }
    case 'number':
      return field.max === 1 ? { flag: '0.5', written: 0.5 } : { flag: '1.5', written: 1.5 }
    case 'choice': {
      const other = Object.keys(field.of).find((name) => name !== field.default) ?? ''
      return { flag: other, written: other }
    }
    case 'text':
      return { flag: 'words', written: 'words' }
    case 'texts':
      return { flag: 'words', written: ['words'] }
    case 'object':
      return { flag: '{"a":1}', written: { a: 1 } }
  }
}

function optionsWith({ option, part, field }: PlacedField): JobOptions {
  const { written } = sample(field)
  return { [option]: part === null ? written : { [part]: written } }
}

/** As JSON has it: instants are text. */
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>

test.each(placedFields)('$path is stored, shown and written back', (placed) => {
  const given = optionsWith(placed)
  const stored = storedOptions(given)
  expect(stored).not.toEqual(defaultOptions)
  expect(tellingOptions(asJson(writtenOptions(stored)))).toEqual(given)
  expect(tellingOptions(asJson(shownOptions(stored)))).toEqual(given)
  // What an edit does not name stays.
  expect(storedOptions({}, stored)).toEqual(stored)
})

test.each(placedFields)('$path has a flag', (placed) => {
  const command = addJobFlags(new Command('create')).exitOverride()
  command.parse([placed.field.flag, sample(placed.field).flag], { from: 'user' })
  expect(optionsOfFlags(command.opts())).toEqual(optionsWith(placed))
})

test.each(placedFields)('$path is in the command that a definition is told by', (placed) => {
  const handler = { type: 'function', name: 'a' } as const
  expect(commandOf({ name: 'a', handler, ...optionsWith(placed) })).toContain(`${placed.field.flag} `)
})

/** The form has another field for JSON. */
test.each(placedFields.filter(({ field }) => field.is !== 'object'))('$path is in the form', (placed) => {
  const given = optionsWith(placed)
  const draft = optionDraft({ ...given })
  expect(draft[placed.path]).not.toBe(optionDraft({})[placed.path])
  expect(tellingOptions({ ...optionsOf(draft) })).toEqual(given)
})

test.each(jobOptions)('%s is in the REST document, of a job and of what makes one', (name) => {
  const { components } = openapiDocument() as {
    components: { schemas: Record<string, { properties: Record<string, unknown> }> }
  }
  expect(Object.keys(components.schemas['Job']?.properties ?? {})).toContain(name)
  expect(Object.keys(components.schemas['NewJob']?.properties ?? {})).toContain(name)
})

test('a form whose controls were all emptied still says how the job would be set', () => {
  const policies = { 'catchUp.policy': 'all', overlap: 'skip', onCrash: 'retry' }
  const emptied = Object.fromEntries(Object.keys(optionDraft({})).map((path) => [path, '']))
  const { catchUp } = settingsOf({ ...emptied, ...policies })
  expect(catchUp).toEqual({ policy: 'all', maxMissedRuns: 100, grace: '1m' })
})

/** Metadata is shown as it is. */
const silent: readonly string[] = ['metadata']

test.each(placedFields.filter(({ option }) => !silent.includes(option)))(
  'the settings of a job say $path',
  (placed) => {
    const others: JobOptions = placed.part === 'maxMissedRuns' ? { catchUp: 'all' } : {}
    const before = storedOptions(others)
    const sentences = (stored: typeof before) => jobOptions.map(([, { says }]) => says(shownOptions(stored)))
    expect(sentences(storedOptions(optionsWith(placed), before))).not.toEqual(sentences(before))
  },
)

test('a job that is made with every option shows every option', async () => {
  const evertick = await Evertick.open({ database: 'sqlite::memory:' })
  const given = Object.assign({}, ...placedFields.map(optionsWith)) as JobOptions
  const all = { ...given, startAt: '2026-12-31T00:00:00.000Z', overlap: 'buffer_one' } as const
  await evertick.jobs.create({ name: 'a', schedule: { every: '1h' }, ...all })
  expect(tellingOptions(asJson(await evertick.jobs.get('a')))).toEqual(asJson(all))
  const [revision] = await evertick.jobs.revisions('a')
  expect(tellingOptions(asJson(revision?.options))).toEqual(asJson(all))
  await evertick.stop()
})
