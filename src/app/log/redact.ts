/**
 * What a log may say: no value under a secret's name, at any depth, and in texts nothing that is shaped like a secret.
 * Errors come out as data, with their code and next step.
 */
import { EvertickError } from '../../core/error.ts'
import { isSecretName, redacted } from '../../core/job/secret-name.ts'
import { withoutSecretShapes } from '../../core/job/secret-text.ts'
import { codeOf } from '../../core/unknown-value.ts'

/** Deeper than this is cut: what is logged is read by people. */
const maxDepth = 8
const maxItems = 100
const maxText = 16_384

export function redactedText(text: string): string {
  // Before it is cut: half a secret would not be recognized.
  const shown = withoutSecretShapes(text)
  return shown.length > maxText ? `${shown.slice(0, maxText)}…` : shown
}

export function redactedFields(details: object): Record<string, unknown> {
  return fieldsOf(details, 0, new Set([details]))
}

function redactedValue(value: unknown, depth: number, above: ReadonlySet<object>): unknown {
  if (typeof value === 'string') return redactedText(value)
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'function' || typeof value === 'symbol') return undefined
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return value
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (above.has(value) || depth >= maxDepth) return '[…]'
  const inside = new Set([...above, value])
  if (value instanceof Error) return errorFields(value, depth, inside)
  if (Array.isArray(value)) {
    return value.slice(0, maxItems).map((item) => redactedValue(item, depth + 1, inside))
  }
  return fieldsOf(value, depth, inside)
}

function fieldsOf(value: object, depth: number, above: ReadonlySet<object>): Record<string, unknown> {
  const made: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(value).slice(0, maxItems)) {
    // A number or a boolean reveals nothing.
    const hides = isSecretName(name) && (typeof inner === 'string' || typeof inner === 'object')
    made[name] = hides && inner !== null ? redacted : redactedValue(inner, depth + 1, above)
  }
  return made
}

function errorFields(error: Error, depth: number, above: ReadonlySet<object>): Record<string, unknown> {
  const code = codeOf(error)
  return {
    type: error.name,
    message: redactedText(error.message),
    ...(code === undefined ? {} : { code }),
    ...(error instanceof EvertickError && error.next !== undefined ? { next: redactedText(error.next) } : {}),
    ...(error.stack === undefined ? {} : { stack: redactedText(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: redactedValue(error.cause, depth + 1, above) }),
  }
}
