/**
 * Data goes to standard output, words to standard error; colour only where a person is looking. Everything that is written
 * passes through here, and the only control codes that get through are our own colours.
 */
import { type Colour, coloured, terminalText } from './colour.ts'

/** Each colour has a meaning, and a letter or a shape says the same without colour. */
const styles = {
  ran: [32, 39],
  failed: [31, 39],
  late: [33, 39],
  running: [34, 39],
  caught_up: [36, 39],
  coalesced: [36, 39],
  skipped: [90, 39],
  paused: [35, 39],
  dim: [90, 39],
  strong: [1, 22],
} as const satisfies Readonly<Record<string, Colour>>
export type Style = keyof typeof styles

export class Stream {
  readonly tty: boolean
  readonly #stream: NodeJS.WriteStream
  readonly #colour: boolean
  #gone = false

  constructor(stream: NodeJS.WriteStream, onGone: () => void) {
    this.#stream = stream
    this.tty = stream.isTTY
    // hasColors() respects NO_COLOR, FORCE_COLOR and TERM=dumb.
    this.#colour = stream.isTTY && stream.hasColors()
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // The reader has left (`| head`): nobody is there to tell, and nothing is wrong.
      if (error.code !== 'EPIPE') throw error
      this.#gone = true
      onGone()
    })
  }

  get columns(): number {
    return this.tty ? this.#stream.columns : Number.POSITIVE_INFINITY
  }

  write(line: string): void {
    this.writeText(`${line}\n`)
  }

  /** For text that already has its line ends. */
  writeText(text: string): void {
    this.#send(terminalText(text))
  }

  /** For what is no text. */
  get binary(): NodeJS.WriteStream {
    return this.#stream
  }

  /** For a line that is redrawn, such as a progress bar. */
  rewriteLine(text: string): void {
    this.#send(`\r${terminalText(text)}`)
  }

  clearLine(): void {
    this.#send('\r\u001b[2K')
  }

  paint(style: Style, text: string): string {
    return this.#colour ? coloured(styles[style], text) : text
  }

  #send(text: string): void {
    if (!this.#gone) this.#stream.write(text)
  }

  /** Resolves when everything written has been handed over. */
  async flushed(): Promise<void> {
    if (this.#gone) return
    await new Promise<void>((resolve) => {
      this.#stream.write('', () => resolve())
    })
  }
}

export class Terminal {
  readonly out: Stream
  readonly err: Stream
  readonly json: boolean
  /** Set by a command that keeps working when nobody reads its output. */
  keepGoing = false

  constructor(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream, json: boolean) {
    this.json = json
    this.out = new Stream(stdout, () => {
      if (!this.keepGoing) process.exit()
    })
    this.err = new Stream(stderr, () => {})
  }

  /** The answer of a command: one JSON value with `--json`, otherwise whatever `show` writes. */
  answer(value: unknown, show: (out: Stream) => void): void {
    if (this.json) this.data(value)
    else show(this.out)
  }

  /** The outcome of a change: one JSON value with `--json`, otherwise a sentence and, for scripts, an id. */
  report(value: unknown, sentence: string, id?: string): void {
    this.answer(value, (out) => {
      this.say(sentence)
      if (id !== undefined) out.write(id)
    })
  }

  data(value: unknown): void {
    this.out.write(JSON.stringify(value, null, this.out.tty ? 2 : undefined))
  }

  /** For data that is no text. Whoever reads it and leaves early has not got it: that is an error of the command. */
  binary(): NodeJS.WriteStream {
    this.keepGoing = true
    return this.out.binary
  }

  /** A sentence for a person; not printed with `--json`. */
  say(sentence: string): void {
    if (!this.json) this.err.write(sentence)
  }
}
