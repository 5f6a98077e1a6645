/**
 * How each receiver does, as this node knows it: a few deliveries at once, and one at a time while it fails. Where it is quick,
 * the next waits a moment for its turn; else it comes back when there is likely to be room, spread out, so that a receiver
 * that hangs keeps no slot from the others.
 */
interface Receiver {
  running: number
  /** In a row. */
  failures: number
  /** While it fails, nothing goes to it before this instant. */
  retryAt: number
  /** How long a delivery takes, of late. */
  meanMs: number
  /** When it was last idle, or ended a delivery. */
  movedAt: number
  /** Until when those that found no room have been told to come back. */
  bookedUntil: number
  readonly waiting: (() => void)[]
}

/** `soon`: somebody ends in a moment. */
export type Turn =
  | { readonly kind: 'now' }
  | { readonly kind: 'soon' }
  | { readonly kind: 'later'; readonly afterMs: number }

export interface DeliveryEnd {
  readonly ok: boolean
  readonly tookMs: number
  /** The receiver itself has said when to come again. */
  readonly askedMs?: number
}

const atOnce = 3
const firstRetryMs = 1_000
const longestRetryMs = 5 * 60_000
/** Beyond that, those that wait share their instants: they would only be moved on again. */
const longestBookingMs = 10 * 60_000
const shortestMs = 20
/** A slot is worth more than a write, but not much more. */
const soonMs = 150
const stuckMs = 500

export class Receivers {
  readonly #receivers = new Map<string, Receiver>()
  readonly #random: () => number

  constructor(random: () => number) {
    this.#random = random
  }

  /** `now`: it counts as running until `end`. */
  begin(name: string, now: number): Turn {
    const receiver = this.#of(name)
    if (now < receiver.retryAt) return this.#later(receiver, receiver.retryAt, now)
    if (receiver.running < (receiver.failures > 0 ? 1 : atOnce)) {
      if (receiver.running === 0) receiver.movedAt = now
      receiver.running += 1
      return { kind: 'now' }
    }
    const moves = receiver.failures === 0 && now - receiver.movedAt < stuckMs
    const waitMs = ((receiver.waiting.length + 1) * receiver.meanMs) / atOnce
    return moves && waitMs <= soonMs ? { kind: 'soon' } : this.#later(receiver, now + receiver.meanMs, now)
  }

  /** Calls back when a delivery to it has ended; the returned function cancels. */
  whenFreed(name: string, callback: () => void): () => void {
    const { waiting } = this.#of(name)
    waiting.push(callback)
    return () => {
      const at = waiting.indexOf(callback)
      if (at >= 0) waiting.splice(at, 1)
    }
  }

  end(name: string, { ok, tookMs, askedMs = 0 }: DeliveryEnd, now: number): void {
    const receiver = this.#of(name)
    receiver.running -= 1
    receiver.movedAt = now
    receiver.meanMs = Math.max(shortestMs, (receiver.meanMs + tookMs) / 2)
    receiver.failures = ok ? 0 : receiver.failures + 1
    const backoff = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(20, receiver.failures - 1))
    receiver.retryAt = ok ? 0 : now + Math.max(backoff, askedMs)
    if (ok) receiver.bookedUntil = 0
    // Of a receiver that fails nobody need wait.
    for (const freed of receiver.waiting.splice(0, ok ? 1 : receiver.waiting.length)) freed()
  }

  #of(name: string): Receiver {
    const known = this.#receivers.get(name)
    if (known !== undefined) return known
    const begun = { running: 0, failures: 0, retryAt: 0, movedAt: 0, bookedUntil: 0 }
    const receiver: Receiver = { ...begun, meanMs: shortestMs, waiting: [] }
    this.#receivers.set(name, receiver)
    return receiver
  }

  /** One after the other, as fast as the receiver has taken them so far; and not all nodes at the same instant. */
  #later(receiver: Receiver, from: number, now: number): Turn {
    const apartMs = Math.max(receiver.meanMs, now - receiver.movedAt) / atOnce
    const last = Math.min(receiver.bookedUntil, now + longestBookingMs)
    receiver.bookedUntil = Math.max(from, last) + apartMs
    return { kind: 'later', afterMs: Math.ceil(receiver.bookedUntil - now + this.#random() * apartMs) }
  }
}
