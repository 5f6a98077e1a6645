/** What a revision changed compared to the one before. */
import { type FieldChange, fieldChanges } from '../../changes/field-changes.ts'
import type { Revision } from './definition.ts'

export function changesOf(before: Revision | undefined, after: Revision): FieldChange[] {
  return fieldChanges(before === undefined ? null : written(before), written(after))
}

function written({ options, handler }: Revision): object {
  return { ...options, handler }
}
