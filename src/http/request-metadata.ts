/** What an execution that a request makes carries along: the request's trace, whether or not this node traces, and who asks. */
import type { ActorOptions } from '../app/change-context.ts'
import { enqueuedByMetadata } from '../core/execution/enqueued-by.ts'
import { traceContextOf, traceMetadata } from '../core/execution/trace-context.ts'

type Metadata = Readonly<Record<string, unknown>>

/** A trace that the caller names itself goes first; who asks is not for the caller to say. */
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
