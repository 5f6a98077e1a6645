/** `evertick jobs delete|pause|resume|cancel|retry|trigger|reset-cursor` */
import type { Command } from 'commander'
import type { ExecutionView } from '../../../app/views.ts'
import type { Duration } from '../../../core/schedule/schedule.ts'
import { choice, examples, jsonObject, jsonValue } from '../../help.ts'
import { plainText } from '../../output/plain-text.ts'
import { type Cli, type Session, withEvertick } from '../../session.ts'
import { type CommandForm, jobCommand } from './job-command.ts'

export function addDelete(parent: Command, cli: Cli, form: CommandForm = { name: 'delete' }): Command {
  const command = jobCommand(parent, form, '<job>')
    .description(
      'Deletes a job: cancels its unfinished executions and ends its schedule. Retention removes its history.',
    )
    .action((job: string) =>
      withEvertick(cli, command, async ({ evertick, terminal, actor }) => {
        const { id, name } = await evertick.jobs.get(job)
        await evertick.jobs.delete(id, { actor })
        terminal.report({ deleted: name, id }, `Deleted "${plainText(name)}".`)
      }),
    )
  return examples(command, [['jobs delete one-off']])
}

export function addPause(parent: Command, cli: Cli): void {
  const command = parent
    .command('pause <job>')
    .description(
      'Pauses a job; a deploy does not resume it. Ticks in the meantime are accounted for as skipped.',
    )
    .option('--reason <text>', 'why; shown with the job')
    .option('--until <when>', 'when to resume: an instant, or a duration such as 2h')
    .action((job: string, options: { reason?: string; until?: Duration }) =>
      withEvertick(cli, command, async (session) => {
        const view = await session.evertick.jobs.pause(job, { ...options, actor: session.actor })
        const until = view.pausedUntil === null ? '' : ` until ${session.times.at(view.pausedUntil)}`
        session.terminal.report(view, `Paused "${plainText(view.name)}"${until}.`)
      }),
    )
  examples(command, [['jobs pause nightly-report --reason "vendor is down" --until 2h']])
}

export function addResume(parent: Command, cli: Cli): void {
  const command = parent
    .command('resume <job>')
    .description('Resumes a paused, disabled, cancelled or completed job.')
    .addOption(
      choice('--catch-up <what>', 'what to do with ticks missed while paused (default: skip)', [
        'skip',
        'policy',
        'latest',
        'all',
      ]),
    )
    .action((job: string, options: { catchUp?: 'skip' | 'policy' | 'latest' | 'all' }) =>
      withEvertick(cli, command, async (session) => {
        const view = await session.evertick.jobs.resume(job, { ...options, actor: session.actor })
        session.terminal.report(
          view,
          `Resumed "${plainText(view.name)}". Next run ${session.times.both(view.nextRunAt)}.`,
        )
      }),
    )
  examples(command, [['jobs resume nightly-report'], ['jobs resume nightly-report --catch-up latest']])
}

export function addCancel(parent: Command, cli: Cli): void {
  const command = parent
    .command('cancel <job>')
    .description(
      'Cancels all unfinished executions of a job and ends its schedule; `jobs resume` starts it again.',
    )
    .action((job: string) =>
      withEvertick(cli, command, async (session) => {
        const view = await session.evertick.jobs.cancel(job, { actor: session.actor })
        session.terminal.report(view, `Cancelled "${plainText(view.name)}".`)
      }),
    )
  examples(command, [['jobs cancel nightly-report']])
}

export function addRetry(parent: Command, cli: Cli): void {
  const command = parent
    .command('retry <job>')
    .description('Runs the newest failed execution of a job again, as a new execution.')
    .action((job: string) =>
      withEvertick(cli, command, async (session) => {
        const execution = await session.evertick.jobs.retry(job, { actor: session.actor })
        reportExecution(session, execution, `Retrying the failed run of "${plainText(execution.job)}"`)
      }),
    )
  examples(command, [['jobs retry nightly-report']])
}

export function addTrigger(parent: Command, cli: Cli, form: CommandForm = { name: 'trigger' }): Command {
  const command = jobCommand(parent, form, '<job>')
    .description('Runs a job now and prints the id of the execution. Its schedule does not change.')
    .option('--input <json>', 'the input for the handler (default: the job’s own)', jsonValue)
    .option('--metadata <json>', 'an object to store with the execution', jsonObject)
    .option('--force', 'run it even if another run is in progress')
    .action((job: string, options: { input?: unknown; metadata?: Record<string, unknown>; force?: true }) =>
      withEvertick(cli, command, async (session) => {
        const execution = await session.evertick.jobs.trigger(job, { ...options, actor: session.actor })
        reportExecution(session, execution, `Triggered "${plainText(execution.job)}"`)
      }),
    )
  return examples(command, [
    ['jobs trigger nightly-report'],
    ['jobs run nightly-report --input \'{"day":"2027-01-01"}\''],
  ])
}

export function addResetCursor(parent: Command, cli: Cli): void {
  const command = parent
    .command('reset-cursor <job>')
    .description('Resets a cursor that a wrong clock moved into the future; `doctor` finds such jobs.')
    .action((job: string) =>
      withEvertick(cli, command, async (session) => {
        const view = await session.evertick.jobs.resetCursor(job, { actor: session.actor })
        const until = session.times.both(view.accountedUntil)
        session.terminal.report(view, `"${plainText(view.name)}" is accounted for until ${until}.`)
      }),
    )
  examples(command, [['jobs reset-cursor nightly-report']])
}

function reportExecution({ terminal }: Session, execution: ExecutionView, sentence: string): void {
  const waits = execution.state === 'blocked' ? '; it starts when the current run ends' : ''
  terminal.report(execution, `${sentence}${waits}:`, execution.id)
}
