/** The effective limit of payloads: the configured one, or what the server can take. */
import type { Logger } from '../../engine/logger.ts'
import type { PayloadLimit } from '../../store/open-store.ts'

interface Wanted {
  readonly maxPayloadBytes: number
  readonly payloadLimit: PayloadLimit | undefined
}

/** Longer payloads are refused before they are sent: the server would hang up, and the whole batch would wait. */
export function payloadWithin({ maxPayloadBytes, payloadLimit }: Wanted, logger: Logger): number {
  if (payloadLimit === undefined || payloadLimit.maxBytes >= maxPayloadBytes) return maxPayloadBytes
  const { maxBytes, nextFor } = payloadLimit
  const message = `Inputs and results may have at most ${maxBytes} bytes on this server, not ${maxPayloadBytes}`
  logger.warn(message, { next: nextFor(maxPayloadBytes) })
  return maxBytes
}
