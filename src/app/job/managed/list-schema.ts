/** The JSON Schema of a file of jobs, for editors: made of the shapes that check a job, with the words of its options. */
import { z } from 'zod'
import { type Field, jobOptions, type OptionName } from '../../../core/job/fields.ts'
import { toShown } from '../../../core/job/options-codec.ts'
import { isRecord } from '../../../core/unknown-value.ts'
import { handlerShape } from '../../handler/handler-shape.ts'
import { scheduleShape, writtenShapes } from '../option-shapes.ts'

const forms = {
  duration: z
    .union([z.int().min(0), z.string().max(100)])
    .describe('Milliseconds, or text such as 15m or 1h30m'),
  instant: z.iso.datetime({ offset: true }).describe('ISO 8601, such as 2027-01-01T09:00:00Z'),
}

type Schema = Record<string, unknown>

/** In draft 7, which every editor knows. */
export function listSchema(): object {
  const job = z.strictObject({
    name: z.string().min(1).max(200).describe('By it the job is known: another name is another job'),
    schedule: scheduleShape(forms).optional().describe('When it is due; left out, only when it is asked for'),
    handler: z
      .union([z.string().min(1).max(200), handlerShape])
      .optional()
      .describe(
        "What it does: a function by its name, a call of a URL, or a command. Default: the function of the job's own name",
      ),
    input: z.unknown().optional().describe('What its handler is given when it is due'),
    paused: z.boolean().optional().describe('Keep it paused. Default: false'),
    ...writtenShapes(forms),
  })
  const { $schema, ...made } = z.toJSONSchema(job, { io: 'input', target: 'draft-7', unrepresentable: 'any' })
  const item = { $ref: '#/definitions/job' }
  const list = { type: 'array', items: item }
  const file = {
    type: 'object',
    required: ['jobs'],
    properties: { $schema: { type: 'string' }, jobs: list },
    patternProperties: { '^x-': {} },
    additionalProperties: false,
  }
  const definitions = { job: withWords(made) }
  return { $schema, title: 'Jobs of Evertick', anyOf: [file, list, item], definitions }
}

function withWords(made: Schema): Schema {
  const properties = isRecord(made['properties']) ? made['properties'] : {}
  const told = jobOptions.map(([name, option]) => {
    const shape = isRecord(properties[name]) ? properties[name] : {}
    if (option.is !== 'group') return [name, { ...shape, description: words(option) }]
    return [name, { ...withWordsInGroup(shape, name), description: option.line }]
  })
  return { ...made, properties: { ...properties, ...Object.fromEntries(told) } }
}

/** A group is an object, or that and one of its fields in short. */
function withWordsInGroup(shape: Schema, name: OptionName): Schema {
  const either = shape['anyOf']
  if (Array.isArray(either)) {
    return {
      ...shape,
      anyOf: either.map((one: unknown) => (isRecord(one) ? withWordsInGroup({ ...one }, name) : one)),
    }
  }
  const group = jobOptions.find(([option]) => option === name)?.[1]
  const properties = shape['properties']
  if (group?.is !== 'group' || !isRecord(properties)) return shape
  const told = Object.entries(properties).map(([part, its]) => {
    const field = group.fields[part]
    return [part, isRecord(its) && field !== undefined ? { ...its, description: words(field) } : its]
  })
  return { ...shape, properties: Object.fromEntries(told) }
}

function words(field: Field): string {
  const usual: unknown = toShown(field, field.default)
  const text =
    usual === null ? (field.without ?? 'none') : typeof usual === 'string' ? usual : JSON.stringify(usual)
  return `${field.line} Default: ${text}`
}
