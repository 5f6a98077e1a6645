/** Keeps a live log readable: a few lines a second, and one line for the rest. */
const perSecond = 12

export class LineBudget {
  readonly #write: (line: string) => void
  #timer: NodeJS.Timeout | null = null
  #written = 0
  #dropped = 0

  constructor(write: (line: string) => void) {
    this.#write = write
  }

  add(line: string): void {
    this.#timer ??= setTimeout(() => this.flush(), 1_000)
    this.#written += 1
    if (this.#written <= perSecond) this.#write(line)
    else this.#dropped += 1
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (this.#dropped > 0) this.#write(`… and ${this.#dropped.toLocaleString('en')} more in this second`)
    this.#timer = null
    this.#written = 0
    this.#dropped = 0
  }
}
