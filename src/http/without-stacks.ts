/** Stacks name files and lines of the user's code: they are for whoever may change it. */
import { isRecord } from '../core/unknown-value.ts'

/** Where in an answer executions and attempts stand. Inputs and results are not looked into: they are the user's own. */
const places = ['jobs', 'executions', 'active', 'expired', 'attempts', 'lastExecution'] as const

/** The same answer, without the stacks of errors. What has none is not copied. */
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
