/** Schemas that have a name in the OpenAPI document. */
import { z } from 'zod'

export const named = z.registry<{ readonly id: string }>()

export function name<Schema extends z.ZodType>(id: string, schema: Schema): Schema {
  named.add(schema, { id })
  return schema
}

export const instant = z.iso.datetime().describe('ISO 8601, UTC')
/** What a caller writes: any offset. */
export const givenInstant = z.iso.datetime({ offset: true })
export const duration = z
  .union([z.int().min(0), z.string().max(100)])
  .describe("Milliseconds, or text such as '15m' or '1h30m'")
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
