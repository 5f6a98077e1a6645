/** `evertick jobs show|upcoming|stats`: one job, its next runs, its statistics. */

import type { Command } from 'commander'
import type { ListedJob } from '../../../app/job/list-jobs.ts'
import type { JobView } from '../../../app/views.ts'
import { jobOptions } from '../../../core/job/fields.ts'
import { handlerText } from '../../../core/job/handler.ts'
import { examples, wholeNumber } from '../../help.ts'
import { actorText } from '../../output/actor-text.ts'
import { percentWords } from '../../output/count-words.ts'
import { healthCell } from '../../output/health.ts'
import { plainText } from '../../output/plain-text.ts'
import { writePairs, writeTable } from '../../output/table.ts'
import { executionSentence } from '../../output/tick-sentence.ts'
import { durationWords } from '../../output/times.ts'
import { type Cli, type Session, withEvertick } from '../../session.ts'
import { type CommandForm, jobCommand } from './job-command.ts'
import { statusCell } from './list.ts'
import { lastRunOf, tickBarOf } from './recent-runs.ts'

const barTicks = 40

export function addShow(jobs: Command, cli: Cli): void {
  const show = jobs
    .command('show <job>')
    .description('Shows a job: its status, policies, next runs and latest ticks.')
    .action((job: string) => withEvertick(cli, show, (session) => showJob(session, job)))
  examples(show, [['jobs show nightly-report'], ['jobs show nightly-report --json']])
}

async function showJob(session: Session, name: string): Promise<void> {
  const { evertick, terminal, times } = session
  const job = await evertick.jobs.get(name)
  if (terminal.json) return terminal.data(job)
  const { out } = terminal
  const upcoming = await evertick.jobs.upcoming(name, { count: 3 })
  const last = await lastRunOf(evertick, job)
  writePairs(out, [
    ['job', out.paint('strong', plainText(job.name))],
    ['id', job.id],
    ['status', statusCell(out, job) + pauseWords(job, session)],
    ['health', healthCell(out, job.health)],
    ['next step', job.health.next === undefined ? null : plainText(job.health.next)],
    ['schedule', job.scheduleText ?? 'on demand'],
    ['next runs', upcoming.length === 0 ? 'none' : upcoming.map((at) => times.both(at)).join(' · ')],
    ['last run', last === null ? 'never' : lastWords(last, session)],
    ['handler', plainText(handlerText(job.handler))],
    ...settingPairs(job),
    ['managed by', `${job.managedBy}, revision ${job.revision}`],
    ['accounted until', times.both(job.accountedUntil)],
    ['times in', out.tty ? times.timezone : null],
    ['ticks', await tickBarOf(session, job, barTicks)],
  ])
}

function lastWords(last: NonNullable<ListedJob['lastExecution']>, { times }: Session): string {
  return `${times.both(last.startedAt ?? last.createdAt)}, ${executionSentence(last.state, last, times, false)}`
}

function pauseWords(job: JobView, { times }: Session): string {
  if (!job.isPaused) return ''
  const since = job.pausedAt === null ? '' : `, ${times.both(job.pausedAt)}`
  const until = job.pausedUntil === null ? '' : `, until ${times.at(job.pausedUntil)}`
  const reason = job.pausedReason === null ? '' : `: ${plainText(job.pausedReason)}`
  return ` by ${actorText(job.pausedBy)}${since}${until}${reason}`
}

/** The options that have something to say, each in its own sentence. */
function settingPairs(job: JobView): [string, string | null][] {
  return jobOptions.map(([, { title, says }]) => {
    const sentence = says(job)
    return [title.toLowerCase(), sentence === null ? null : plainText(sentence)]
  })
}

export function addUpcoming(parent: Command, cli: Cli, form: CommandForm = { name: 'upcoming' }): Command {
  const upcoming = jobCommand(parent, form, '<job>')
    .description('Lists the next times a job is due.')
    .option('--count <n>', 'how many to list', wholeNumber(1, 100_000), 10)
    .action((job: string, { count }: { count: number }) =>
      withEvertick(cli, upcoming, async ({ evertick, terminal, times }) => {
        const next = await evertick.jobs.upcoming(job, { count })
        const { name, state } = await evertick.jobs.get(job)
        terminal.answer({ job: name, upcoming: next }, (out) => {
          if (next.length === 0) {
            const why = state === 'active' ? 'has no upcoming ticks' : `is ${state}`
            return terminal.say(`Job "${plainText(name)}" ${why}.`)
          }
          const rows = next.map((at) => [times.full(at), times.relative(at)])
          writeTable(out, [`UPCOMING (${out.tty ? times.timezone : 'UTC'})`, ''], rows)
        })
      }),
    )
  return examples(upcoming, [['jobs upcoming nightly-report --count 20']])
}

export function addStats(jobs: Command, cli: Cli): void {
  const command = jobs
    .command('stats <job>')
    .description('Shows statistics of the finished runs of a job, as far back as its ledger goes.')
    .action((job: string) =>
      withEvertick(cli, command, async ({ evertick, terminal, times }) => {
        const stats = await evertick.jobs.stats(job)
        const last = await lastRunOf(evertick, await evertick.jobs.get(job))
        const words = (ms: number | null) => (ms === null ? '–' : durationWords(ms))
        terminal.answer(stats, (out) =>
          writePairs(out, [
            ['runs', String(stats.total)],
            ['completed', String(stats.completed)],
            ['failed', String(stats.failed)],
            ['cancelled', String(stats.cancelled)],
            ['success rate', percentWords(stats.successRate)],
            ['average', words(stats.avgDurationMs)],
            ['p50 / p95 / p99', [stats.p50Ms, stats.p95Ms, stats.p99Ms].map(words).join(' / ')],
            ['last run', times.both(last?.startedAt ?? null)],
          ]),
        )
      }),
    )
  examples(command, [['jobs stats nightly-report']])
}
