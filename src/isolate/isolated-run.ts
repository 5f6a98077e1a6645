/** One run in one child: its context crosses, its calls are answered, and it is ended for real where it is told to stop. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Usage } from '../core/attempt/usage.ts'
import { EvertickError } from '../core/error.ts'
import type { QuotaSpec } from '../core/job/options.ts'
import type { Redact } from '../core/job/secret-values.ts'
import type { JobContext } from '../engine/worker/handler.ts'
import { errorFrom, OutcomeSignal } from '../engine/worker/outcome-signal.ts'
import { OutputLines } from '../handlers/output-lines.ts'
import { RunWatch } from '../handlers/run-watch.ts'
import type { Seen } from '../handlers/usage-meter.ts'
import {
  type CallMessage,
  type CrossingMethod,
  crossings,
  errorOf,
  lentBy,
  type PlainContext,
  type ToNode,
} from './border.ts'
import { type AnyFunction, Calls, sendable } from './calls.ts'
import { crashSignal, type Death } from './death.ts'
import type { Isolate } from './isolate.ts'
import type { ChildListener } from './transport.ts'

/** The time between the abort of the signal and the end of the child. */
const graceMs = 2_000
/** Where another worker may begin it a second after: it must have ended here by then. */
const shortGraceMs = 500
/** A thread inside a call of the system ends only after it; nobody waits longer than this for that. */
const goneMs = 500

type Inside = ReturnType<typeof AsyncLocalStorage.snapshot>

export interface RunParts {
  readonly quota: QuotaSpec
  /** Takes what the attempt has opened out of what the child prints. */
  readonly redact: Redact
  readonly timer: (ms: number, callback: () => void) => () => void
}

export class IsolatedRun implements ChildListener {
  readonly #child: Isolate
  readonly #run: number
  readonly #context: JobContext
  readonly #timer: RunParts['timer']
  readonly #calls: Calls
  readonly #result = Promise.withResolvers<unknown>()
  readonly #lines: Record<'stdout' | 'stderr', OutputLines>
  /** By the call that it came with: what a function was handed, to which the child's calls go. */
  readonly #handed = new Map<number, Readonly<Record<string, AnyFunction>>>()
  /** What is asked during a transaction is asked inside it, as if the handler stood here. */
  readonly #inside: Inside[] = [AsyncLocalStorage.snapshot()]
  readonly #watch: RunWatch
  /** How it ended; a child that dies right after that has done its run. */
  #hasSaid = false
  #cancelTimer: () => void = () => {}

  constructor(child: Isolate, run: number, context: JobContext, { quota, redact, timer }: RunParts) {
    this.#child = child
    this.#run = run
    this.#context = context
    this.#timer = timer
    this.#watch = new RunWatch(quota, child.beginRun(), () => child.kill())
    this.#calls = new Calls(run, (message) => child.post(message))
    const linesTo = (write: (line: string) => void) => new OutputLines(redact, write)
    const { log } = context
    this.#lines = { stdout: linesTo((line) => log.info(line)), stderr: linesTo((line) => log.warn(line)) }
  }

  get usage(): Usage | null {
    return this.#watch.usage
  }

