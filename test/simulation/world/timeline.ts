/**
 * Virtual time: a queue of events ordered by (time, dice, sequence). One is taken, run, and all microtasks that follow
 * from it are drained before the next.
 */
import { Violation } from '../check/violation.ts'
import type { Random } from './random.ts'

/** Whose events they are. The dead have none; the frozen find theirs when they wake. */
export interface Owner {
  readonly name: string
  fate: 'alive' | 'frozen' | 'dead'
}

export interface Event {
  at: number
  readonly dice: number
  readonly sequence: number
  readonly owner: Owner
  /** Null once it is cancelled. */
  run: (() => void) | null
}

/** More events than this within one virtual second is a loop that never rests. */
const busiestSecond = 40_000

export class Timeline {
  now: number
  /** Whose event is running. */
  current: Owner | null = null
  readonly #random: Random
  readonly #afterEach: () => void
  readonly #heap: Event[] = []
  readonly #frozen: Event[] = []
  #sequence = 0
  #second = 0
  #inSecond = 0
  events = 0

  constructor(start: number, random: Random, afterEach: () => void) {
    this.now = start
    this.#random = random
    this.#afterEach = afterEach
  }

  after(ms: number, owner: Owner, run: () => void): Event {
    const at = this.now + Math.max(0, ms)
    const event = { at, dice: this.#random.next(), sequence: this.#sequence++, owner, run }
    this.#push(event)
    return event
  }

  /** The owner's events that still wait: none, once it has stopped as it should. */
  pending(owner: Owner): number {
    return [...this.#heap, ...this.#frozen].filter((event) => event.owner === owner && event.run !== null)
      .length
  }

  /** What fell due meanwhile happens now, in its old order. */
  thaw(owner: Owner): void {
    const kept = this.#frozen.splice(0)
    for (const event of kept) {
      if (event.owner !== owner) {
        this.#frozen.push(event)
        continue
      }
      // The event itself, not a copy: whoever set it may still cancel it.
      event.at = this.now
      this.#push(event)
    }
  }

  /** Runs until an instant, or until `enough` says so. */
  async runUntil(until: number, enough: () => boolean = () => false): Promise<void> {
    for (let event = this.#heap[0]; event !== undefined && event.at <= until; event = this.#heap[0]) {
      this.#pop()
      if (event.run === null || event.owner.fate === 'dead') continue
      if (event.owner.fate === 'frozen') {
        this.#frozen.push(event)
        continue
      }
      this.now = event.at
      this.#refuseBusyLoop(event.owner)
      this.current = event.owner
      const { run } = event
      event.run = null
      run()
      await new Promise((resolve) => setImmediate(resolve))
      this.#afterEach()
      this.current = null
      if (enough()) return
    }
    this.now = Math.max(this.now, until)
  }

  #refuseBusyLoop({ name }: Owner): void {
    this.events += 1
    const second = Math.floor(this.now / 1_000)
    if (second !== this.#second) {
      this.#second = second
      this.#inSecond = 0
    }
    this.#inSecond += 1
    if (this.#inSecond > busiestSecond)
      throw new Violation(
        'no busy loop',
        `over ${busiestSecond} events within one second, the last of ${name}`,
      )
  }

  #push(event: Event): void {
    const heap = this.#heap
    let index = heap.push(event) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!isBefore(event, heap[parent] as Event)) break
      heap[index] = heap[parent] as Event
      index = parent
    }
    heap[index] = event
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let index = 0
    for (;;) {
      let child = index * 2 + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Event, heap[child] as Event)) child += 1
      if (!isBefore(heap[child] as Event, last)) break
      heap[index] = heap[child] as Event
      index = child
    }
    heap[index] = last
  }
}

function isBefore(a: Event, b: Event): boolean {
  if (a.at !== b.at) return a.at < b.at
  return a.dice === b.dice ? a.sequence < b.sequence : a.dice < b.dice
}
