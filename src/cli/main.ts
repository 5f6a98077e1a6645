/** Runs one command line, tells what went wrong, and ends the process with the code that the contract names. */
import { reportError } from './error-report.ts'
import { exitCodeOf, exitCodes } from './exit-code.ts'
import { Terminal } from './output/terminal.ts'
import { createProgram } from './program.ts'
import type { Cli } from './session.ts'

export async function main(): Promise<void> {
  const terminal = new Terminal(process.stdout, process.stderr, wantsJson(process.argv.slice(2)))
  quietExperiments(terminal)
  const cli: Cli = { terminal, env: process.env, cwd: process.cwd(), exitCode: exitCodes.ok }
  try {
    await createProgram(cli).parseAsync(process.argv)
  } catch (error) {
    cli.exitCode = exitCodeOf(error)
    if (cli.exitCode !== exitCodes.ok) reportError(error, terminal)
    if (process.env.EVERTICK_LOG_LEVEL === 'debug' && error instanceof Error)
      terminal.err.write(`${error.stack}`)
  }
  await terminal.out.flushed()
  await terminal.err.flushed()
  // A configuration may have opened what keeps a process alive; its command is done all the same.
  process.exit(cli.exitCode)
}

/** Known before the line is parsed, so that a line that cannot be parsed is answered in JSON, too. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return args.slice(0, end < 0 ? args.length : end).includes('--json')
}

/** Node 22 calls its SQLite and type stripping experiments; a person who runs a command cannot do anything about it. */
function quietExperiments({ err }: Terminal): void {
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') err.write(`${warning.name}: ${warning.message}`)
  })
}
