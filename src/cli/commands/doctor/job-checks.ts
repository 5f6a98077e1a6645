/** Are the jobs on time, can a node run them, and did they succeed? */

import type { ListedJob } from '../../../app/job/list-jobs.ts'
import { handlerKey, secretsNamedIn } from '../../../core/job/handler.ts'
import { shellWord } from '../../../core/shell-word.ts'
import { counted } from '../../output/count-words.ts'
import { plainText } from '../../output/plain-text.ts'
import { durationWords } from '../../output/times.ts'
import { storeContext } from '../../session.ts'
import type { ExaminedSystem } from '../../system.ts'
import { checkCare } from './care-checks.ts'
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
    ...(await checkCare(evertick, jobs)),
    await checkCursors(evertick, jobs),
    checkStates(jobs),
    await checkOrphans(evertick, jobs),
    await checkLeases(evertick),
    await checkDeadLetters(evertick),
  ]
}

async function checkCursors(evertick: ExaminedSystem, jobs: readonly ListedJob[]): Promise<Check> {
  const now = Date.now()
  const ahead = jobs.filter(({ accountedUntil }) => accountedUntil.getTime() - now > aheadMs)
  const [furthest] = ahead.toSorted((a, b) => b.accountedUntil.getTime() - a.accountedUntil.getTime())
  if (furthest !== undefined) {
    const far = durationWords(furthest.accountedUntil.getTime() - now)
    return fail(
      'cursors',
      `A wrong clock moved the cursor up to ${far} ahead: ${names(ahead)}.`,
      `Run \`evertick jobs reset-cursor ${shellWord(furthest.name)}\`.`,
    )
  }
  const behind: ListedJob[] = []
  let oldest = now
  for (const job of jobs) {
    const dueAt = await undecidedSince(evertick, job, now)
    if (dueAt === null || now - dueAt < behindMs) continue
    behind.push(job)
    oldest = Math.min(oldest, dueAt)
  }
  if (behind.length === 0)
    return ok('cursors', `${counted(jobs.length, 'job')}, none ahead of the clock or behind.`)
  const message = `Up to ${durationWords(now - oldest)} behind: ${names(behind)}.`
  return (await evertick.leader.current()) === null
    ? warn(
        'cursors',
        message,
        'There is no leader. Start a node with `evertick start`; it accounts for the missed ticks.',
      )
    : fail('cursors', message, 'The leader does not keep up; check its log.')
}

/** When the oldest undecided tick was due. */
async function undecidedSince(evertick: ExaminedSystem, job: ListedJob, now: number): Promise<number | null> {
  if (job.state !== 'active' || now - job.accountedUntil.getTime() < behindMs) return null
  const span = { from: job.accountedUntil, to: new Date(now), limit: 1 }
  const [tick] = (await evertick.jobs.explain(job.id, span)).ticks
  return tick?.account === 'undecided' ? tick.scheduledFor.getTime() : null
}

function checkStates(jobs: readonly ListedJob[]): Check {
  const broken = jobs.filter(({ state }) => state === 'error')
  if (broken.length > 0)
    return fail(
      'jobs',
      `The schedule can no longer be evaluated: ${names(broken)}.`,
      `Fix it with \`evertick jobs update ${shellWord(broken[0]?.name ?? '')} --cron …\`.`,
    )
  const disabled = jobs.filter(({ state }) => state === 'disabled')
  if (disabled.length > 0)
    return warn(
      'jobs',
      `Disabled, since no node defines it or can run it: ${names(disabled)}${unallowed(disabled)}.`,
      'Start a node that defines it, or delete it with `evertick jobs delete`.',
    )
  const paused = jobs.filter(({ state }) => state === 'paused').length
  return ok('jobs', `${counted(jobs.length, 'job')}${paused === 0 ? '' : `, ${paused} paused`}.`)
}

async function checkOrphans(evertick: ExaminedSystem, jobs: readonly ListedJob[]): Promise<Check> {
  const workers = (await evertick.nodes.list()).filter(({ roles }) => roles.includes('worker'))
  if (workers.length === 0) return ok('handlers', 'No worker is running, so there is nothing to check.')
  const handled = new Set(await evertick.nodes.handlers())
  const orphans = jobs.filter(({ state, handler }) => state === 'active' && !handled.has(handlerKey(handler)))
  if (orphans.length === 0) return ok('handlers', 'Every active job has a node that can run it.')
  const commands = unallowed(orphans)
  return warn(
    'handlers',
    `No node has the handler: ${names(orphans)}${commands}.`,
    commands === ''
      ? 'Start a node that defines it; such jobs are disabled after 10 minutes.'
      : 'Add the command to EVERTICK_ALLOW_COMMANDS of a worker; such jobs are disabled after 10 minutes.',
  )
}

/** A command only runs on a node that allows it. */
function unallowed(jobs: readonly ListedJob[]): string {
  const commands = jobs.flatMap(({ handler }) => (handler.type === 'command' ? [handler.command] : []))
  const shown = [...new Set(commands)].slice(0, shownNames).map(plainText)
  return shown.length === 0 ? '' : `; no live node allows ${shown.join(', ')}`
}

/** A name that nobody has set fails each run of its jobs. */
export async function checkSecrets(evertick: ExaminedSystem): Promise<Check> {
  const known = new Set((await evertick.secrets.list()).map(({ name }) => name))
  const { jobs } = await evertick.jobs.list({ limit: maxJobs })
  const named = jobs.flatMap((job) => secretsNamedIn(job.handler).map((secret) => ({ job, secret })))
  const missing = named.filter(({ secret }) => !known.has(secret))
  const [first] = missing
  if (first === undefined)
    return ok('secrets', `${counted(known.size, 'secret')}; none that a job names is missing.`)
  const lacking = [...new Set(missing.map(({ job }) => job))]
  return fail(
    'secrets',
    `No secret is named "${first.secret}"; what names one that is missing: ${names(lacking)}.`,
    `Run \`evertick secrets set ${first.secret}\`.`,
  )
}

async function checkLeases(evertick: ExaminedSystem): Promise<Check> {
  const expired = await evertick.leases.expired()
  if (expired.length === 0) return ok('leases', 'None has expired.')
  return warn(
    'leases',
    `${counted(expired.length, 'lease')} expired and ${expired.length === 1 ? 'was' : 'were'} not taken back.`,
    'The leader does that by itself; `evertick leases reset-expired` does it now.',
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

/** Ticks that were computed with other time zone data cannot be verified on this machine. */
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
    `This Node has version ${own}; jobs were written with ${[...others].join(', ')}.`,
    'Use the same Node version everywhere; where ticks differ, `evertick audit` reports them as unverifiable.',
  )
}

function names(jobs: readonly ListedJob[]): string {
  const shown = jobs.slice(0, shownNames).map(({ name }) => `"${plainText(name)}"`)
  const rest = jobs.length - shown.length
  return `${counted(jobs.length, 'job')} (${shown.join(', ')}${rest > 0 ? `, and ${rest} more` : ''})`
}
