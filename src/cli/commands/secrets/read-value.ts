/** The value of a secret: from standard input, or typed without being shown. */

import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text as readStream } from 'node:stream/consumers'
import { EvertickError } from '../../../core/error.ts'
import type { Cli } from '../../session.ts'

export async function readValue({ terminal }: Pick<Cli, 'terminal'>, name: string): Promise<string> {
  // The line break that `echo` and editors put at the end is not meant.
  if (!process.stdin.isTTY) return (await readStream(process.stdin)).replace(/\r?\n$/, '')
  if (!terminal.err.tty || terminal.json)
    throw new EvertickError('invalid_option', 'There is no value, and nobody to ask for it.', {
      field: 'value',
      next: `Write it to standard input: \`evertick secrets set ${name} < file\`.`,
    })
  // What is typed is echoed to where readline writes: nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const prompt = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 })
  prompt.on('SIGINT', () => prompt.close())
  terminal.err.writeText(`Value of "${name}" (not shown): `)
  try {
    const closed = new Promise<null>((resolve) => prompt.once('close', () => resolve(null)))
    const typed = await Promise.race([prompt.question(''), closed])
    if (typed === null) throw new EvertickError('invalid_option', 'Nothing was set.', { field: 'value' })
    return typed
  } finally {
    prompt.close()
    terminal.err.writeText('\n')
  }
}
