/**
 * `ctx`. All of it is its own and enumerable, so that `{ ...ctx }` has everything. An object literal with getters takes ten
 * times as long to make as one without (half a microsecond), so only the signal has one, and all contexts share it: most
 * handlers never ask for a signal, which costs more than a short run on some versions of Node.
 */
import type { ClaimedExecution } from '../../store/store.ts'
import type { JobContext } from './handler.ts'
import type { Held } from './held.ts'

export interface ContextParts
  extends Pick<
    JobContext,
    | 'input'
    | 'log'
    | 'progress'
    | 'transaction'
    | 'enqueue'
    | 'secrets'
    | 'step'
    | 'sleep'
    | 'waitFor'
    | 'definition'
  > {
  readonly claim: ClaimedExecution
  readonly held: Held
  readonly startedAt: number
}

export class AttemptContext implements JobContext {
  readonly #held: Held
  readonly input: unknown
  readonly scheduledFor: Date
  readonly lateness: number
  readonly cause: JobContext['cause']
  readonly caughtUp: JobContext['caughtUp']
  readonly attempt: number
  readonly idempotencyKey: string
  readonly executionId: string
  readonly job: string
  readonly metadata: JobContext['metadata']
  declare readonly signal: AbortSignal
  readonly log: JobContext['log']
  readonly progress: JobContext['progress']
  readonly transaction: JobContext['transaction']
  readonly enqueue: JobContext['enqueue']
  readonly secrets: JobContext['secrets']
  readonly step: JobContext['step']
  readonly sleep: JobContext['sleep']
  readonly waitFor: JobContext['waitFor']
  readonly definition: JobContext['definition']

  /** Not `...parts`: what is left over would be copied for each run. */
  constructor(parts: ContextParts) {
    const { input, claim, held, startedAt } = parts
    const { caughtUpIndex: index, caughtUpOf: of } = claim
    this.#held = held
    this.input = input
    this.scheduledFor = new Date(claim.scheduledFor)
    this.lateness = Math.max(0, startedAt - claim.scheduledFor)
    this.cause = claim.cause
    this.caughtUp = index === null || of === null ? null : { index, of }
    this.attempt = claim.attempt
    this.idempotencyKey = claim.idempotencyKey
    this.executionId = claim.id
    this.job = claim.jobName
    this.metadata = claim.metadata
    this.log = parts.log
    this.progress = parts.progress
    this.transaction = parts.transaction
    this.enqueue = parts.enqueue
    this.secrets = parts.secrets
    this.step = parts.step
    this.sleep = parts.sleep
    this.waitFor = parts.waitFor
    this.definition = parts.definition
    Object.defineProperty(this, 'signal', AttemptContext.#signal)
  }

  static readonly #signal: PropertyDescriptor = {
    enumerable: true,
    configurable: true,
    get(this: object): AbortSignal {
      return AttemptContext.#behind(this).signal
    },
  }

  /** Of a context, or of an object that inherits from one. */
  static #behind(asked: object): Held {
    return #held in asked ? asked.#held : AttemptContext.#behind(Object.getPrototypeOf(asked) as object)
  }
}
