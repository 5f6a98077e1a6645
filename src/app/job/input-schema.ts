/** What a job's input looks like, for forms and for other languages: the JSON Schema that its schema library knows. */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { isRecord } from '../../core/unknown-value.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

const mostBytes = 16_384

/**
 * Null where the library has none (Standard JSON Schema), where the schema says what JSON cannot, and where it is too long
 * to be carried along with every look at the job: a form is a comfort, and no reason to refuse a definition.
 */
export function inputSchemaOf(schema: StandardSchemaV1 | null): JsonSchema | null {
  const written = schema === null ? null : jsonOf(schema)
  if (written === null || Buffer.byteLength(written) > mostBytes) return null
  const plain: unknown = JSON.parse(written)
  return isRecord(plain) ? plain : null
}

function jsonOf(schema: StandardSchemaV1): string | null {
  try {
    const { jsonSchema }: Partial<StandardJSONSchemaV1.Props> = schema['~standard']
    return JSON.stringify(jsonSchema?.input({ target: 'draft-2020-12' })) ?? null
  } catch {
    return null
  }
}
