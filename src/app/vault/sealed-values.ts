/** Everything that is sealed in a handler, and where it belongs. */
import { type HandlerSpec, isSealed, type Sealed, type Secretive } from '../../core/job/handler.ts'
import { secretSlot } from '../handler/handler-options.ts'

export interface SealedValue {
  /** As `handler.headers.authorization`. */
  readonly field: string
  readonly slot: string
  readonly sealed: Sealed
}

export function sealedValuesIn(handler: HandlerSpec, job: string): SealedValue[] {
  switch (handler.type) {
    case 'function':
    case 'check_in':
      return []
    case 'command':
      return valuesOf(handler.env, 'env', job)
    case 'http':
    case 'source':
      return valuesOf(handler.headers, 'headers', job)
    case 'webhook': {
      const signing = handler.secrets.map(({ key }) => ({
        field: 'secrets',
        slot: signingSlot(job),
        sealed: key,
      }))
      const address =
        handler.address === null
          ? []
          : [{ field: 'handler.address', slot: addressSlot(job), sealed: handler.address }]
      return [...valuesOf(handler.headers, 'headers', job), ...address, ...signing]
    }
  }
}

/** Of the keys that sign what a webhook sends. */
export function signingSlot(job: string): string {
  return secretSlot(job, 'signing', 'key')
}

/** Of where a webhook sends, where that is a secret. */
export function addressSlot(job: string): string {
  return secretSlot(job, 'address', 'url')
}

function valuesOf(values: Secretive, kind: 'headers' | 'env', job: string): SealedValue[] {
  return Object.entries(values).flatMap(([name, value]) =>
    isSealed(value)
      ? [{ field: `handler.${kind}.${name}`, slot: secretSlot(job, kind, name), sealed: value }]
      : [],
  )
}
