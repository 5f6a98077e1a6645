/** Values by a JSON schema: mostly as it says, at times as somebody with bad intentions would send them. */
import fc from 'fast-check'

export interface JsonSchema {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonSchema | boolean
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly $ref?: string
}

export type Schemas = Readonly<Record<string, JsonSchema>>

/** Words that mean something somewhere, and letters that break what is careless. */
const words = [
  'greet',
  'break',
  'minutely',
  'default',
  'epoch',
  'UTC',
  'Europe/Madrid',
  '1s',
  '15m',
  '1h30m',
  '0ms',
  '999999999w',
  '* * * * *',
  '*/5 9-17 * * 1-5',
  '0 0 30 2 *',
  '@daily',
  'H H * * *',
  '',
  ' ',
  '\0',
  'a\0b',
  '\u{1f600}é\u0301',
  '\ud800',
  "'; DROP TABLE jobs; --",
  '%',
  '%_!',
  '"',
  '\\',
  '../..',
  '__proto__',
  'constructor',
  '<script>alert(1)</script>',
  '{{7*7}}',
  'x'.repeat(201),
  'x'.repeat(3_000),
  '-1',
  '1e309',
  'NaN',
]
const instants = [
  '2026-01-01T00:00:00Z',
  '2026-01-01T00:05:00.000Z',
  '2025-12-31T23:59:59+14:00',
  '2030-06-15T12:00:00Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '2026-02-30T00:00:00Z',
  '1969-12-31T23:59:59Z',
]
const numbers = [
  0,
  -0,
  1,
  -1,
  2,
  60_000,
  2 ** 31,
  2 ** 32 + 1,
  2 ** 53,
  2 ** 53 + 2,
  8.64e15,
  1e21,
  1e308,
  0.5,
  -1e-7,
]

export const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...words) },
  { weight: 1, arbitrary: fc.constantFrom(...instants) },
  { weight: 2, arbitrary: fc.string({ maxLength: 20, unit: 'binary' }) },
)

/** Anything that JSON can say. */
export const odd: fc.Arbitrary<unknown> = fc.oneof(
  text,
  fc.constantFrom(...numbers),
  fc.constantFrom(null, true, false, [], {}, [[]], { a: { b: 1 } }, { toString: 1 }, { length: -1 }),
  fc.jsonValue({ maxDepth: 3 }),
)

const everyTime = 12

export function valueOf(schema: JsonSchema, schemas: Schemas): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: everyTime, arbitrary: asSaid(schema, schemas) }, { weight: 1, arbitrary: odd })
}

function asSaid(schema: JsonSchema, schemas: Schemas): fc.Arbitrary<unknown> {
  const { $ref, anyOf, type } = schema
  if ($ref !== undefined) return asSaid(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, schemas)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((one) => valueOf(one, schemas)))
  switch (type) {
    case 'string':
      return schema.format === 'date-time' ? fc.constantFrom(...instants) : text
    case 'integer':
      return fc.oneof(fc.integer(bounds(schema, 1_000)), fc.constantFrom(...numbers))
    case 'number':
      return fc.oneof(fc.double({ ...bounds(schema, 100), noNaN: true }), fc.constantFrom(...numbers))
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(valueOf(schema.items ?? {}, schemas), { maxLength: 4 })
    case 'object':
      return objectOf(schema, schemas)
    default:
      return odd
  }
}

/** Near the lower end, where most of what is meant lies. */
function bounds({ minimum = -1_000, maximum }: JsonSchema, span: number): { min: number; max: number } {
  const least = Math.max(minimum, -(2 ** 31))
  return { min: least, max: Math.max(least, Math.min(maximum ?? least + span, least + span)) }
}

function objectOf(schema: JsonSchema, schemas: Schemas): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [name, valueOf(one, schemas)]),
  )
  const said = fc.record(model, { requiredKeys: required as never[] })
  if (typeof additionalProperties === 'object') return fc.dictionary(text, odd, { maxKeys: 3 })
  return fc.oneof(
    { weight: everyTime, arbitrary: said },
    {
      weight: 1,
      arbitrary: fc.tuple(said, text, odd).map(([one, name, value]) => ({ ...one, [name]: value })),
    },
  )
}