  /** What the handler returned; or throws what it threw, why it was stopped, or how it died. */
  async ended(): Promise<unknown> {
    const { signal } = this.#context
    const stop = () => this.#stop(signal)
    try {
      signal.throwIfAborted()
      signal.addEventListener('abort', stop, { once: true })
      this.#child.listen(this)
      const context = plainContext(this.#context)
      sendable('The input', () => this.#child.post({ kind: 'run', run: this.#run, context }))
      return await this.#result.promise
    } finally {
      signal.removeEventListener('abort', stop)
      this.#cancelTimer()
      this.#watch.lookLast()
      this.#watch.end()
      this.#child.listen(null)
      this.#calls.end(new EvertickError('handler_crashed', 'The handler that asked for it has ended.'))
      this.#lines.stdout.end()
      this.#lines.stderr.end()
    }
  }

  message(message: ToNode): void {
    if (message.kind === 'uncaught' || message.run !== this.#run) return
    switch (message.kind) {
      case 'log':
        return this.#context.log[message.level](message.message, message.details)
      case 'call':
        return void this.#calls.answer(message, () => this.#inside.at(-1)?.(() => this.#answer(message)))
      case 'answer':
      case 'refusal':
        return this.#calls.hear(message)
      case 'used':
        return this.#used(message)
      case 'returned':
        return this.#settle(() => this.#result.resolve(JSON.parse(message.result ?? 'null')))
      case 'signalled':
        return this.#settle(() => this.#result.resolve(new OutcomeSignal(message.message, message.outcome)))
      case 'threw':
        return this.#settle(() => this.#result.reject(errorOf(message.error)))
      case 'unfit': {
        this.#child.kill()
        const { error, forGood } = message
        const signal = new OutcomeSignal(error.message, { kind: 'fail', error })
        return this.#settle(() => this.#result.reject(forGood ? signal : errorOf(error)))
      }
    }
  }

  output(stream: 'stdout' | 'stderr', bytes: Buffer): void {
    this.#watch.printed(bytes.length)
    this.#lines[stream].write(bytes)
  }

  died(death: Death): void {
    if (this.#hasSaid) return
    const { signal, job } = this.#context
    const { mode } = this.#child.options
    const why: unknown = signal.aborted ? signal.reason : this.#watch.exceeded
    this.#result.reject(why ?? crashSignal(job, mode, death))
  }

  #used(seen: Seen): void {
    this.#watch.said(seen)
    this.#child.remember(seen)
  }

  /** What it has printed was written before it said that it has ended, and is read in the same turn: after that, it is all here. */
  #settle(settle: () => void): void {
    this.#hasSaid = true
    setImmediate(settle)
  }

  #stop(signal: AbortSignal): void {
    const reason: unknown = signal.reason
    this.#child.post({ kind: 'abort', run: this.#run, error: errorFrom(reason) })
    this.#cancelTimer = this.#timer(graceOf(reason), () => {
      this.#child.kill()
      this.#cancelTimer = this.#timer(goneMs, () => this.#result.reject(reason))
    })
  }

  /** The child calls a method of `ctx`, or of what a function of its own was handed. */
  #answer({ call, to, args, functionAt }: CallMessage): unknown {
    if (to.of !== 'ctx') {
      const method = to.name === null ? undefined : this.#handed.get(to.of)?.[to.name]
      if (method === undefined)
        throw new Error(`${to.name} was not lent, or the call that lent it has ended.`)
      return method(...args)
    }
    const name = to.name as CrossingMethod
    const lends = lentBy(crossings[name], args)
    const back = async (...handed: unknown[]) => await this.#callBack(call, handed, lends)
    const given = args.map((arg, index) => (index === functionAt ? back : arg))
    return methodOf(this.#context, name)(...given)
  }

  async #callBack(
    call: number,
    given: readonly unknown[],
    lends: readonly string[] | undefined,
  ): Promise<unknown> {
    const inside = AsyncLocalStorage.snapshot()
    this.#inside.push(inside)
    if (lends !== undefined) this.#handed.set(call, methodsOf(given[0], lends))
    try {
      return await this.#calls.ask(
        { of: call, name: null },
        lends === undefined ? given.map(withoutSignal) : [],
      )
    } finally {
      // Where it was a transaction, it is committed next.
      this.#watch.lookLast()
      this.#handed.delete(call)
      this.#inside.splice(this.#inside.indexOf(inside), 1)
    }
  }
}

function methodsOf(handed: unknown, names: readonly string[]): Readonly<Record<string, AnyFunction>> {
  const owner = handed as Readonly<Record<string, AnyFunction>>
  return Object.fromEntries(names.map((name) => [name, (...args: unknown[]) => owner[name]?.(...args)]))
}

/** The child puts its own there. */
function withoutSignal(handed: unknown): unknown {
  const hasSignal = typeof handed === 'object' && handed !== null && 'signal' in handed
  return hasSignal ? { ...handed, signal: null } : handed
}

function methodOf(context: JobContext, name: CrossingMethod): AnyFunction {
  if (name === 'secrets.get') return (secret) => context.secrets.get(secret as string)
  return context[name] as AnyFunction
}

/** Whatever it has that is data. */
function plainContext(context: JobContext): PlainContext {
  const data = Object.entries(context).filter(
    ([name, value]) => !['signal', 'log', 'secrets'].includes(name) && typeof value !== 'function',
  )
  return Object.fromEntries(data) as unknown as PlainContext
}

/** Another worker soon runs it: a stopping node gives its work back, and a lost lease has another holder. */
function graceOf(reason: unknown): number {
  const passesOn = reason instanceof EvertickError && ['not_running', 'stale_lease'].includes(reason.code)
  return passesOn ? shortGraceMs : graceMs
}
