/** `evertick import leader-log|processing-jobs|interval-jobs|schedules`: tables of another system, which is only read. */
import type { Command } from 'commander'
import { type AdoptOptions, refuseOwnTable } from '../../../compat/adopt/adoption.ts'
import type { Evertick } from '../../../evertick.ts'
import { examples } from '../../help.ts'
import { instantArgument } from '../../instant-argument.ts'
import { ProgressBar } from '../../output/progress-bar.ts'
import { actor, type Cli, openSource, orInMemory, settingsOf, withDatabase } from '../../session.ts'
import { showAdopted, showJobs, showWayBack } from './show-adopted.ts'

interface Flags {
  readonly from: string
  readonly table: string
  readonly dryRun?: true
}

interface JobFlags extends Flags {
  readonly startAt?: string
  readonly history?: true | string
  readonly handler?: string
}

interface ProcessingFlags extends Flags {
  readonly queue?: string
  readonly history?: true
  readonly workersStopped?: true
  readonly back?: true
}

export function addAdopt(group: Command, cli: Cli): void {
  addProcessingJobs(group, cli)
  addSchedules(group, cli)
  addIntervalJobs(group, cli)
  addLeaderLog(group, cli)
}

function addProcessingJobs(group: Command, cli: Cli): void {
  const command = adoption(group, 'processing-jobs', 'processing_jobs')
    .description(
      'Takes the unfinished rows of a processing_jobs table over as executions, each once. The table is only read. As long as a lease in it is alive, old workers are at work, and nothing is written. Exits with code 7 if rows are left.',
    )
    .option('--queue <name>', 'the queue of the new workers (default: processing)')
    .option('--history', 'also what is done or has failed, as history')
    .option('--workers-stopped', 'the old workers are stopped: take jobs whose lease has not ended, too')
    .option('--back', 'import nothing; print SQL that tells the old table what happened here')
    .action((flags: ProcessingFlags) =>
      withSource(cli, command, flags, async (evertick, options) => {
        const { queue, history = false, workersStopped = false } = flags
        if (flags.back === true) {
          const { processingJobsBack } = await import('../../../compat/adopt/back.ts')
          const back = await processingJobsBack(evertick, options)
          return () => showWayBack(cli, back)
        }
        const { adoptProcessingJobs } = await import('../../../compat/adopt/processing-jobs.ts')
        const report = await adoptProcessingJobs(evertick, { ...options, queue, history, workersStopped })
        return () => showAdopted(cli, report)
      }),
    )
  examples(command, [
    ['import processing-jobs --from "$OLD_URL" --dry-run'],
    [
      'import processing-jobs --from "$OLD_URL" --table old_processing_jobs',
      'in the database that Evertick lives in',
    ],
    ['import processing-jobs --from "$OLD_URL" --back > back.sql', 'before you go back'],
  ])
}

function addSchedules(group: Command, cli: Cli): void {
  const command = addJobFlags(adoption(group, 'schedules', 'schedules'))
    .description(
      'Makes a schedule of each row of a schedules table: domain, configuration, cron or interval. The table is only read. Without --start-at the jobs are held, so that the old scheduler may go on; importing again brings what has changed. Exits with code 7 if rows are left.',
    )
    .action((flags: JobFlags) =>
      withSource(cli, command, flags, async (evertick, options) => {
        const { adoptSchedules } = await import('../../../compat/adopt/schedules.ts')
        const report = await adoptSchedules(evertick, { ...options, ...whenOf(flags) })
        return () => showJobs(cli, report)
      }),
    )
  examples(command, [
    ['import schedules --from "$OLD_URL" --dry-run'],
    ['import schedules --from "$OLD_URL" --start-at 2027-01-01T00:00:00Z', 'when the old one stops'],
  ])
}

function addIntervalJobs(group: Command, cli: Cli): void {
  const command = addJobFlags(adoption(group, 'interval-jobs', 'jobs'))
    .description(
      'Makes a job of each row of an interval scheduler’s jobs table: interval or cron, pause, retries; other columns are its input. The table is only read. Without --start-at the jobs are held, so that the old scheduler may go on; importing again brings what has changed. Exits with code 7 if rows are left.',
    )
    .option('--handler <name>', 'the function that runs them (default: each job’s own name)')
    .action((flags: JobFlags) =>
      withSource(cli, command, flags, async (evertick, options) => {
        const { adoptIntervalJobs } = await import('../../../compat/adopt/interval-jobs.ts')
        const { handler } = flags
        const report = await adoptIntervalJobs(evertick, { ...options, ...whenOf(flags), handler })
        return () => showJobs(cli, report)
      }),
    )
  examples(command, [
    ['import interval-jobs --from "$OLD_URL" --handler crawl --history'],
    ['import interval-jobs --from "$OLD_URL" --handler crawl --start-at +10m', 'when the old one stops'],
  ])
}

function addLeaderLog(group: Command, cli: Cli): void {
  const command = adoption(group, 'leader-log', 'scheduler_leader_log')
    .description(
      'Adds the terms of a scheduler_leader_log table to the leader log, as terms of the past: none of them leads. The table is only read. Exits with code 7 if rows are left.',
    )
    .action((flags: Flags) =>
      withSource(cli, command, flags, async (evertick, options) => {
        const { adoptLeaderLog } = await import('../../../compat/adopt/leader-log.ts')
        const report = await adoptLeaderLog(evertick, options)
        return () => showAdopted(cli, report)
      }),
    )
  examples(command, [
    ['import leader-log --from "$OLD_URL" --dry-run'],
    ['import leader-log --from "$OLD_URL"'],
  ])
}

function adoption(group: Command, name: string, table: string): Command {
  return group
    .command(name)
    .requiredOption('--from <url>', 'the database of the other system')
    .option('--table <name>', 'its table or a view, with a schema if need be', table)
    .option('--dry-run', 'only show what would be done')
}

function addJobFlags(command: Command): Command {
  return command
    .option('--start-at <when>', 'the switch: the old scheduler stops, and this one fires from then on')
    .option('--history [table]', 'also what has run, of this table (default: job_executions)')
}

function whenOf({ startAt, history }: JobFlags) {
  return {
    startAt: startAt === undefined ? null : instantArgument(startAt, '--start-at', Date.now()),
    history: history === true ? 'job_executions' : (history ?? null),
  }
}

async function withSource(
  cli: Cli,
  command: Command,
  { from: url, table, dryRun, back }: Flags & { readonly back?: true },
  work: (evertick: Evertick, options: AdoptOptions) => Promise<() => void>,
): Promise<void> {
  const settings = await settingsOf(cli, command)
  const from = await openSource(cli, url)
  const bars = {
    checking: new ProgressBar(cli.terminal, 'Checking'),
    importing: new ProgressBar(cli.terminal, 'Importing'),
  }
  try {
    await refuseOwnTable(from, url, table)
    const looksOnly = dryRun === true || back === true
    const database = looksOnly ? orInMemory(cli, settings) : settings
    await withDatabase(cli, database, { mayCreate: true }, async (evertick) => {
      const show = await work(evertick, {
        from,
        table,
        dryRun: dryRun === true,
        actor: actor(),
        onProgress: (done, total, phase) => bars[phase].update(done, total),
      }).finally(() => {
        for (const bar of Object.values(bars)) bar.end()
      })
      show()
    })
  } finally {
    await from.close()
  }
}
