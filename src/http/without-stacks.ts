/** Stack traces name files and lines of the user's code: only admins see them. */
import { isRecord } from '../core/unknown-value.ts'

/** The keys of an answer that hold executions and attempts. Inputs and results are the user's, and stay as they are. */
const places = ['jobs', 'executions', 'active', 'expired', 'attempts', 'lastExecution'] as const

/** The same answer without stack traces. An answer that has none is not copied. */
export function withoutStacks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutStacks)
  if (!isRecord(value)) return value
  const changes: Record<string, unknown> = {}
  for (const place of places) {
    if (typeof value[place] === 'object' && value[place] !== null)
      changes[place] = withoutStacks(value[place])
  }
  const { error } = value
  if (typeof error === 'object' && error !== null && 'stack' in error) {
    const { stack: _, ...told } = error
    changes.error = told
  }
  return Object.keys(changes).length === 0 ? value : { ...value, ...changes }
}
