/** How each option is checked, from the table of options: what a caller writes, and what a view shows. */
import { z } from 'zod'
import { bytesPattern } from '../../core/bytes.ts'
import { type FieldShape, jobFields, jobOptions, type Option } from '../../core/job/fields.ts'
import type { JobOptions, JobSettings } from '../../core/job/options.ts'
import { keysOf } from '../../core/table-keys.ts'

/** The library takes a `Date`; JSON has only text. */
export interface OptionForms<Instant extends z.ZodType = z.ZodType> {
  readonly duration: z.ZodType
  readonly instant: Instant
}

type Written = Required<Omit<JobOptions, 'schedule'>>

/** The shapes of options that a caller writes: each may be left out. */
export function writtenShapes(forms: OptionForms): {
  readonly [Name in keyof Written]: z.ZodOptional<z.ZodType<Written[Name], Written[Name]>>
} {
  const shapes = jobOptions.map(([name, option]) => [name, writtenShape(option, forms).optional()])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- names and types come from one table
  return Object.fromEntries(shapes) as ReturnType<typeof writtenShapes>
}

function writtenShape(option: Option, forms: OptionForms): z.ZodType {
  if (option.is !== 'group') return fieldShape(option, forms)
  const fields = Object.entries(option.fields).map(
    ([part, field]) => [part, fieldShape(field, forms).optional()] as const,
  )
  const whole = z.strictObject(Object.fromEntries(fields))
  const short = option.fields[option.short ?? '']
  return short === undefined ? whole : z.union([fieldShape(short, forms), whole])
}

/** A schedule, one of four kinds. What it says is checked where it is parsed. */
export function scheduleShape<Duration extends z.ZodType, Instant extends z.ZodType>(forms: {
  readonly duration: Duration
  readonly instant: Instant
}) {
  return z.union([
    z.strictObject({ cron: z.string().max(256), timezone: z.string().max(100).optional() }),
    z.strictObject({ every: forms.duration, anchor: z.string().max(40).optional() }),
    z.strictObject({ fixedDelay: forms.duration }),
    z.strictObject({ at: forms.instant }),
  ])
}

/** The shapes of options that a job shows: every one is there. */
export function shownShapes<Instant extends z.ZodType>(
  forms: OptionForms<Instant>,
): {
  readonly [Name in keyof JobSettings]: z.ZodType<
    JobSettings<z.output<Instant>>[Name],
    JobSettings<z.input<Instant>>[Name]
  >
} {
  const shapes = jobOptions.map(([name, option]) => {
    if (option.is !== 'group')
      return [
        name,
        option.default === null ? fieldShape(option, forms).nullable() : fieldShape(option, forms),
      ]
    const fields = Object.entries(option.fields).map(([part, field]) => {
      const shape = fieldShape(field, forms)
      return [part, field.default === null ? shape.optional() : shape] as const
    })
    return [name, z.object(Object.fromEntries(fields))]
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- names and types come from one table
  return Object.fromEntries(shapes) as ReturnType<typeof shownShapes<Instant>>
}

export function fieldShape(field: FieldShape, { duration, instant }: OptionForms): z.ZodType {
  switch (field.is) {
    case 'duration':
      return duration
    case 'instant':
      return instant
    case 'bytes':
      return z.union([z.int().min(1), z.string().max(40).regex(bytesPattern, 'is not a size, such as 256mb')])
    case 'whole':
      return field.max === undefined ? z.int().min(field.min) : z.int().min(field.min).max(field.max)
    case 'number':
      return z.number().min(field.min).max(field.max)
    case 'choice':
      return z.enum(keysOf(field.of))
    case 'text':
      return plainText(field.min, field.max)
    case 'texts':
      return z.array(plainText(1, field.longest)).max(field.max)
    case 'object':
      return z.record(z.string(), z.unknown())
  }
}

/** No database keeps a NUL in a text. */
function plainText(min: number, max: number): z.ZodType {
  return z
    .string()
    .min(min)
    .max(max)
    .refine((text) => !text.includes('\0'), 'contains a NUL')
}

/** Every name that may stand in options, for a suggestion where one is not known. */
export const optionNames: readonly string[] = [
  'schedule',
  ...jobOptions.map(([name]) => name),
  ...Object.values(jobFields).flatMap((option) => (option.is === 'group' ? Object.keys(option.fields) : [])),
]
