/**
 * A response that is text as a whole. Its body is a stream like any other's; a server of Node's need not read it, and
 * writes the text: one write in place of five promises, two reads and a timer.
 */
export class TextResponse extends Response {
  readonly whole: string

  constructor(text: string, init: ResponseInit) {
    super(text, init)
    this.whole = text
  }
}
