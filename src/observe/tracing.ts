/**
 * Spans around what a node does, by OpenTelemetry: an enqueue, a batch of ticks, an attempt and its steps. The store is
 * wrapped once, the runner and its steps ask once; nothing else knows. Without a provider of traces the package is not even
 * loaded.
 */
import { type TraceContext, traceContextOf, traceMetadata } from '../core/execution/trace-context.ts'
import { isRecord } from '../core/unknown-value.ts'
import type { AttemptEnd, TraceAttempt, TraceSteps } from '../engine/context.ts'
import type { ClaimedExecution, ExecutionStore, NewExecution, Store, TickStore } from '../store/store.ts'
import { type Attributes, type Context, openSpans, type Span, type Spans } from './spans.ts'
import { stepSpans } from './step-spans.ts'

/** Where all copies of the package keep the registered provider. */
const registry = Symbol.for('opentelemetry.js.api.1')

/** `wanted`: null for "if a provider is registered". */
export async function openTracing(wanted: boolean | null, version: string): Promise<Tracing | null> {
  if (wanted === false || (wanted === null && !hasProvider())) return null
  return new Tracing(await openSpans(version))
}

function hasProvider(): boolean {
  const registered: unknown = Reflect.get(globalThis, registry)
  return isRecord(registered) && registered['trace'] !== undefined
}

export class Tracing {
  readonly #api: Spans['api']
  readonly #spans: Spans
  readonly steps: TraceSteps

  constructor(spans: Spans) {
    this.#api = spans.api
    this.#spans = spans
    this.steps = stepSpans(spans)
  }

  /** For log lines. */
  ids(): object {
    const active = this.#api.trace.getActiveSpan()?.spanContext()
    if (active === undefined || !this.#api.isSpanContextValid(active)) return {}
    return { traceId: active.traceId, spanId: active.spanId }
  }

  wrap(store: Store): Store {
    const { work, executions, ticks } = store
    return {
      ...store,
      work: {
        ...work,
        enqueueExecutions: (rows, within) =>
          this.#enqueue(rows, (carried) => work.enqueueExecutions(carried, within)),
        enqueueIntoSlot: (row, offer) =>
          this.#enqueue([row], ([carried = row]) => work.enqueueIntoSlot(carried, offer)),
      },
      executions: { ...executions, triggerJob: this.#triggers(executions) },
      ticks: { ...ticks, accountTicks: this.#accounts(ticks) },
    }
  }

  #enqueue<T>(
    rows: readonly NewExecution[],
    write: (carried: readonly NewExecution[]) => Promise<T>,
  ): Promise<T> {
    const options = { kind: this.#api.SpanKind.PRODUCER, attributes: enqueueAttributes(rows) }
    const parent = this.#asker(rows[0]?.metadata ?? {})
    return this.#spans.within('evertick.enqueue', { options, parent }, (span) =>
      write(rows.map((row) => ({ ...row, metadata: this.#carried(row.metadata, span) }))),
    )
  }

  #triggers(executions: ExecutionStore): ExecutionStore['triggerJob'] {
    return (job, trigger, context) => {
      const attributes = {
        ...messaging('send'),
        'messaging.message.id': trigger.id,
        'evertick.job': job,
        'evertick.cause': 'manual',
      }
      const options = { kind: this.#api.SpanKind.PRODUCER, attributes }
      const parent = this.#asker(trigger.metadata)
      return this.#spans.within('evertick.enqueue', { options, parent }, (span) => {
        const metadata = this.#carried(trigger.metadata, span)
        return executions.triggerJob(job, { ...trigger, metadata }, context)
      })
    }
  }

  #accounts(ticks: TickStore): TickStore['accountTicks'] {
    return (request) => {
      const attributes = { 'evertick.jobs': request.jobs.length, 'evertick.term': request.leader.termId }
      const around = { options: { attributes }, parent: this.#api.ROOT_CONTEXT }
      return this.#spans.within('evertick.tick', around, async (span) => {
        const result = await ticks.accountTicks(request)
        const sum = (of: 'ticks' | 'executions') =>
          result.accounted.reduce((total, each) => total + each[of], 0)
        span.setAttributes({ 'evertick.ticks': sum('ticks'), 'evertick.executions': sum('executions') })
        return result
      })
    }
  }

  /** A child of the span that enqueued it; an execution of a tick begins its own trace. */
  readonly attempt: TraceAttempt = async (claim, run, endOf) => {
    const asked = traceContextOf(claim.metadata)
    const parent = asked === null ? this.#api.ROOT_CONTEXT : this.#remote(asked)
    const options = { kind: this.#api.SpanKind.CONSUMER, attributes: attemptAttributes(claim) }
    return await this.#spans.within('evertick.execute', { options, parent }, async (span) => {
      const ran = await run({ ...claim, metadata: this.#carried(claim.metadata, span) })
      this.#end(span, endOf(ran))
      return ran
    })
  }

  #end(span: Span, { outcome, error }: AttemptEnd): void {
    span.setAttribute('evertick.outcome', outcome)
    if (error !== null) this.#spans.fail(span, error)
  }

  /** The parent: the active span, else the one that the request named. */
  #asker(metadata: Readonly<Record<string, unknown>>): Context {
    const active = this.#api.context.active()
    const asked = traceContextOf(metadata)
    return this.#api.trace.getSpan(active) !== undefined || asked === null ? active : this.#remote(asked)
  }

  #remote({ traceId, spanId, flags, state }: TraceContext): Context {
    const traceState = state === null ? {} : { traceState: this.#api.createTraceState(state) }
    const parent = { traceId, spanId, traceFlags: flags, isRemote: true, ...traceState }
    return this.#api.trace.setSpanContext(this.#api.ROOT_CONTEXT, parent)
  }

  #carried(metadata: Readonly<Record<string, unknown>>, span: Span): Readonly<Record<string, unknown>> {
    const { traceId, spanId, traceFlags, traceState } = span.spanContext()
    if (!this.#api.isSpanContextValid(span.spanContext())) return metadata
    const state = traceState?.serialize() || null
    return { ...metadata, ...traceMetadata({ traceId, spanId, flags: traceFlags, state }) }
  }
}

/** The names of the semantic conventions for messaging. */
function messaging(operation: 'send' | 'process'): Attributes {
  return {
    'messaging.system': 'evertick',
    'messaging.operation.name': operation === 'send' ? 'enqueue' : 'execute',
    'messaging.operation.type': operation,
  }
}

function enqueueAttributes(rows: readonly NewExecution[]): Attributes {
  const [first] = rows
  const alike = rows.every(({ jobName }) => jobName === first?.jobName)
  return {
    ...messaging('send'),
    ...(rows.length === 1 ? { 'messaging.message.id': first?.id } : {}),
    ...(rows.length > 1 ? { 'messaging.batch.message_count': rows.length } : {}),
    ...(rows.length === 1 && first?.queue !== null ? { 'messaging.destination.name': first?.queue } : {}),
    ...(alike ? { 'evertick.job': first?.jobName } : {}),
    'evertick.cause': 'enqueue',
  }
}

function attemptAttributes(claim: ClaimedExecution): Attributes {
  return {
    ...messaging('process'),
    'messaging.message.id': claim.id,
    'messaging.destination.name': claim.spec.queue,
    'evertick.job': claim.jobName,
    'evertick.cause': claim.cause,
    'evertick.attempt': claim.attempt,
    'evertick.scheduled_for': new Date(claim.scheduledFor).toISOString(),
    'evertick.idempotency_key': claim.idempotencyKey,
  }
}
