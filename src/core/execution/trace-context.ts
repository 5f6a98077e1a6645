/**
 * The trace that requested an execution, after W3C Trace Context. It travels in the execution's metadata, under names
 * that are reserved for it, so that it costs no column and survives retries.
 */

export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  readonly flags: number
  /** What vendors add, as it came; null for none. */
  readonly state: string | null
}

type Metadata = Readonly<Record<string, unknown>>

const longestState = 512
const none = /^0+$/

/** Null where there is none, or none that could be followed. */
export function traceContextOf({ traceparent, tracestate }: Metadata): TraceContext | null {
  if (typeof traceparent !== 'string') return null
  const [, traceId = '', spanId = '', flags = ''] =
    /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:$|-)/.exec(traceparent) ?? []
  if (traceId === '' || none.test(traceId) || none.test(spanId)) return null
  const state = typeof tracestate === 'string' && tracestate.length <= longestState ? tracestate : null
  return { traceId, spanId, flags: Number.parseInt(flags, 16), state }
}

/** As metadata; the other way round. */
export function traceMetadata({ traceId, spanId, flags, state }: TraceContext): Record<string, string> {
  const traceparent = `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`
  return state === null ? { traceparent } : { traceparent, tracestate: state }
}

/** What people have written themselves. */
export function withoutTrace({ traceparent: _parent, tracestate: _state, ...own }: Metadata): Metadata {
  return own
}
