/** `evertick worker`: a node that only works: until it is stopped, until the queues are empty, or for one execution. */
import type { Command } from 'commander'
import { contextOf } from '../../../app/app-context.ts'
import type { AnyJob } from '../../../app/config/options.ts'
import { EvertickError } from '../../../core/error.ts'
import { Evertick } from '../../../evertick.ts'
import type { Store } from '../../../store/store.ts'
import { signalExitCodes } from '../../exit-code.ts'
import { collect, examples } from '../../help.ts'
import { ownZone } from '../../output/times.ts'
import { type Cli, databaseOf, openOptions, settingsOf } from '../../session.ts'
import { stopSignal } from '../../stop-signal.ts'
import { Backlog } from './backlog.ts'
import { Tally } from './goodbye.ts'
import { writeEvents } from './json-events.ts'
import { LiveLog } from './live-log.ts'
import { jobsOf } from './start.ts'

interface WorkerOptions {
  readonly queue?: readonly string[]
  readonly once?: true
  readonly drain?: true
}

type Queues = Record<string, { concurrency: number }>

const defaultConcurrency = 10
const pollEveryMs = 100

export function addWorker(program: Command, cli: Cli): void {
  const command = program
    .command('worker')
    .summary('run what other nodes have scheduled')
    .description('Runs a node that claims and runs executions but schedules nothing.')
    .option('--queue <name:n>', 'serve this queue with n runs at once; can be repeated', collect)
    .option('--once', 'run one execution that is ready, then exit')
    .option('--drain', 'work until the queues are empty, including retries, then exit')
    .action((options: WorkerOptions) => work(cli, command, options))
  examples(command, [['worker'], ['worker --queue mail:5 --queue default:20'], ['worker --drain']])
}

async function work(cli: Cli, command: Command, options: WorkerOptions): Promise<void> {
  if (options.once === true && options.drain === true)
    command.error('error: --once and --drain cannot be combined')
  const settings = await settingsOf(cli, command)
  const jobs = jobsOf(settings, ['worker'])
  const queues = queuesOf(options.queue) ??
    settings.options.queues ?? { default: { concurrency: defaultConcurrency } }
  const database = databaseOf(cli, settings, false)
  const open: Open = async (served, wrap = (store) => store) =>
    await Evertick.openWith(
      { ...openOptions(settings, database, cli.terminal), jobs, roles: ['worker'], queues: served },
      { wrap },
    )
  if (options.once === true) return await once(cli, jobs, queues, open)
  await runNode(cli, await open(queues), jobs, queues, options.drain === true)
}

type Open = (queues: Queues, wrap?: (store: Store) => Store) => Promise<Evertick>

/** A store that gives out one execution, and no second one. */
function claimingOnce(store: Store): Store {
  let isClaimed = false
  const claimExecutions: Store['work']['claimExecutions'] = async (request) => {
    if (isClaimed) return { claimed: [], nextReadyAt: null, upcoming: 0 }
    const result = await store.work.claimExecutions({ ...request, limit: 1 })
    isClaimed = result.claimed.length > 0
    return result
  }
  const enqueueIntoSlot: Store['work']['enqueueIntoSlot'] = async (row) => {
    await store.work.enqueueExecutions([row])
    return null
  }
  return { ...store, work: { ...store.work, claimExecutions, enqueueIntoSlot } }
}

async function once(cli: Cli, jobs: readonly AnyJob[], queues: Queues, open: Open): Promise<void> {
  const looking = await open(queues)
  const queue = await new Backlog(looking, Object.keys(queues)).firstReady()
  await looking.stop()
  if (queue === null) {
    cli.terminal.report({ execution: null }, 'No execution is ready.')
    return
  }
  const evertick = await open({ [queue]: { concurrency: 1 } }, claimingOnce)
  const backlog = new Backlog(evertick, [queue])
  const log = logOf(cli, evertick, jobs)
  const started = new Promise<void>((resolve) => {
    evertick.on('execution:started', () => resolve())
  })
  const tally = new Tally(evertick)
  await evertick.start()
  // If another worker was quicker, there is nothing to wait for.
  await Promise.race([started, backlog.untilEmpty(pollEveryMs)])
  await evertick.stop({ timeout: '1d' })
  log?.end()
  cli.terminal.say(tally.summary())
}

async function runNode(
  cli: Cli,
  evertick: Evertick,
  jobs: readonly AnyJob[],
  queues: Queues,
  drain: boolean,
): Promise<void> {
  const { terminal } = cli
  terminal.keepGoing = true
  const signalled = stopSignal()
  const tally = new Tally(evertick)
  const log = logOf(cli, evertick, jobs)
  try {
    const slots = Object.entries(queues).map(([name, { concurrency }]) => `${name}:${concurrency}`)
    terminal.say(`Serving ${slots.join(', ')}${drain ? ' until they are empty' : '. Press Ctrl-C to stop'}.`)
    await evertick.start()
    const backlog = new Backlog(evertick, Object.keys(queues))
    if (drain)
      await backlog.warnOfPaused((name) => terminal.say(`The queue "${name}" is paused, so it is skipped.`))
    const emptied = drain ? backlog.untilEmpty(pollEveryMs).then(() => null) : new Promise<never>(() => {})
    const signal = await Promise.race([signalled, emptied, contextOf(evertick).ended])
    await evertick.stop()
    log?.end()
    terminal.say(tally.summary())
    if (signal !== null) cli.exitCode = signalExitCodes[signal]
  } finally {
    await evertick.stop({ timeout: 0 })
  }
}

function logOf(cli: Cli, evertick: Evertick, jobs: readonly AnyJob[]): LiveLog | null {
  if (cli.terminal.json) {
    writeEvents(evertick, cli.terminal)
    return null
  }
  const names = jobs.map(({ name }) => name)
  const log = new LiveLog(evertick, cli.terminal.out, { timezone: ownZone(), jobs: names })
  log.begin()
  return log
}

function queuesOf(given: readonly string[] | undefined): Queues | null {
  if (given === undefined) return null
  return Object.fromEntries(
    given.map((text) => {
      const [, name = '', concurrency] = /^(.+?)(?::(\d+))?$/.exec(text) ?? []
      const slots = concurrency === undefined ? defaultConcurrency : Number(concurrency)
      if (name === '' || slots < 1) throw badQueue(text)
      return [name, { concurrency: slots }]
    }),
  )
}

function badQueue(text: string): EvertickError {
  return new EvertickError('invalid_option', `${JSON.stringify(text)} is not a valid queue.`, {
    field: '--queue',
    next: 'Use a name, or a name and a concurrency: --queue mail:5.',
  })
}
