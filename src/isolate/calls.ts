/** Calls over the border in both directions, of one run: who asks gets a promise, and a function that is given is called back. */
import { EvertickError } from '../core/error.ts'
import { messageOf } from '../core/unknown-value.ts'
import { errorFrom } from '../engine/worker/outcome-signal.ts'
import { type Address, type AnswerMessage, type CallMessage, errorOf } from './border.ts'

export type AnyFunction = (...args: unknown[]) => unknown

interface OpenCall extends PromiseWithResolvers<unknown> {
  readonly to: Address
  readonly args: readonly unknown[]
  /** The function among its arguments. */
  readonly given: AnyFunction | null
}

export class Calls {
  readonly #run: number
  readonly #post: (message: CallMessage | AnswerMessage) => void
  readonly #open = new Map<number, OpenCall>()
  #last = 0
  #ended: Error | null = null

  constructor(run: number, post: (message: CallMessage | AnswerMessage) => void) {
    this.#run = run
    this.#post = post
  }

  async ask(to: Address, given: readonly unknown[]): Promise<unknown> {
    if (this.#ended !== null) throw this.#ended
    this.#last += 1
    const call = this.#last
    const functionAt = given.findIndex((arg) => typeof arg === 'function')
    const args = given.map((arg, index) => (index === functionAt ? null : arg))
    const open = Promise.withResolvers<unknown>()
    this.#open.set(call, { ...open, to, args, given: (given[functionAt] ?? null) as AnyFunction | null })
    try {
      sendable(`What ${to.name} was given`, () =>
        this.#post({ kind: 'call', run: this.#run, call, to, args, functionAt }),
      )
      return await open.promise
    } finally {
      this.#open.delete(call)
    }
  }

  /** A call of ours that nobody has answered yet. */
  open(call: number): Pick<OpenCall, 'to' | 'args' | 'given'> | undefined {
    return this.#open.get(call)
  }

  hear(message: AnswerMessage): void {
    const open = this.#open.get(message.call)
    if (message.kind === 'answer') open?.resolve(message.value)
    else open?.reject(errorOf(message.error))
  }

  async answer({ call }: CallMessage, work: () => unknown): Promise<void> {
    const run = this.#run
    try {
      this.#post({ kind: 'answer', run, call, value: await work() })
    } catch (error) {
      this.#post({ kind: 'refusal', run, call, error: errorFrom(error) })
    }
  }

  /** Nobody is there any more to answer what is open. */
  end(why: Error): void {
    this.#ended = why
    for (const open of this.#open.values()) open.reject(why)
  }
}

/** Whatever keeps a message from being sent is in the message: a child that is gone is heard of otherwise. */
export function sendable(what: string, send: () => void): void {
  try {
    send()
  } catch (cause) {
    throw new EvertickError(
      'invalid_option',
      `${what} does not cross the border of an isolated handler: ${messageOf(cause)}`,
      {
        next: 'Pass plain data: no functions, no promises, no connections.',
        cause,
      },
    )
  }
}
