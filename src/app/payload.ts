/** Payloads: the same limits and the same answer on every engine, before any of them sees the value. */
import { EvertickError } from '../core/error.ts'

export const maxPayloadBytes = 1_048_576

/** The value, known to be JSON of a sensible size; `undefined` stays what it is. */
export function storable(value: unknown, field: string): unknown {
  if (value === undefined) return undefined
  const written = write(value, field)
  if (written.length > maxPayloadBytes) {
    throw new EvertickError(
      'invalid_payload',
      `${field} is ${written.length} bytes long; at most ${maxPayloadBytes} fit.`,
      {
        field,
        next: 'Store the data elsewhere, and pass its key.',
      },
    )
  }
  return value
}

function write(value: unknown, field: string): string {
  let written: string | undefined
  try {
    written = JSON.stringify(value)
  } catch (error) {
    throw new EvertickError(
      'invalid_payload',
      `${field} cannot be written as JSON: ${(error as Error).message}`,
      {
        field,
        next: 'Pass plain data: no cycles, BigInt or endless depth.',
        cause: error,
      },
    )
  }
  if (written !== undefined) return written
  throw new EvertickError('invalid_payload', `${field} is a ${typeof value}, which JSON does not know.`, {
    field,
    next: 'Pass plain data.',
  })
}
