/** Which secrets of a job differ, told by marks that say nothing about them: they are shown to nobody, not even here. */
import { EvertickError } from '../../../core/error.ts'
import { type HandlerSpec, isSealed, type Secretive } from '../../../core/job/handler.ts'
import { secretSlot } from '../handler-options.ts'
import type { Secrets } from '../secrets.ts'

/** By field: `handler.headers.authorization`. */
export type SecretMarks = ReadonlyMap<string, string>

export function secretMarks(job: string, handler: HandlerSpec, secrets: Secrets): SecretMarks {
  // A webhook is no job of a file; the others have no place for a secret.
  const has = handler.type === 'http' || handler.type === 'source' || handler.type === 'command'
  if (!has) return new Map()
  const [kind, values]: ['headers' | 'env', Secretive] =
    handler.type === 'command' ? ['env', handler.env] : ['headers', handler.headers]
  return new Map(
    Object.entries(values).flatMap(([name, value]) => {
      if (!isSealed(value)) return []
      const slot = secretSlot(job, kind, name)
      return [
        [`handler.${kind}.${name}`, markOf(() => secrets.mark(secrets.open(value, slot), slot))] as const,
      ]
    }),
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
