/** What a person sees of a running node: the banner, "While you were away", the live log. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { TermView } from '../../../app/cluster/cluster.ts'
import { version } from '../../../app/config/version.ts'
import { EvertickError } from '../../../core/error.ts'
import type { Evertick } from '../../../evertick.ts'
import { messageOf } from '../../error-report.ts'
import type { Stream } from '../../output/terminal.ts'
import { localFormat, localText } from '../../output/times.ts'
import { isDead, readAway, readCutOff } from './away.ts'
import { writeAwayCard } from './away-card.ts'
import { writeBanner } from './banner.ts'
import { LiveLog } from './live-log.ts'

export interface StoryOptions {
  readonly database: string
  readonly config: string | null
  readonly roles: readonly string[]
  /** Why there is no API, if one was to be expected. */
  readonly apiOff: string | null
  /** A sign-in link; null if there is no API, or nobody to show it to. */
  readonly signIn: () => Promise<string | null>
  readonly example: boolean
  /** The names of the jobs, for the width of a column. */
  readonly jobs: readonly string[]
  readonly timezone: string
}

const pollEveryMs = 25
/** After this the log starts without the card: a leader that was killed keeps its lease for a while. */
const cardPatienceMs = 1_500
const repairPatienceMs = 60_000

/** Starts the node. Resolves once the banner is written. */
export async function startWithStory(
  evertick: Evertick,
  out: Stream,
  options: StoryOptions,
): Promise<LiveLog> {
  const cutOff = await readCutOff(evertick)
  const elected = new Promise<number>((resolve) => {
    evertick.on('leader:elected', ({ termId }) => resolve(termId))
  })
  const log = new LiveLog(evertick, out, { timezone: options.timezone, jobs: options.jobs })
  await evertick.start()
  const { jobs } = await evertick.jobs.list({ limit: 1_000 })
  const signIn = await options.signIn()
  writeBanner(out, { ...options, version, jobs, url: evertick.url, signIn, now: Date.now() })
  const card = writeCardOnce(evertick, out, { log, elected, cutOff, timezone: options.timezone })
  void beginLog(evertick, log, card, options.timezone)
  return log
}

async function beginLog(
  evertick: Evertick,
  log: LiveLog,
  card: Promise<void>,
  timezone: string,
): Promise<void> {
  const first = await Promise.race([card, sleep(cardPatienceMs, 'later')])
  log.begin()
  if (first !== 'later') return
  // Another node leads, or a killed one still holds its lease: say what this node is waiting for.
  const leader = await evertick.leader.current().catch(() => null)
  if (leader === null || leader.instance === evertick.nodeId) return
  const [, until] = localText(localFormat(timezone), leader.leaseUntil)
  const dead = await isDead(evertick, leader.instance).catch(() => false)
  const waits = `waiting for the lease of ${leader.instance}, whose process is gone, until ${until}`
  const leads = `${leader.instance} leads, until ${until} unless it renews; this node takes over if it is gone`
  log.report('running', '♦', 'leader', dead ? waits : leads)
}

async function writeCardOnce(
  evertick: Evertick,
  out: Stream,
  {
    log,
    elected,
    cutOff,
    timezone,
  }: { log: LiveLog; elected: Promise<number>; cutOff: number; timezone: string },
): Promise<void> {
  try {
    const term = await repaired(evertick, await elected)
    const away = term === null ? null : await readAway(evertick, term.id, cutOff)
    if (away !== null) writeAwayCard(out, away, timezone)
    log.reportTicksFrom(term?.startTime ?? new Date())
  } catch (error) {
    // The card is a courtesy: a node works without it. If the node was stopped early, there is nothing to report.
    if (error instanceof EvertickError && error.code === 'database_closed') return
    log.report('late', '!', 'away', `could not read what was missed: ${messageOf(error)}`)
  }
}

/** The term, once it has dealt with what was missed before it. */
async function repaired(evertick: Evertick, termId: number): Promise<TermView | null> {
  const until = Date.now() + repairPatienceMs
  while (Date.now() < until) {
    const terms = await evertick.leader.terms({ limit: 5 })
    const term = terms.find(({ id }) => id === termId)
    if (term?.handledMissedTasks === true) return term
    await sleep(pollEveryMs)
  }
  return null
}
