/** Bytes that a program writes, as lines: bounded, without secrets, whole characters, nothing that a database could not keep. */
import { StringDecoder } from 'node:string_decoder'
import type { Redact } from '../core/job/secret-values.ts'

const longestLine = 4_000

export class OutputLines {
  readonly #decoder = new StringDecoder('utf8')
  readonly #redact: Redact
  readonly #onLine: (line: string) => void
  #rest = ''
  /** Characters of the current line that were dropped. */
  #dropped = 0

  constructor(redact: Redact, onLine: (line: string) => void) {
    this.#redact = redact
    this.#onLine = onLine
  }

  write(bytes: Buffer): void {
    this.#add(this.#decoder.write(bytes))
  }

  end(): void {
    this.#add(this.#decoder.end())
    if (this.#rest !== '' || this.#dropped > 0) this.#line()
  }

  #add(text: string): void {
    const [first = '', ...others] = text.split('\n')
    this.#extend(first)
    for (const other of others) {
      this.#line()
      this.#extend(other)
    }
  }

  /** A line without an end must not become an endless string. */
  #extend(text: string): void {
    const room = longestLine - this.#rest.length
    this.#rest += text.slice(0, room)
    this.#dropped += Math.max(0, text.length - room)
  }

  #line(): void {
    const cut = this.#dropped > 0 ? ` … ${this.#dropped} more characters` : ''
    const line = this.#redact(this.#rest, this.#dropped > 0)
      .replace(/\r$/, '')
      .replaceAll('\0', '\u{fffd}')
      .toWellFormed()
    this.#rest = ''
    this.#dropped = 0
    this.#onLine(line + cut)
  }
}

const tailLines = 20
const tailLength = 4_000

/** The last lines, for results and errors. */
export class OutputTail {
  #lines: string[] = []

  add(line: string): void {
    this.#lines.push(line)
    if (this.#lines.length > tailLines) this.#lines.shift()
  }

  get text(): string {
    return this.#lines.join('\n').slice(-tailLength).toWellFormed()
  }
}
