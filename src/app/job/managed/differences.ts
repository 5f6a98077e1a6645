/** What differs between two definitions of a job, field by field: `retry.attempts`, `handler.headers.accept`. Pure. */
import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../../core/unknown-value.ts'
import type { WrittenJob } from './written-job.ts'

export interface FieldDifference {
  readonly field: string
  /** Left out where the job has none, or only its default. */
  readonly before?: unknown
  readonly after?: unknown
}

export function differences(before: WrittenJob | null, after: WrittenJob | null): FieldDifference[] {
  const [old, fresh] = [fieldsOf(before), fieldsOf(after)]
  return [...new Set([...old.keys(), ...fresh.keys()])].flatMap((field) => {
    const [was, is] = [old.get(field), fresh.get(field)]
    if (isDeepStrictEqual(was, is)) return []
    return [
      { field, ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }) },
    ]
  })
}

function fieldsOf(job: WrittenJob | null): Map<string, unknown> {
  const fields = new Map<string, unknown>()
  const walk = (path: string, value: unknown): void => {
    if (!isRecord(value) || Object.keys(value).length === 0) {
      fields.set(path, value)
      return
    }
    for (const [key, part] of Object.entries(value)) walk(path === '' ? key : `${path}.${key}`, part)
  }
  if (job === null) return fields
  const { name: _name, ...definition } = job
  // A job of defaults alone has no fields.
  if (Object.keys(definition).length > 0) walk('', definition)
  return fields
}
