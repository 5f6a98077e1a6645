/** The metadata of an execution that a request makes: the request's trace, even if this node does not trace, and the caller. */
import type { ActorOptions } from '../app/change-context.ts'
import { enqueuedByMetadata } from '../core/execution/enqueued-by.ts'
import { traceContextOf, traceMetadata } from '../core/execution/trace-context.ts'

type Metadata = Readonly<Record<string, unknown>>

/** A trace in the caller's own metadata wins. The caller's name is always ours. */
export function requestMetadata(
  { request: { headers }, by }: { readonly request: Request; readonly by: Required<ActorOptions> },
  given: Metadata = {},
): Record<string, unknown> {
  const context = traceContextOf({
    traceparent: headers.get('traceparent'),
    tracestate: headers.get('tracestate'),
  })
  const trace = context === null ? {} : traceMetadata(context)
  return { ...trace, ...given, ...enqueuedByMetadata(by.actor) }
}
