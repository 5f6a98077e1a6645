/**
 * One client: a stream that is filled as fast as the client reads it. A client that does not keep up costs no more than
 * this queue: what waits for it is dropped, it is told to fetch anew, and its stream ends.
 */

/** How much may wait for a client, in addition to what its socket holds. */
const longestQueue = 256 * 1_024

const encoder = new TextEncoder()

export class Subscriber {
  readonly stream: ReadableStream<Uint8Array>
  readonly #onGone: () => void
  #queue: string[] = []
  #queued = 0
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null
  #wake: (() => void) | null = null
  #ending = false
  #gone = false

  /** `onGone` is called once, when the client has left or has read the end. */
  constructor(onGone: () => void) {
    this.#onGone = onGone
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#pull(),
        cancel: () => this.#leave(),
      },
      { highWaterMark: 0 },
    )
  }

  /** `reset` is sent instead if the client's queue is full. */
  push(frames: string, reset: () => string): void {
    if (this.#ending || this.#gone) return
    this.#queue.push(frames)
    this.#queued += frames.length
    if (this.#queued > longestQueue) {
      this.#queue = [reset()]
      this.#ending = true
    }
    this.#deliver()
  }

  /** Ends the stream at once; what waits is dropped. */
  end(): void {
    this.#ending = true
    this.#queue = []
    this.#deliver()
  }

  /** The client asks for more: it waits here until there is something. */
  async #pull(): Promise<void> {
    if (this.#deliverNow()) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
  }

  #deliver(): void {
    const wake = this.#wake
    // The client does not read yet: an end need not wait for it, events do.
    if (wake === null && !(this.#ending && this.#queue.length === 0)) return
    if (!this.#deliverNow()) return
    this.#wake = null
    wake?.()
  }

  /** False where there was nothing to give. */
  #deliverNow(): boolean {
    if (this.#gone) return true
    const text = this.#queue.join('')
    this.#queue = []
    this.#queued = 0
    if (text !== '') this.#controller?.enqueue(encoder.encode(text))
    if (this.#ending) {
      this.#controller?.close()
      this.#leave()
    }
    return text !== '' || this.#ending
  }

  #leave(): void {
    if (this.#gone) return
    this.#gone = true
    this.#queue = []
    this.#wake?.()
    this.#wake = null
    this.#onGone()
  }
}
