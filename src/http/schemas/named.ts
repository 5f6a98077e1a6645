/** Schemas that have a name in the OpenAPI document. */
import { z } from 'zod'
import type { Duration } from '../../core/schedule/schedule.ts'

export const named = z.registry<{ readonly id: string }>()

export function name<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  named.add(schema, { id })
  return schema
}

/** An instant of an answer: marked, so that the compiler asks its route for a `Date`. */
export const instant = z.iso.datetime().describe('ISO 8601, UTC').brand<'instant'>()
export type InstantText = z.output<typeof instant>
/** An instant that a caller writes, with any offset. */
export const givenInstant = z.iso.datetime({ offset: true })
const durationShape = z
  .union([z.int().min(0), z.string().max(100)])
  .describe("Milliseconds, or text such as '15m' or '1h30m'")
/** Any text passes here. The use case parses it, and names the option where it is not a duration. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a template of text is not a schema
export const duration = durationShape as z.ZodType<Duration, number | string>
export const payload = z.unknown().describe('Any JSON')
export const metadata = z.record(z.string(), z.unknown())
/** An id or a name. */
export const reference = z.strictObject({ id: z.string().min(1).max(200) })
export const page = {
  limit: z.coerce.number().int().min(1).max(200).default(100),
  cursor: z.string().max(500).optional(),
}
/** In a query everything is text. */
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true')
/** The search language of the list. */
export const filterText = z.string().max(500).optional()
export const nextCursor = z.string().nullable()
