/**
 * The program and arguments of a line that needs no shell: an absolute path and plain words, quoted or not. Null where a
 * shell would make anything else of it than the words themselves.
 */
const word = /[\w./:=@,+-]+|'[^'\\]*'|"[^"\\$`!]*"/y
const space = /[ \t]+/y

export function plainArgv(command: string): string[] | null {
  const argv: string[] = []
  let at = 0
  while (at < command.length) {
    let text = ''
    const start = at
    // Pieces that touch are one word: --name='a b'.
    for (let piece = matchAt(word, command, at); piece !== null; piece = matchAt(word, command, at)) {
      text += /^['"]/.test(piece) ? piece.slice(1, -1) : piece
      at += piece.length
    }
    if (at === start) return null
    argv.push(text)
    const gap = matchAt(space, command, at)
    if (gap === null && at < command.length) return null
    at += gap?.length ?? 0
  }
  const [program = ''] = argv
  return /^(?:\/[\w.+-]+)+$/.test(program) && !/\/\.{1,2}(?:\/|$)/.test(program) ? argv : null
}

/** The way back: a text that `plainArgv` reads as these words; null where there is none. */
export function argvText(argv: readonly string[]): string | null {
  const text = argv.map(quoted).join(' ')
  const read = plainArgv(text)
  return read?.length === argv.length && read.every((one, index) => one === argv[index]) ? text : null
}

function quoted(text: string): string {
  if (/^[\w./:=@,+-]+$/.test(text)) return text
  return text.includes("'") ? `"${text}"` : `'${text}'`
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? null
}
