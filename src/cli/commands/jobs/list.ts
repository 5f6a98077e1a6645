/** `evertick jobs list` */

import type { Command } from 'commander'
import type { ListedJob } from '../../../app/job/list-jobs.ts'
import type { JobView } from '../../../app/views.ts'
import { type HealthState, healthStates } from '../../../core/job/health.ts'
import { type JobState, jobStates } from '../../../core/job/job-state.ts'
import { choice, examples, pageOptions, sayMore } from '../../help.ts'
import { actorText } from '../../output/actor-text.ts'
import { healthStyles, healthWord } from '../../output/health.ts'
import { plainText } from '../../output/plain-text.ts'
import { type Column, writeTable } from '../../output/table.ts'
import type { Stream, Style } from '../../output/terminal.ts'
import type { Times } from '../../output/times.ts'
import { type Cli, type Session, withEvertick } from '../../session.ts'
import { lastRunOf, tickBarOf } from './recent-runs.ts'

interface ListOptions {
  readonly state?: JobState
  readonly tag?: string
  readonly search?: string
  readonly health?: HealthState
  readonly limit?: number
  readonly cursor?: string
}

/** Longer lists have no tick bars. */
const barJobs = 40
const barTicks = 12

export const statusMarks: Readonly<Record<JobView['status'], { glyph: string; style: Style }>> = {
  running: { glyph: '▸', style: 'running' },
  scheduled: { glyph: '●', style: 'ran' },
  pending: { glyph: '○', style: 'running' },
  paused: { glyph: '‖', style: 'paused' },
  completed: { glyph: '✓', style: 'ran' },
  failed: { glyph: '✗', style: 'failed' },
  cancelled: { glyph: '–', style: 'skipped' },
}

export function addList(jobs: Command, cli: Cli): void {
  const list = jobs
    .command('list')
    .description('Lists jobs by name, with their status, next run and latest ticks.')
    .addOption(choice('--state <state>', 'only jobs in this state', jobStates))
    .option('--tag <tag>', 'only jobs with this tag')
    .addOption(choice('--health <state>', 'only jobs with this health', healthStates))
    .option('--search <text>', 'only jobs whose name contains this text')
  pageOptions(list).action(({ health, ...options }: ListOptions) =>
    withEvertick(cli, list, async (session) => {
      const filter = health === undefined ? {} : { filter: `health:${health}` }
      const page = await session.evertick.jobs.list({ ...options, ...filter })
      if (session.terminal.json) session.terminal.data(page)
      else await showPage(session, page)
    }),
  )
  examples(list, [
    ['jobs list'],
    ['jobs list --state paused'],
    ['jobs list --health failing'],
    ['jobs list --tag billing --json'],
  ])
}

async function showPage(
  session: Session,
  { jobs, nextCursor }: { jobs: readonly ListedJob[]; nextCursor: string | null },
): Promise<void> {
  const { evertick, terminal, times } = session
  const { out } = terminal
  if (jobs.length === 0 && out.tty) {
    out.write(
      'There are no jobs yet. Define some in evertick.config.ts (`evertick init` writes one), or create one:',
    )
    out.write(
      out.paint('dim', '  $ evertick jobs create nightly-report --cron "0 3 * * *" --tz Europe/Madrid'),
    )
    return
  }
  const bars =
    out.tty && jobs.length <= barJobs
      ? await Promise.all(jobs.map((job) => tickBarOf(session, job, barTicks)))
      : null
  const last = await Promise.all(jobs.map((job) => lastRunOf(evertick, job)))
  const columns: readonly Column[] = [
    'STATUS',
    'HEALTH',
    { title: 'JOB', shrinks: true },
    { title: 'SCHEDULE', shrinks: true },
    out.tty ? `NEXT RUN (${times.timezone})` : 'NEXT RUN',
    { title: 'LAST RUN', optional: true },
    ...(bars === null ? [] : [{ title: 'TICKS', optional: true as const }]),
  ]
  const rows = jobs.map((job, index) => [
    statusCell(out, job),
    healthWord(out, job.health),
    plainText(job.name),
    plainText(job.scheduleText ?? 'on demand'),
    nextRunCell(out, job, times),
    lastRunCell(out, last[index] ?? null, times),
    ...(bars === null ? [] : [bars[index] ?? '']),
  ])
  writeTable(out, columns, rows)
  if (jobs.some(({ nextRunAt }) => nextRunAt !== null) && (await evertick.leader.current()) === null)
    terminal.say('There is no leader, so nothing is being scheduled. Start a node with `evertick start`.')
  sayMore(terminal, nextCursor)
}

/** A job in bad health is never green, whatever its status. */
export function statusCell(
  out: Stream,
  { status, state, health }: Pick<JobView, 'status' | 'state' | 'health'>,
): string {
  if (!out.tty) return status
  const { glyph, style: own } = statusMarks[status]
  const style = own === 'ran' ? healthStyles[health.state] : own
  return out.paint(style, `${glyph} ${state === 'disabled' || state === 'error' ? state : status}`)
}

/** Of a paused job, who has paused it: it has no next run. */
function nextRunCell(
  out: Stream,
  { nextRunAt, isPaused, pausedBy, pausedAt }: ListedJob,
  times: Times,
): string {
  if (!out.tty || !isPaused || pausedAt === null) return times.both(nextRunAt)
  return `paused by ${actorText(pausedBy)}, ${times.relative(pausedAt)}`
}

function lastRunCell(out: Stream, last: ListedJob['lastExecution'], times: Times): string {
  if (last?.startedAt == null) return out.tty ? '–' : ''
  if (!out.tty) return last.startedAt.toISOString()
  const failed = last.state === 'failed'
  return out.paint(failed ? 'failed' : 'dim', `${times.relative(last.startedAt)}${failed ? ', failed' : ''}`)
}
