/** Runs one command line, reports what went wrong, and exits with the documented code. */
import { reportError } from './error-report.ts'
import { exitCodeOf, exitCodes } from './exit-code.ts'
import { Terminal } from './output/terminal.ts'
import { createProgram } from './program.ts'
import type { Cli } from './session.ts'

export async function main(): Promise<void> {
  const terminal = new Terminal(process.stdout, process.stderr, wantsJson(process.argv.slice(2)))
  hideExperimentalWarnings(terminal)
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
  // A configuration file may have opened something that keeps the process alive, but the command is done.
  process.exit(cli.exitCode)
}

/** Read before the line is parsed, so that a usage error is also reported as JSON. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return args.slice(0, end < 0 ? args.length : end).includes('--json')
}

/** Node 22 warns that SQLite and type stripping are experimental; whoever runs a command cannot change that. */
function hideExperimentalWarnings({ err }: Terminal): void {
  process.removeAllListeners('warning')
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') err.write(`${warning.name}: ${warning.message}`)
  })
}
