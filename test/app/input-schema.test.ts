/** The JSON Schema of a job's input goes with its definition, where there is one. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { inputSchemaOf } from '../../src/app/job/input-schema.ts'
import { defineJob } from '../../src/index.ts'
import { openTestNode } from '../../src/testing/index.ts'

/** A schema of a library that says of it in JSON what `input` returns, or that knows nothing of JSON. */
function schemaWith(input?: () => unknown): StandardSchemaV1 {
  const plain = { version: 1, vendor: 'tests', validate: (value: unknown) => ({ value }) } as const
  const standard = input === undefined ? plain : { ...plain, jsonSchema: { input } }
  return { '~standard': standard }
}

const mail = z.object({ to: z.email().describe('Whom'), copies: z.int().min(1).default(1) })

test('what is asked for is the input, before defaults and transforms', () => {
  expect(inputSchemaOf(mail)).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      to: { type: 'string', format: 'email', description: 'Whom' },
      copies: { type: 'integer', minimum: 1, default: 1 },
    },
    required: ['to'],
  })
  expect(inputSchemaOf(z.string().transform(Number))).toMatchObject({ type: 'string' })
})

test('a schema that says nothing in JSON, or nothing that is kept, is none', () => {
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  const long = (bytes: number) => ({ title: 'x'.repeat(bytes - '{"title":""}'.length) })
  expect(inputSchemaOf(null)).toBeNull()
  expect(inputSchemaOf(schemaWith())).toBeNull()
  expect(inputSchemaOf(z.object({ at: z.date() }))).toBeNull()
  for (const said of [undefined, null, true, [], cycle, long(16_385)]) {
    expect(inputSchemaOf(schemaWith(() => said))).toBeNull()
  }
  expect(inputSchemaOf(schemaWith(() => long(16_384)))).toEqual(long(16_384))
})

test('a job shows it; the same makes no revision, another does, and an operator’s edit keeps it', async () => {
  const node = await openTestNode()
  onTestFinished(() => node.stop())
  const { jobs } = node.evertick
  const define = async (input: StandardSchemaV1) => {
    await node.evertick.define(defineJob({ name: 'mail', input, run: () => null }))
    const { revision, inputSchema } = await jobs.get('mail')
    return { revision, inputSchema }
  }
  const known = inputSchemaOf(mail)
  expect(await define(mail)).toEqual({ revision: 1, inputSchema: known })
  expect(await define(z.object({ ...mail.shape }))).toEqual({ revision: 1, inputSchema: known })
  expect(await define(mail.extend({ cc: z.email() }))).toMatchObject({
    revision: 2,
    inputSchema: { required: ['to', 'cc'] },
  })
  expect(await define(z.object({ at: z.date() }))).toEqual({ revision: 3, inputSchema: null })
  await define(mail)
  expect(await jobs.update('mail', { description: 'by hand' })).toMatchObject({ inputSchema: known })
  const { jobs: listed } = await jobs.list()
  expect(listed.map(({ inputSchema }) => inputSchema)).toEqual([known])
  // Another handler takes what it takes.
  expect(await jobs.update('mail', { handler: 'other' })).toMatchObject({ inputSchema: null })
  expect(await jobs.update('mail', { handler: 'mail' })).toMatchObject({ inputSchema: known })
  expect(await jobs.create({ name: 'made' })).toMatchObject({ inputSchema: null })
})
