/**
 * The border between a node and an isolated handler: what of `ctx` crosses it, and as which messages. Both sides speak by
 * structured clone; what a handler returns crosses as JSON, as it is stored.
 */
import type { HandlerOutcome } from '../core/attempt/outcome.ts'
import { EvertickError } from '../core/error.ts'
import type { ExecutionError } from '../core/execution/execution.ts'
import type {
  EnqueueOptions,
  ExecutionLog,
  JobContext,
  JobReference,
  StepOptions,
} from '../engine/worker/handler.ts'
import type { Seen } from '../handlers/usage-meter.ts'

/** Methods of `ctx` that are answered, and those of what it has. */
type OwnMethod = {
  [Name in keyof JobContext]: JobContext[Name] extends (...args: never[]) => Promise<unknown> ? Name : never
}[keyof JobContext]
export type CrossingMethod = OwnMethod | `secrets.${keyof JobContext['secrets']}`

/**
 * A function among the arguments stays in the child, and is called back by message: what it returns crosses as JSON.
 */
export interface Crossing {
  /** The arguments as they cross, where they cannot as they are. */
  readonly args?: (...given: never[]) => readonly unknown[]
  /**
   * Methods of what the function is handed; the child calls them by message. Without it, what it is handed crosses as it is,
   * but for a signal: the child has its own.
   */
  readonly lends?: readonly string[]
  /** Of calls with these arguments only. */
  readonly lendsIf?: (args: readonly unknown[]) => boolean
  /** What the function would find there and cannot have; what to do instead. */
  readonly keeps?: Readonly<Record<string, string>>
}

const lentTransaction: Crossing = {
  lends: ['sql', 'query'],
  keeps: {
    client: 'Use tx.sql or tx.query, or make it a plain handler: run instead of handler and isolate.',
  },
}

/** Every method of `ctx` that is answered, once: the compiler names one that is missing. */
export const crossings: Readonly<Record<CrossingMethod, Crossing>> = {
  progress: {},
  enqueue: { args: enqueueArgs },
  transaction: lentTransaction,
  step: {
    ...lentTransaction,
    lendsIf: ([, , options]) => (options as StepOptions | null)?.transaction === true,
  },
  sleep: { args: () => refuseRest('sleep') },
  waitFor: { args: () => refuseRest('waitFor') },
  definition: {},
  'secrets.get': {},
}

/** What a call lends, if it lends anything. */
export function lentBy(
  { lends, lendsIf }: Crossing,
  args: readonly unknown[],
): readonly string[] | undefined {
  return lendsIf === undefined || lendsIf(args) ? lends : undefined
}

/** To give up its slot, a run must end; a child that is in the middle of one would have to be killed for it. */
function refuseRest(method: string): never {
  throw new EvertickError('invalid_option', `ctx.${method} is not for an isolated handler.`, {
    field: 'isolate',
    next: `Sleep or wait in a plain handler, and enqueue the isolated job from it.`,
  })
}

/** A job that `defineJob` has made has functions in it; its name says as much. */
function enqueueArgs(job: JobReference, input?: unknown, options?: EnqueueOptions): readonly unknown[] {
  if (options?.tx !== undefined) {
    throw new EvertickError(
      'invalid_option',
      'The tx of an enqueue does not cross into an isolated handler.',
      {
        field: 'tx',
        next: 'Enqueue without tx, or make it a plain handler: run instead of handler and isolate.',
      },
    )
  }
  return [typeof job === 'string' ? job : job.name, input, options]
}

/** All of `ctx` that is data: whatever is neither called nor listened to. */
export type PlainContext = Omit<JobContext, OwnMethod | 'signal' | 'log' | 'secrets'>

/** A method of `ctx`; the function that was given with a call; or a method of what that function was handed. */
export type Address =
  | { readonly of: 'ctx'; readonly name: string }
  | { readonly of: number; readonly name: string | null }

export interface CallMessage {
  readonly kind: 'call'
  readonly run: number
  readonly call: number
  readonly to: Address
  readonly args: readonly unknown[]
  /** Which argument is a function; it stays where it is. -1: none. */
  readonly functionAt: number
}

export type AnswerMessage = { readonly run: number; readonly call: number } & (
  | { readonly kind: 'answer'; readonly value: unknown }
  | { readonly kind: 'refusal'; readonly error: ExecutionError }
)

export type ToChild =
  | { readonly kind: 'run'; readonly run: number; readonly context: PlainContext }
  | { readonly kind: 'abort'; readonly run: number; readonly error: ExecutionError }
  | CallMessage
  | AnswerMessage

export type ToNode =
  | {
      readonly kind: 'log'
      readonly run: number
      readonly level: keyof ExecutionLog
      readonly message: string
      readonly details: object | undefined
    }
  /** Of a thread: all it has used so far. Said before its end, and before a transaction of it is committed. */
  | ({ readonly kind: 'used'; readonly run: number } & Seen)
  /** `result` is JSON. */
  | { readonly kind: 'returned'; readonly run: number; readonly result: string | null }
  | {
      readonly kind: 'signalled'
      readonly run: number
      readonly message: string
      readonly outcome: HandlerOutcome
    }
  | { readonly kind: 'threw'; readonly run: number; readonly error: ExecutionError }
  /** Its module cannot be loaded, or has no handler. Node keeps that, so the child is of no use. */
  | {
      readonly kind: 'unfit'
      readonly run: number
      readonly error: ExecutionError
      readonly forGood: boolean
    }
  /** It is about to die of an error that nobody caught. */
  | { readonly kind: 'uncaught'; readonly error: ExecutionError }
  | CallMessage
  | AnswerMessage

/** An error of the other side, with all that crossed of it. */
export function errorOf({ name, message, stack, code }: ExecutionError): Error {
  const error = new Error(message)
  Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true })
  if (stack !== undefined)
    Object.defineProperty(error, 'stack', { value: stack, configurable: true, writable: true })
  return code === undefined ? error : Object.assign(error, { code })
}
