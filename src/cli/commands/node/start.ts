/** `evertick start`: runs this machine's node until it is told to stop. */
import { dirname, relative } from 'node:path'
import type { Command } from 'commander'
import { apiConfig } from '../../../app/config/api-config.ts'
import type { EvertickOptions } from '../../../app/config/options.ts'
import { Evertick } from '../../../app/evertick.ts'
import { EvertickError } from '../../../core/error.ts'
import { type Role, roles } from '../../../engine/node.ts'
import { makeDataFolder } from '../../../store/private-files.ts'
import { withoutSecrets } from '../../../store/store-url.ts'
import { signalExitCodes } from '../../exit-code.ts'
import { collect, examples } from '../../help.ts'
import { ownZone } from '../../output/times.ts'
import { accessOf, type Cli, databaseFile, openOptions, settingsOf } from '../../session.ts'
import { exampleSettings, type GlobalFlags, type Settings } from '../../settings.ts'
import { stopSignal } from '../../stop-signal.ts'
import { signInLink } from '../access/login.ts'
import { loadExampleJobs } from './example-jobs.ts'
import { deleteOwnDatabase } from './fresh.ts'
import { Tally } from './goodbye.ts'
import { writeEvents } from './json-events.ts'
import { besideLiveLog } from './live-log.ts'
import { nameOrphans } from './orphans.ts'
import { apiIsOff, rolesFor, rolesOf } from './roles.ts'
import { type StoryOptions, startWithStory } from './story.ts'

interface StartOptions {
  readonly role?: readonly string[]
  readonly fresh?: true
  readonly example?: true
}

/** What a running handler is waited for; an example is not worth a longer wait. */
const stopTimeout = { own: '30s', example: '2s' } as const

export function addStart(program: Command, cli: Cli): void {
  const command = program
    .command('start')
    .summary('run a node with the jobs of the configuration')
    .description(
      'Runs a node: schedules what is due and works on it, until Ctrl-C. A second Ctrl-C ends it at once.',
    )
    .option('--role <role>', `what this node does: ${roles.join(', ')}; may be given several times`, collect)
    .option('--fresh', 'begin anew: delete the database in the data folder first')
    .option('--example', 'run the example jobs of the repository, and heed EVERTICK_… variables only')
    .action((options: StartOptions) => start(cli, command, options))
  examples(command, [
    ['start'],
    ['start --role scheduler', 'decide about ticks, leave the work to others'],
    ['start --config ops/evertick.config.ts --database sqlite:/var/lib/evertick.db'],
  ])
}

async function start(cli: Cli, command: Command, options: StartOptions): Promise<void> {
  const example = options.example === true
  const flags = command.optsWithGlobals<GlobalFlags>()
  const settings = example
    ? exampleSettings({ flags, env: cli.env, cwd: cli.cwd })
    : await settingsOf(cli, command)
  const database = settings.database?.url ?? settings.ownDatabase
  const asked = rolesOf(options.role) ?? settings.options.roles
  const wanted = asked ?? rolesFor(database, settings.options.api)
  if (options.fresh === true) await deleteOwnDatabase(cli, settings, database)
  const jobs = example ? await loadExampleJobs() : jobsOf(settings, wanted)
  const file = databaseFile(cli, database)
  if (file !== null && database === settings.ownDatabase) makeDataFolder(dirname(file))
  const { allowCommands, ...opened } = openOptions(settings, database, cli.terminal)
  const evertick = await Evertick.open({
    ...opened,
    ...(cli.terminal.json || settings.options.logger !== undefined || opened.logger === undefined
      ? {}
      : { logger: besideLiveLog(opened.logger) }),
    ...(allowCommands === undefined || !wanted.includes('worker') ? {} : { allowCommands }),
    ...(settings.options.nodeId === undefined ? {} : { nodeId: settings.options.nodeId }),
    ...(settings.options.api === undefined || !wanted.includes('api') ? {} : { api: settings.options.api }),
    jobs,
    roles: wanted,
  })
  await run(cli, evertick, settings, {
    signIn: () => linkFor(cli, evertick, settings, database),
    database: shownDatabase(cli, settings, database),
    config: settings.configPath,
    roles: wanted,
    apiOff: asked === undefined && !wanted.includes('api') ? apiIsOff : null,
    example,
    jobs: jobs.map(({ name }) => name),
  })
}

async function run(
  cli: Cli,
  evertick: Evertick,
  { timezone }: Settings,
  shown: Omit<StoryOptions, 'timezone'>,
): Promise<void> {
  const { terminal } = cli
  terminal.keepGoing = true
  const signalled = stopSignal()
  const tally = new Tally(evertick)
  try {
    const log = await begin(cli, evertick, { ...shown, timezone: timezone ?? ownZone() })
    // A node that does not work comes up before those that do.
    if (shown.roles.includes('worker')) await nameOrphans(evertick, terminal)
    const signal = await Promise.race([signalled, Evertick.endOf(evertick)])
    terminal.say('')
    const busy = evertick.running
    if (busy > 0)
      terminal.say(
        `Stopping: ${busy === 1 ? 'one run is' : `${busy} runs are`} under way. Ctrl-C again to leave at once.`,
      )
    await evertick.stop({ timeout: stopTimeout[shown.example ? 'example' : 'own'] })
    log?.end()
    terminal.say(tally.goodbye())
    cli.exitCode = signalExitCodes[signal]
  } finally {
    await evertick.stop({ timeout: 0 })
  }
}

async function begin(cli: Cli, evertick: Evertick, options: StoryOptions) {
  if (!cli.terminal.json) return await startWithStory(evertick, cli.terminal.out, options)
  writeEvents(evertick, cli.terminal)
  await evertick.start()
  return null
}

/** A file by its path from here: that is what one looks for. */
function shownDatabase(cli: Cli, settings: Settings, url: string): string {
  const file = databaseFile(cli, url)
  const place = file === null ? withoutSecrets(url) : relative(cli.cwd, file)
  return settings.database === null || url === settings.ownDatabase
    ? place
    : `${place} (named by ${settings.database.from})`
}

/** Only for somebody who sits before it: a link in a log would let in whoever reads the log. */
async function linkFor(
  { terminal }: Cli,
  evertick: Evertick,
  settings: Settings,
  database: string,
): Promise<string | null> {
  const { url } = evertick
  if (url === null || !terminal.out.tty || apiConfig(settings.options.api).provider !== null) return null
  const access = await accessOf(evertick, database, settings)
  const { code } = await access.createLink({ role: 'admin', actor: 'start' })
  return signInLink(url, code)
}

/** The jobs of the configuration. Without one a node works on what needs no code, in a database that was named. */
export function jobsOf(
  { options, configPath, database }: Settings,
  wanted: readonly Role[],
): NonNullable<EvertickOptions['jobs']> {
  if (configPath === null && database === null && wanted.includes('worker')) {
    throw new EvertickError(
      'invalid_config',
      'There is no evertick.config.ts in this folder, so there are no jobs to run.',
      {
        field: 'config',
        next: 'Write one with `evertick init`, or name one with --config. For jobs without code, name a --database.',
      },
    )
  }
  return options.jobs ?? []
}
