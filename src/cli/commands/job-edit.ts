/** `evertick jobs create|update`: the options of a job as flags. */
import type { Command } from 'commander'
import type { JobView } from '../../app/views.ts'
import { catchUpPolicies, overlapPolicies } from '../../core/job/job.ts'
import { choice, collect, examples, jsonObject, jsonValue, wholeNumber } from '../help.ts'
import { plainText } from '../output/plain-text.ts'
import { type Cli, type Session, withEvertick } from '../session.ts'
import { handlerFlags, handlerOfFlags } from './handler-flags.ts'
import { type CommandForm, jobCommand } from './job-command.ts'
import { type JobFlags, optionsOfFlags, scheduleOfFlags } from './job-flags.ts'

export function addCreate(parent: Command, cli: Cli, form: CommandForm = { name: 'create' }): Command {
  const create = jobFlags(jobCommand(parent, form, '<name> [argv...]'))
    .description(
      'Creates a job. Its handler is a function that some node registers under that name, a URL that is called, or a command.',
    )
    .option('--paused', 'begin paused')
    .option('--run-now', 'also run once at once')
    .action((name: string, argv: readonly string[], flags: JobFlags & { paused?: true; runNow?: true }) =>
      withEvertick(
        cli,
        create,
        async (session) => {
          const schedule = scheduleOfFlags(flags, null)
          const handler = handlerOfFlags(flags, argv)
          const job = await session.evertick.jobs.create(
            {
              name,
              ...optionsOfFlags(flags),
              ...(schedule === undefined ? {} : { schedule }),
              ...(handler === undefined ? {} : { handler }),
              ...(flags.paused === true ? { paused: true } : {}),
              ...(flags.runNow === true ? { runNow: true } : {}),
            },
            { actor: session.actor },
          )
          told(session, job, 'Created')
        },
        { mayCreate: true },
      ),
    )
  return examples(create, [
    ['jobs create nightly-report --cron "0 3 * * *" --tz Europe/Madrid --catch-up all --max-missed-runs 3'],
    ['jobs create poll-inbox --every 30s --overlap skip --timeout 20s'],
    ['jobs create ping --every 5m --http https://example.com/hook --body \'{"ping":true}\''],
    ['jobs create backup --cron "@daily" --command -- /usr/bin/rsync -a /srv /backup'],
    ['jobs create one-off --at 2027-01-01T00:00:00Z --handler send-mail --input \'{"to":"all"}\''],
  ])
}

export function addUpdate(parent: Command, cli: Cli, form: CommandForm = { name: 'update' }): Command {
  const update = jobFlags(jobCommand(parent, form, '<job> [argv...]'))
    .description('Changes what is given and keeps the rest, as a new revision.')
    .action((name: string, argv: readonly string[], flags: JobFlags) =>
      withEvertick(cli, update, async (session) => {
        const { evertick, actor } = session
        const found = await evertick.jobs.get(name)
        const schedule = scheduleOfFlags(flags, found.schedule)
        const handler = handlerOfFlags(flags, argv)
        const changes = {
          ...optionsOfFlags(flags),
          ...(schedule === undefined ? {} : { schedule }),
          ...(handler === undefined ? {} : { handler }),
        }
        if (Object.keys(changes).length === 0)
          update.error('error: nothing to change: name at least one option')
        told(session, await evertick.jobs.update(name, changes, { actor }), 'Updated')
      }),
    )
  return examples(update, [
    ['jobs update nightly-report --cron "30 3 * * *"'],
    ['jobs update poll-inbox --every 1m --overlap buffer_one'],
  ])
}

function jobFlags(command: Command): Command {
  return handlerFlags(command)
    .option('--cron <expression>', 'due by cron, such as "0 9 * * 1-5"')
    .option('--tz <zone>', 'the time zone of the cron (default: the configuration’s, else UTC)')
    .option('--every <duration>', 'due every so often, such as 15m')
    .option('--anchor <instant>', 'count the interval from here; `epoch` aligns to the clock')
    .option('--fixed-delay <duration>', 'due this long after each run ends')
    .option('--at <instant>', 'due once, such as 2027-01-01T00:00:00Z')
    .option('--input <json>', 'what the handler is given', jsonValue)
    .addOption(choice('--catch-up <policy>', 'what becomes of missed ticks', catchUpPolicies))
    .option('--max-missed-runs <n>', 'with --catch-up all: how many run at most', wholeNumber(1, 1_000))
    .option('--catch-up-window <duration>', 'ticks missed longer ago do not run')
    .option('--grace <duration>', 'a tick late by no more than this simply fired')
    .addOption(choice('--overlap <policy>', 'what becomes of a tick while a run goes on', overlapPolicies))
    .option('--max-concurrent <n>', 'how many runs may go on together', wholeNumber(1, 1_000))
    .option('--attempts <n>', 'how often an execution is tried in all', wholeNumber(1, 1_000))
    .option('--timeout <duration>', 'an attempt that takes longer counts as failed')
    .option('--start-deadline <duration>', 'what could not start in this time is cancelled')
    .option('--queue <name>', 'the queue of its executions')
    .option('--priority <n>', 'larger goes first', wholeNumber(-1_000, 1_000))
    .option('--tag <tag>', 'a tag; may be given several times', collect)
    .option('--description <text>', 'what the job is for')
    .option('--metadata <json>', 'an object to keep with it', jsonObject)
}

function told({ terminal, times }: Session, job: JobView, verb: string): void {
  if (terminal.json) return terminal.data(job)
  const due = job.nextRunAt === null ? '' : ` Next run ${times.both(job.nextRunAt)}.`
  const schedule = job.scheduleText ?? 'on demand'
  terminal.say(`${verb} "${plainText(job.name)}": ${schedule}.${due}`)
  terminal.out.write(job.id)
}
