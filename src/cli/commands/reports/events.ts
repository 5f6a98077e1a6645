/** `evertick events --follow`: changes as they happen. */
import type { Command } from 'commander'
import { signalExitCodes } from '../../exit-code.ts'
import { examples } from '../../help.ts'
import { stateStyles } from '../../output/execution-state.ts'
import { plainText } from '../../output/plain-text.ts'
import type { Style, Terminal } from '../../output/terminal.ts'
import { localFormat, localText } from '../../output/times.ts'
import { type Cli, type Session, withEvertick } from '../../session.ts'
import { stopSignal } from '../../stop-signal.ts'
import type { SystemEvent } from '../../system.ts'

interface EventsOptions {
  readonly follow?: true
  readonly job?: string
}

export function addEvents(program: Command, cli: Cli): void {
  const command = program
    .command('events')
    .summary('watch changes as they happen')
    .description(
      'Prints a line for each change on any node until Ctrl-C: executions, jobs, leases and the leader. With --json, each line is a JSON value.',
    )
    .option('--follow', 'print changes from now on (required)')
    .option('--job <job>', 'only changes to this job')
    .action((options: EventsOptions) => {
      if (options.follow !== true) {
        command.error(
          'error: add --follow: `events` only prints changes from now on; `executions list` and `audit-log` show the past',
        )
      }
      return withEvertick(cli, command, (session) => follow(cli, session, options))
    })
  examples(command, [['events --follow'], ['events --follow --job nightly-report --json']])
}

async function follow(
  cli: Cli,
  { evertick, terminal, times }: Session,
  { job }: EventsOptions,
): Promise<void> {
  const only = job === undefined ? null : (await evertick.jobs.get(job)).name
  const controller = new AbortController()
  const signalled = stopSignal()
  void signalled.then(() => controller.abort())
  const format = localFormat(times.timezone)
  const print = (event: SystemEvent) => {
    if (only !== null && !concerns(event, only)) return
    const at = new Date()
    if (terminal.json) terminal.out.write(JSON.stringify({ at, ...event }))
    else writeLine(terminal, localText(format, at).join(' '), event)
  }
  terminal.say(`Waiting for events${only === null ? '' : ` for "${plainText(only)}"`}. Press Ctrl-C to stop.`)
  await evertick.follow(print, controller.signal)
  if (controller.signal.aborted) cli.exitCode = signalExitCodes[await signalled]
}

/** An event without a job may concern any job. */
function concerns(event: SystemEvent, job: string): boolean {
  if (event.type === 'reset') return true
  return event.type !== 'leader' && (event.job === null || event.job === job)
}

function writeLine({ out }: Terminal, at: string, event: SystemEvent): void {
  const [style, ...words] = wordsOf(event)
  out.write(
    [out.paint('dim', at), out.paint(style, event.type.padEnd(10)), ...words.map(plainText)].join('  '),
  )
}

function wordsOf(event: SystemEvent): [style: Style, ...words: string[]] {
  switch (event.type) {
    case 'execution':
      return [stateStyles[event.state], event.job, event.state, event.id]
    case 'executions':
      return ['dim', event.job ?? 'many jobs', 'many executions changed']
    case 'job':
      return ['strong', event.job, event.deleted ? 'deleted' : 'changed']
    case 'lease':
      return ['late', event.job, 'lease expired', event.id]
    case 'leader':
      return event.instance === null
        ? ['strong', 'there is no leader']
        : ['strong', event.instance, `leads, term ${event.termId}`]
    case 'reset':
      return ['late', 'some events were missed']
  }
}
