/** The events of a node, in the words of the contract. A listener that throws does not disturb the others. */
import { type Channel, channel } from 'node:diagnostics_channel'
import type { AlertKind } from '../core/alert/alert-kinds.ts'
import type { Cause, ExecutionError } from '../core/execution/execution.ts'
import type { Rest, StepKind, StepOutcome } from '../core/execution/step.ts'
import type { AccountedCount } from '../store/store.ts'

export interface ExecutionEvent {
  readonly executionId: string
  readonly job: string
  readonly cause: Cause
  readonly attempt: number
  readonly scheduledFor: Date
}

export interface AlertEvent {
  readonly alertId: string
  readonly rule: string
  readonly kind: AlertKind
  /** The name of the job or the queue; empty for the cluster. */
  readonly subject: string
}

export interface EventMap {
  /** `fence` grows at every claim: 1 at its first. */
  'execution:started': ExecutionEvent & { readonly fence: number }
  'execution:completed': ExecutionEvent & { readonly result: unknown; readonly durationMs: number }
  'execution:failed': ExecutionEvent & { readonly error: ExecutionError }
  'execution:retrying': ExecutionEvent & {
    readonly error: ExecutionError | null
    readonly readyAt: Date
    /** It is tried again, or comes back from a sleep or a wait. */
    readonly state: 'retrying' | Rest['state']
  }
  'execution:cancelled': ExecutionEvent & { readonly reason: string }
  'execution:progress': ExecutionEvent & { readonly progress: number; readonly note: string | null }
  'execution:step': ExecutionEvent & {
    readonly step: string
    readonly kind: StepKind
    readonly outcome: StepOutcome
  }
  'execution:refused': ExecutionEvent
  'job:created': { readonly job: string }
  'job:updated': { readonly job: string }
  'job:paused': { readonly job: string; readonly reason: string | null }
  'job:resumed': { readonly job: string }
  'job:deleted': { readonly job: string }
  'tick:accounted': {
    readonly job: string
    readonly ticks: number
    readonly executions: number
    readonly ranges: number
    readonly accounts: readonly AccountedCount[]
  }
  'lease:expired': { readonly executionId: string; readonly job: string; readonly leasedBy: string | null }
  'alert:opened': AlertEvent
  'alert:resolved': AlertEvent
  'leader:elected': { readonly termId: number; readonly instance: string }
  'leader:lost': { readonly termId: number; readonly instance: string }
  'schedule:added': { readonly job: string }
  'schedule:modified': { readonly job: string }
  'schedule:deleted': { readonly job: string }
}

export type EventName = keyof EventMap
export type Listener<Name extends EventName> = (event: EventMap[Name]) => void

export class Events {
  readonly #listeners = new Map<EventName, Set<Listener<never>>>()
  readonly #channels = new Map<EventName, Channel>()
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /** Returns the function that unsubscribes the listener. */
  on<Name extends EventName>(name: Name, listener: Listener<Name>): () => void {
    const listeners = this.#listeners.get(name) ?? new Set()
    listeners.add(listener)
    this.#listeners.set(name, listeners)
    return () => void listeners.delete(listener)
  }

  /** Where nobody is, an event need not even be made: for what happens thousands of times a second. */
  isHeard(name: EventName): boolean {
    return (this.#listeners.get(name)?.size ?? 0) > 0 || this.#channel(name).hasSubscribers
  }

  emit<Name extends EventName>(name: Name, event: EventMap[Name]): void {
    this.#publish(name, event)
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        ;(listener as Listener<Name>)(event)
      } catch (error) {
        this.#onError(error)
      }
    }
  }

  #publish(name: EventName, event: unknown): void {
    const found = this.#channel(name)
    if (found.hasSubscribers) found.publish(event)
  }

  /** Tools inside the process can subscribe to a diagnostics channel, without a reference to this node. */
  #channel(name: EventName): Channel {
    const known = this.#channels.get(name)
    if (known !== undefined) return known
    const found = channel(`evertick:${name}`)
    this.#channels.set(name, found)
    return found
  }
}
