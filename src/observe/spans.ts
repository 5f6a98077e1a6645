/** One span around one piece of work, by OpenTelemetry: active while it lasts, and an error where it throws. */
import type * as Otel from '@opentelemetry/api'
import type { ExecutionError } from '../core/execution/execution.ts'
import { codeOf, messageOf } from '../core/unknown-value.ts'
import { loadDriver } from '../store/load-driver.ts'

export type { Attributes, Context, Span } from '@opentelemetry/api'

export interface Around {
  readonly options: Otel.SpanOptions
  /** @default what is active */
  readonly parent?: Otel.Context
  /** What a span may show of what was thrown. */
  readonly errorOf?: (thrown: unknown) => ExecutionError
}

export async function openSpans(version: string): Promise<Spans> {
  return new Spans(await loadDriver('@opentelemetry/api', () => import('@opentelemetry/api')), version)
}

export class Spans {
  readonly api: typeof Otel
  readonly #tracer: Otel.Tracer

  constructor(api: typeof Otel, version: string) {
    this.api = api
    this.#tracer = api.trace.getTracer('evertick', version)
  }

  async within<T>(
    name: string,
    { options, parent = this.api.context.active(), errorOf = plainError }: Around,
    run: (span: Otel.Span) => Promise<T>,
  ): Promise<T> {
    const span = this.#tracer.startSpan(name, options, parent)
    try {
      // Begun in this turn: verbs of one turn share a commit on SQLite.
      return await this.api.context.with(this.api.trace.setSpan(parent, span), run, undefined, span)
    } catch (error) {
      this.fail(span, errorOf(error))
      throw error
    } finally {
      span.end()
    }
  }

  /** Of what is over already. */
  past(name: string, options: Otel.SpanOptions, endTime: number): void {
    this.#tracer.startSpan(name, options).end(endTime)
  }

  fail(span: Otel.Span, { name, message, stack, code }: ExecutionError): void {
    span.setAttribute('error.type', code ?? name)
    span.recordException({ name, message, ...(stack === undefined ? {} : { stack }) })
    span.setStatus({ code: this.api.SpanStatusCode.ERROR, message })
  }
}

function plainError(thrown: unknown): ExecutionError {
  const code = codeOf(thrown)
  const { name, stack } = thrown instanceof Error ? thrown : { name: 'Error', stack: undefined }
  return {
    name,
    message: messageOf(thrown),
    ...(stack === undefined ? {} : { stack }),
    ...(code === undefined ? {} : { code }),
  }
}
