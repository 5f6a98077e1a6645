/** A command line in this process: for many of them, where a process for each would take minutes. */
import { PassThrough, Readable } from 'node:stream'
import { reportError } from '../../src/cli/error-report.ts'
import { exitCodeOf } from '../../src/cli/exit-code.ts'
import { Terminal } from '../../src/cli/output/terminal.ts'
import { createProgram } from '../../src/cli/program.ts'
import type { Cli } from '../../src/cli/session.ts'
import type { RunOptions } from './run-cli.ts'

/** What a command reads from standard input: that of the tests has no end. */
export const typed = 'Bearer typed-7f3a9c'
Object.defineProperty(process, 'stdin', { configurable: true, get: () => Readable.from([`${typed}\n`]) })

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** As `main` does it, up to the end of the process. `tty`: as on a terminal with colours. */
export async function inProcess(
  args: readonly string[],
  { cwd, env = {}, tty = false }: RunOptions & { readonly tty?: boolean },
): Promise<Ran> {
  const [stdout, stderr] = [capture(tty), capture(tty)]
  const terminal = new Terminal(stdout.stream, stderr.stream, args.includes('--json'))
  const cli: Cli = { terminal, env, cwd, exitCode: 0 }
  try {
    await createProgram(cli).parseAsync([...args], { from: 'user' })
  } catch (error) {
    cli.exitCode = exitCodeOf(error)
    if (cli.exitCode !== 0) reportError(error, terminal)
  }
  return { code: cli.exitCode, stdout: stdout.text(), stderr: stderr.text() }
}

function capture(isTTY: boolean): { readonly stream: NodeJS.WriteStream; readonly text: () => string } {
  const stream = new PassThrough()
  let text = ''
  stream.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  return {
    stream: Object.assign(stream, {
      isTTY,
      columns: 118,
      hasColors: () => true,
    }) as unknown as NodeJS.WriteStream,
    text: () => text,
  }
}
