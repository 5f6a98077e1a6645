/** The first thing that a person sees: where the data is, what runs, and when. */
import type { ListedJob } from '../../../app/job/list-jobs.ts'
import { counted, listed } from '../../output/count-words.ts'
import { plainText } from '../../output/plain-text.ts'
import { type Column, tableLines } from '../../output/table.ts'
import type { Stream } from '../../output/terminal.ts'
import { relativeWords } from '../../output/times.ts'

export interface Banner {
  readonly version: string
  readonly database: string
  readonly config: string | null
  readonly roles: readonly string[]
  readonly jobs: readonly ListedJob[]
  readonly example: boolean
  readonly url: string | null
  /** Why there is no API; null if there is one, or if it was not wanted. */
  readonly apiOff: string | null
  readonly signIn: string | null
  readonly now: number
}

const shownJobs = 20

export function writeBanner(out: Stream, banner: Banner): void {
  const { jobs } = banner
  const label = (text: string) => out.paint('dim', text.padEnd(8))
  out.write('')
  out.write(
    `  ${out.paint('ran', '▂▃▅▇')} ${out.paint('strong', 'evertick')} ${out.paint('dim', banner.version)}  accounts for every tick`,
  )
  out.write('')
  out.write(`  ${label('data')} ${banner.database}`)
  if (banner.url !== null) out.write(`  ${label('open')} ${banner.url}`)
  if (banner.apiOff !== null) out.write(`  ${label('api')} ${banner.apiOff}`)
  if (banner.signIn !== null) out.write(`  ${label('sign in')} ${banner.signIn}`)
  out.write(`  ${label('runs')} ${counted(jobs.length, 'job')}${origin(banner)} as ${listed(banner.roles)}`)
  out.write('')
  for (const line of jobLines(out, jobs, banner.now)) out.write(`  ${line}`)
  out.write('')
  if (banner.example) {
    out.write(
      `  ${out.paint('strong', 'Stop me with Ctrl-C, wait a minute, start me again')}: not one tick will be lost.`,
    )
    out.write(out.paint('dim', '  Meanwhile, in another terminal: npm run -s evertick -- explain heartbeat'))
  } else {
    out.write(
      out.paint(
        'dim',
        '  Stop me with Ctrl-C. In another terminal, try: evertick jobs list · evertick explain <job>',
      ),
    )
  }
  out.write('')
}

function origin({ config, example }: Banner): string {
  if (example) return ' from examples/jobs.ts'
  return config === null ? '' : ` from ${config}`
}

function jobLines(out: Stream, jobs: readonly ListedJob[], now: number): string[] {
  if (jobs.length === 0) return ['No jobs yet.']
  const rows = jobs
    .slice(0, shownJobs)
    .map((job) => [plainText(job.name), plainText(job.scheduleText ?? 'on demand'), next(out, job, now)])
  const columns: readonly Column[] = [
    { title: 'JOB', shrinks: true },
    { title: 'SCHEDULE', shrinks: true },
    'NEXT RUN',
  ]
  const lines = tableLines(columns, rows, Math.min(110, out.columns - 2), (title) => out.paint('dim', title))
  if (jobs.length > shownJobs) lines.push(`… and ${counted(jobs.length - shownJobs, 'more', 'more')}`)
  return lines
}

function next(out: Stream, { nextRunAt, state }: ListedJob, now: number): string {
  if (state !== 'active') return out.paint('paused', state)
  if (nextRunAt === null) return '–'
  return relativeWords(nextRunAt.getTime() - now)
}
