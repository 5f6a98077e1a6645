/** Do the jobs keep up, can somebody run them, and did they run? */
import type { JobView } from '../../../app/views.ts'
import { handlerKey } from '../../../core/job/handler.ts'
import { counted } from '../../output/count-words.ts'
import { plainText } from '../../output/plain-text.ts'
import { durationWords } from '../../output/times.ts'
import { storeContext } from '../../session.ts'
import type { ExaminedSystem } from '../../system.ts'
import { type Check, fail, ok, warn } from './check.ts'

/** Ticks are accounted for at most 1.5 s ahead. */
const aheadMs = 10_000
const behindMs = 60_000
const maxJobs = 100_000
const shownNames = 3
const zonesChecked = 200

export async function checkJobs(evertick: ExaminedSystem): Promise<Check[]> {
  const { jobs } = await evertick.jobs.list({ limit: maxJobs })
  return [
    await checkCursors(evertick, jobs),
    checkStates(jobs),
    await checkOrphans(evertick, jobs),
    await checkLeases(evertick),
    await checkDeadLetters(evertick),
  ]
}

async function checkCursors(evertick: ExaminedSystem, jobs: readonly JobView[]): Promise<Check> {
  const now = Date.now()
  const ahead = jobs.filter(({ accountedUntil }) => accountedUntil.getTime() - now > aheadMs)
  const [furthest] = ahead.toSorted((a, b) => b.accountedUntil.getTime() - a.accountedUntil.getTime())
  if (furthest !== undefined) {
    const far = durationWords(furthest.accountedUntil.getTime() - now)
    return fail(
      'cursors',
      `${names(ahead)} accounted for up to ${far} ahead of now: a clock was wrong.`,
      `Run \`evertick jobs reset-cursor ${furthest.name}\`.`,
    )
  }
  const behind: JobView[] = []
  let oldest = now
  for (const job of jobs) {
    const dueAt = await undecidedSince(evertick, job, now)
    if (dueAt === null || now - dueAt < behindMs) continue
    behind.push(job)
    oldest = Math.min(oldest, dueAt)
  }
  if (behind.length === 0)
    return ok('cursors', `${counted(jobs.length, 'job')}, none ahead of the clock or behind it.`)
  const message = `${names(behind)} behind by up to ${durationWords(now - oldest)}.`
  return (await evertick.leader.current()) === null
    ? warn('cursors', message, 'Nobody leads. Start a node with `evertick start`; it accounts for them.')
    : fail('cursors', message, 'A leader is there, but does not keep up: look at its log.')
}

/** The oldest due tick that nobody has decided about. */
async function undecidedSince(evertick: ExaminedSystem, job: JobView, now: number): Promise<number | null> {
  if (job.state !== 'active' || now - job.accountedUntil.getTime() < behindMs) return null
  const span = { from: job.accountedUntil, to: new Date(now), limit: 1 }
  const [tick] = (await evertick.jobs.explain(job.id, span)).ticks
  return tick?.account === 'undecided' ? tick.scheduledFor.getTime() : null
}

function checkStates(jobs: readonly JobView[]): Check {
  const broken = jobs.filter(({ state }) => state === 'error')
  if (broken.length > 0)
    return fail(
      'jobs',
      `${names(broken)} in error: the schedule can no longer be evaluated.`,
      `Mend it with \`evertick jobs update ${broken[0]?.name} --cron …\`.`,
    )
  const disabled = jobs.filter(({ state }) => state === 'disabled')
  if (disabled.length > 0)
    return warn(
      'jobs',
      `${names(disabled)} disabled: no node named the job any more, or none can run it${unallowed(disabled)}.`,
      'Start a node that defines it, or delete it with `evertick jobs delete`.',
    )
  const paused = jobs.filter(({ state }) => state === 'paused').length
  return ok('jobs', `${counted(jobs.length, 'job')}${paused === 0 ? '' : `, ${paused} paused`}.`)
}

async function checkOrphans(evertick: ExaminedSystem, jobs: readonly JobView[]): Promise<Check> {
  const workers = (await evertick.nodes.list()).filter(({ roles }) => roles.includes('worker'))
  if (workers.length === 0) return ok('handlers', 'No worker runs, so none is missed.')
  const handled = new Set(await evertick.nodes.handlers())
  const orphans = jobs.filter(({ state, handler }) => state === 'active' && !handled.has(handlerKey(handler)))
  if (orphans.length === 0) return ok('handlers', 'Every active job has a node that can run it.')
  const commands = unallowed(orphans)
  return warn(
    'handlers',
    `${names(orphans)} without a node that has the handler${commands}.`,
    commands === ''
      ? 'Start a node that defines it; after 10 minutes such jobs are disabled.'
      : 'Add the command to EVERTICK_ALLOW_COMMANDS of a worker; after 10 minutes such jobs are disabled.',
  )
}

/** Commands are off until a node is told to run them. */
function unallowed(jobs: readonly JobView[]): string {
  const commands = jobs.flatMap(({ handler }) => (handler.type === 'command' ? [handler.command] : []))
  const shown = [...new Set(commands)].slice(0, shownNames).map(plainText)
  return shown.length === 0 ? '' : `; no living node allows ${shown.join(', ')}`
}

async function checkLeases(evertick: ExaminedSystem): Promise<Check> {
  const expired = await evertick.leases.expired()
  if (expired.length === 0) return ok('leases', 'None has run out.')
  return warn(
    'leases',
    `${counted(expired.length, 'lease')} ran out and ${expired.length === 1 ? 'was' : 'were'} not taken back.`,
    'A leader does it by itself; `evertick leases reset-expired` does it now.',
  )
}

async function checkDeadLetters(evertick: ExaminedSystem): Promise<Check> {
  const { failed } = (await evertick.metrics()).executions
  if (failed === 0) return ok('dead letters', 'No execution has failed for good.')
  return warn(
    'dead letters',
    `${counted(failed, 'execution')} failed for good.`,
    'See `evertick executions list --state failed`; `evertick executions retry <id>` runs one again.',
  )
}

/** Ticks that were evaluated under other time zone data than that of this machine cannot be proven on it. */
export async function checkZoneData(evertick: ExaminedSystem): Promise<Check> {
  const { jobs } = await evertick.jobs.list({ limit: maxJobs })
  const { tzVersion: own } = storeContext
  const zoned = jobs.filter(({ timezone }) => timezone !== 'UTC').slice(0, zonesChecked)
  const others = new Set<string>()
  for (const { id } of zoned) {
    const revision = (await evertick.jobs.revisions(id)).at(-1)
    if (revision !== undefined && revision.tzVersion !== own) others.add(revision.tzVersion)
  }
  if (others.size === 0) return ok('time zones', `Data version ${own}.`)
  return warn(
    'time zones',
    `This Node has version ${own}; jobs were written under ${[...others].join(', ')}.`,
    'Run the same Node everywhere; audit reports older ticks as unverifiable.',
  )
}

function names(jobs: readonly JobView[]): string {
  const shown = jobs.slice(0, shownNames).map(({ name }) => `"${plainText(name)}"`)
  const rest = jobs.length - shown.length
  return `${counted(jobs.length, 'job')} (${shown.join(', ')}${rest > 0 ? `, and ${rest} more` : ''})`
}
