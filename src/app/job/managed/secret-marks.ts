/** Which secrets of a job differ, told by marks that say nothing about them: they are shown to nobody, not even here. */
import { EvertickError } from '../../../core/error.ts'
import type { HandlerSpec } from '../../../core/job/handler.ts'
import { sealedValuesIn } from '../../vault/sealed-values.ts'
import type { Secrets } from '../../vault/secrets.ts'

/** By field: `handler.headers.authorization`. */
export type SecretMarks = ReadonlyMap<string, string>

export function secretMarks(job: string, handler: HandlerSpec, secrets: Secrets): SecretMarks {
  return new Map(
    sealedValuesIn(handler, job).map(({ field, slot, sealed }) => [
      field,
      markOf(() => secrets.mark(secrets.open(sealed, slot), slot)),
    ]),
  )
}

/** One that was sealed with a key that is lost differs from every other. */
function markOf(mark: () => string): string {
  try {
    return mark()
  } catch (error) {
    if (error instanceof EvertickError && error.code === 'secret_unreadable') return 'unreadable'
    throw error
  }
}
