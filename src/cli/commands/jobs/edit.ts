/** `evertick jobs create|update`: the options of a job as flags. */

import type { Command } from 'commander'
import type { JobView } from '../../../app/views.ts'
import { shellWord } from '../../../core/shell-word.ts'
import { examples } from '../../help.ts'
import { plainText } from '../../output/plain-text.ts'
import { type Cli, type Session, withEvertick } from '../../session.ts'
import { handlerFlags, handlerOfFlags } from './handler-flags.ts'
import { type CommandForm, jobCommand } from './job-command.ts'
import { addJobFlags, type JobFlags, optionsOfFlags, scheduleOfFlags } from './job-flags.ts'

export function addCreate(parent: Command, cli: Cli, form: CommandForm = { name: 'create' }): Command {
  const create = jobFlags(jobCommand(parent, form, '<name> [argv...]'))
    .description(
      'Creates a job. Its handler is a function that a node registers under that name, a URL to call, or a command to run.',
    )
    .option('--paused', 'create it paused')
    .option('--run-now', 'also run it once right away')
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
          reportJob(session, job, 'Created')
        },
        { mayCreate: true },
      ),
    )
  return examples(create, [
    ['jobs create nightly-report --cron "0 3 * * *" --tz Europe/Madrid --catch-up all --max-missed-runs 3'],
    ['jobs create poll-inbox --every 30s --overlap skip --timeout 20s'],
    ['jobs create ping --every 5m --http https://example.com/hook --body \'{"ping":true}\''],
    ['jobs create backup --cron "@daily" --command -- /usr/bin/rsync -a /srv /backup'],
    ['jobs create host-backup --cron "0 2 * * *" --check-in 30m'],
    ['jobs create one-off --at 2027-01-01T00:00:00Z --handler send-mail --input \'{"to":"all"}\''],
  ])
}

export function addUpdate(parent: Command, cli: Cli, form: CommandForm = { name: 'update' }): Command {
  const update = jobFlags(jobCommand(parent, form, '<job> [argv...]'))
    .description('Changes the given options and keeps the others, as a new revision.')
    .action((name: string, argv: readonly string[], flags: JobFlags) =>
      withEvertick(cli, update, async (session) => {
        const { evertick, actor } = session
        const job = await evertick.jobs.get(name)
        const schedule = scheduleOfFlags(flags, job.schedule)
        const handler = handlerOfFlags(flags, argv)
        const changes = {
          ...optionsOfFlags(flags),
          ...(schedule === undefined ? {} : { schedule }),
          ...(handler === undefined ? {} : { handler }),
        }
        if (Object.keys(changes).length === 0)
          update.error('error: nothing to change: give at least one option')
        reportJob(session, await evertick.jobs.update(name, changes, { actor }), 'Updated')
      }),
    )
  return examples(update, [
    ['jobs update nightly-report --cron "30 3 * * *"'],
    ['jobs update poll-inbox --every 1m --overlap buffer_one'],
  ])
}

function jobFlags(command: Command): Command {
  return addJobFlags(handlerFlags(command))
}

function reportJob({ terminal, times }: Session, job: JobView, verb: string): void {
  const due = job.nextRunAt === null ? '' : ` Next run ${times.both(job.nextRunAt)}.`
  const schedule = job.scheduleText ?? 'on demand'
  terminal.report(job, `${verb} "${plainText(job.name)}": ${schedule}.${due}`, job.id)
  if (verb === 'Created' && job.handler.type === 'check_in') {
    terminal.say(
      `Make the address that it calls: evertick jobs rotate-check-in ${shellWord(plainText(job.name))}`,
    )
  }
}
