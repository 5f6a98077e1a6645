/** `evertick start`: runs a node until it is told to stop. */
import { dirname, relative } from 'node:path'
import type { Command } from 'commander'
import { contextOf } from '../../../app/app-context.ts'
import { apiConfig } from '../../../app/config/api-config.ts'
import type { EvertickOptions } from '../../../app/config/options.ts'
import { EvertickError } from '../../../core/error.ts'
import { type Role, roles } from '../../../engine/node.ts'
import { Evertick } from '../../../evertick.ts'
import { makeDataFolder } from '../../../store/private-files.ts'
import { withoutSecrets } from '../../../store/store-url.ts'
import { signalExitCodes } from '../../exit-code.ts'
import { collect, examples } from '../../help.ts'
import { counted } from '../../output/count-words.ts'
import { ownZone } from '../../output/times.ts'
import { accessOf, actor, type Cli, databaseFile, openOptions, settingsOf } from '../../session.ts'
import { exampleSettings, type GlobalFlags, type Settings } from '../../settings.ts'
import { stopSignal } from '../../stop-signal.ts'
import { signInLink } from '../access/login.ts'
import { loadExampleJobs } from './example-jobs.ts'
import { deleteOwnDatabase } from './fresh.ts'
import { Tally } from './goodbye.ts'
import { writeEvents } from './json-events.ts'
import { withoutExecutionLines } from './live-log.ts'
import { warnOfOrphans } from './orphans.ts'
import { apiIsOff, rolesFor, rolesOf } from './roles.ts'
import { type StoryOptions, startWithStory } from './story.ts'

interface StartOptions {
  readonly role?: readonly string[]
  readonly fresh?: true
  readonly example?: true
}

/** How long to wait for running handlers; the example is not worth a long wait. */
const stopTimeout = { own: '30s', example: '2s' } as const

export function addStart(program: Command, cli: Cli): void {
  const command = program
    .command('start')
    .summary('run a node with the configured jobs')
    .description('Runs a node that schedules and runs jobs until Ctrl-C. A second Ctrl-C exits at once.')
    .option('--role <role>', `what this node does: ${roles.join(', ')}; can be repeated`, collect)
    .option('--fresh', 'delete the database in the data folder first')
    .option('--example', 'run the example jobs of the repository; only EVERTICK_… variables apply')
    .action((options: StartOptions) => start(cli, command, options))
  examples(command, [
    ['start'],
    ['start --role scheduler', 'only schedule, and let other nodes do the work'],
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
      : { logger: withoutExecutionLines(opened.logger) }),
    ...(allowCommands === undefined || !wanted.includes('worker') ? {} : { allowCommands }),
    ...(settings.options.nodeId === undefined ? {} : { nodeId: settings.options.nodeId }),
    ...(settings.options.api === undefined || !wanted.includes('api') ? {} : { api: settings.options.api }),
    jobs,
    roles: wanted,
  })
  await run(cli, evertick, settings, {
    signIn: () => linkFor(cli, evertick, settings),
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
    // A node that is no worker may start before those that have the handlers.
    if (shown.roles.includes('worker')) await warnOfOrphans(evertick, terminal)
    const signal = await Promise.race([signalled, contextOf(evertick).ended])
    terminal.say('')
    const busy = evertick.running
    if (busy > 0)
      terminal.say(
        `Stopping: waiting for ${counted(busy, 'run')} to finish. Press Ctrl-C again to exit at once.`,
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

/** A file is shown by its path from the current folder. */
function shownDatabase(cli: Cli, settings: Settings, url: string): string {
  const file = databaseFile(cli, url)
  const place = file === null ? withoutSecrets(url) : relative(cli.cwd, file)
  return settings.database === null || url === settings.ownDatabase
    ? place
    : `${place} (from ${settings.database.from})`
}

/** Only on a terminal: a link in a log would let in whoever reads the log. */
async function linkFor({ terminal }: Cli, evertick: Evertick, settings: Settings): Promise<string | null> {
  const { url } = evertick
  if (url === null || !terminal.out.tty || apiConfig(settings.options.api).provider !== null) return null
  const access = await accessOf(evertick, settings)
  const { code } = await access.createLink({ role: 'admin', actor: actor() })
  return signInLink(url, code)
}

/** The configured jobs. Without a configuration, a node runs the jobs of its database that need no code. */
export function jobsOf(
  { options, configPath, database }: Settings,
  wanted: readonly Role[],
): NonNullable<EvertickOptions['jobs']> {
  if (configPath === null && database === null && wanted.includes('worker')) {
    throw new EvertickError(
      'invalid_config',
      'This folder has no evertick.config.ts, so there are no jobs to run.',
      {
        field: 'config',
        next: 'Create one with `evertick init`, or choose one with --config. To run jobs without code, set --database.',
      },
    )
  }
  return options.jobs ?? []
}
