/** The real SDK of OpenTelemetry, which keeps every span in memory. Ends with the file. */
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, beforeEach } from 'vitest'

export interface RecordedSpans {
  /** Oldest end first. */
  readonly named: (name: string) => readonly ReadableSpan[]
  /** The only one of its name. */
  readonly only: (name: string) => ReadableSpan
}

export function recordSpans(): RecordedSpans {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  beforeAll(() => {
    trace.setGlobalTracerProvider(provider)
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  })
  beforeEach(() => exporter.reset())
  afterAll(async () => {
    trace.disable()
    context.disable()
    await provider.shutdown()
  })
  const named = (name: string) => exporter.getFinishedSpans().filter((span) => span.name === name)
  const only = (name: string) => {
    const [span, ...more] = named(name)
    if (span === undefined || more.length > 0)
      throw new Error(`${named(name).length} spans are named ${name}`)
    return span
  }
  return { named, only }
}

export function idsOf(span: ReadableSpan): {
  readonly trace: string
  readonly span: string
  readonly parent: string | null
} {
  const { traceId, spanId } = span.spanContext()
  return { trace: traceId, span: spanId, parent: span.parentSpanContext?.spanId ?? null }
}
