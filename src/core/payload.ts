/** Payloads: data as JSON. The same limit and the same answer on every engine, before any of them sees the value. */
import { EvertickError } from './error.ts'

/** The limit of an input, a result and metadata, as JSON in UTF-8, unless `maxPayloadBytes` sets another one. */
export const usualPayloadBytes = 1_048_576

/** The value, known to be JSON of a sensible size; `undefined` stays what it is. */
export function storable<Value>(value: Value, field: string, maxBytes: number): Value {
  if (value !== undefined) refuseLong(write(value, field), field, maxBytes)
  return value
}

export function refuseLong(written: string, field: string, maxBytes: number): void {
  // A character has one to three bytes, so the exact size is counted only where it decides.
  if (written.length * 3 <= maxBytes) return
  const size = written.length > maxBytes ? `at least ${written.length}` : utf8Bytes(written)
  if (typeof size === 'number' && size <= maxBytes) return
  throw new EvertickError(
    'invalid_payload',
    `${field} is ${size} bytes long; at most ${maxBytes} are allowed.`,
    {
      field,
      next: 'Store the data elsewhere, and pass its key.',
    },
  )
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
        next: 'Pass plain data: no cycles, no BigInt, no endless nesting.',
        cause: error,
      },
    )
  }
  if (written !== undefined) return written
  throw new EvertickError('invalid_payload', `${field} is a ${typeof value}, which JSON cannot represent.`, {
    field,
    next: 'Pass plain data.',
  })
}

/** JSON has no lone surrogates, so that each half of a pair is two of its four bytes. */
function utf8Bytes(text: string): number {
  let bytes = text.length
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) continue
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return bytes
}
