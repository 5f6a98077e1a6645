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
      'Deletes a job: cancels what is unfinished and ends its schedule. Its history goes by retention.',
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
    .description('Pauses a job; a deploy does not undo it. Ticks meanwhile are accounted as skipped: paused.')
    .option('--reason <text>', 'why, for those who wonder')
    .option('--until <when>', 'until an instant, or for a duration such as 2h')
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
    .description('Cancels all unfinished executions of a job and ends its schedule; `resume` revives it.')
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
        const made = await session.evertick.jobs.retry(job, { actor: session.actor })
        toldExecution(session, made, `Retrying the failed run of "${plainText(made.job)}"`)
      }),
    )
  examples(command, [['jobs retry nightly-report']])
}

export function addTrigger(parent: Command, cli: Cli, form: CommandForm = { name: 'trigger' }): Command {
  const command = jobCommand(parent, form, '<job>')
    .description('Runs a job now. It never uses up a tick; prints the id of the execution.')
    .option('--input <json>', 'what the handler is given (default: the job’s own input)', jsonValue)
    .option('--metadata <json>', 'an object to keep with the execution', jsonObject)
    .option('--force', 'run it beside what is under way')
    .action((job: string, options: { input?: unknown; metadata?: Record<string, unknown>; force?: true }) =>
      withEvertick(cli, command, async (session) => {
        const made = await session.evertick.jobs.trigger(job, { ...options, actor: session.actor })
        toldExecution(session, made, `Triggered "${plainText(made.job)}"`)
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
    .description('Brings back a cursor that a wrong clock has carried into the future; `doctor` finds them.')
    .action((job: string) =>
      withEvertick(cli, command, async (session) => {
        const view = await session.evertick.jobs.resetCursor(job, { actor: session.actor })
        const until = session.times.both(view.accountedUntil)
        session.terminal.report(view, `"${plainText(view.name)}" is accounted for until ${until}.`)
      }),
    )
  examples(command, [['jobs reset-cursor nightly-report']])
}

function toldExecution({ terminal }: Session, execution: ExecutionView, sentence: string): void {
  const waits = execution.state === 'blocked' ? '; it starts when what is under way has ended' : ''
  terminal.report(execution, `${sentence}${waits}:`, execution.id)
}
