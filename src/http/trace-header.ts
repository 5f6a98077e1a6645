/** The trace that a request belongs to goes on in the execution that it makes, whether or not this node traces. */
import { traceContextOf, traceMetadata } from '../core/execution/trace-context.ts'

/** As metadata; empty where the request names none that could be followed. */
export function traceOf({ headers }: Request): Record<string, string> {
  const context = traceContextOf({
    traceparent: headers.get('traceparent'),
    tracestate: headers.get('tracestate'),
  })
  return context === null ? {} : traceMetadata(context)
}
